"""The map of a repository as one page: no network, no library, readable without scripts.

A bubble a community of several files, as large as it has files, tied by the references
between them; below, each community unfolds to its files. Every name is escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from string import Template

from codequarry.retrieval.graph.overview import Community, God, Overview, Surprise
from codequarry.shells.cli.output import plural, printable

MAX_BUBBLES = 60
MAX_FILES = 400  # that are listed of one community
_WIDTH, _GAP, _RADIUS = 1000.0, 6.0, 9.0  # of the picture, between bubbles, of one file
_LABEL = 25.0  # radius from which a bubble has room for words


@dataclass(frozen=True, slots=True)
class Bubble:
    """A community's circle."""

    community: Community
    x: float
    y: float
    radius: float


def page(repo: str, found: Overview) -> str:
    """The page of a map, as HTML."""
    bubbles = layout(found.communities[:MAX_BUBBLES])
    facts = found.facts
    summary = (
        f"{plural(found.files, 'file')}, {len(found.communities)} communities of several files, "
        f"{plural(found.singles, 'file')} on their own. "
        f"{int(facts['structural_edges']):,} pairs tied by reference, "
        f"{int(facts['semantic_edges']):,} by likeness (cosine from {facts['edge_floor']:.3f})."
    )
    names = {community.id: community.name for community in found.communities}
    return _PAGE.substitute(
        title=_text(f"Map of {repo}"),
        summary=_text(summary),
        picture=_picture(bubbles),
        communities="".join(_details(community, names) for community in found.communities),
        gods=_gods(found.gods),
        fronts=_gods(found.god_fronts),
        tests=_gods(found.god_tests),
        surprises=_surprises(found.surprises),
    )


def layout(communities: Sequence[Community]) -> list[Bubble]:
    """A place for each community, the largest first: as near as free room is to its kin.

    The centre of what is tied to a community pulls it; where nothing is, the middle does.
    """
    placed: list[Bubble] = []
    at: dict[int, Bubble] = {}
    for community in communities:
        radius = _RADIUS * math.sqrt(community.size) + 8
        kin = [(at[number], pairs) for number, pairs in community.links if number in at]
        weight = sum(pairs for _, pairs in kin)
        x = sum(b.x * pairs for b, pairs in kin) / weight if weight else 0.0
        y = sum(b.y * pairs for b, pairs in kin) / weight if weight else 0.0
        bubble = _free(community, x, y, radius, placed)
        placed.append(bubble)
        at[community.id] = bubble
    return placed


def _free(
    community: Community, x: float, y: float, radius: float, placed: Sequence[Bubble]
) -> Bubble:
    """The first free place on a spiral around a point."""
    step = 0
    while True:
        angle, distance = step * 0.5, step * 1.5
        at_x, at_y = x + distance * math.cos(angle), y + 0.7 * distance * math.sin(angle)
        if all(
            math.hypot(at_x - other.x, at_y - other.y) >= radius + other.radius + _GAP
            for other in placed
        ):
            return Bubble(community, round(at_x, 1), round(at_y, 1), round(radius, 1))
        step += 1


def _picture(bubbles: Sequence[Bubble]) -> str:
    if not bubbles:
        return "<p>No two files belong together.</p>"
    left = min(b.x - b.radius for b in bubbles) - 10
    top = min(b.y - b.radius for b in bubbles) - 10
    width = max(b.x + b.radius for b in bubbles) + 10 - left
    height = max(b.y + b.radius for b in bubbles) + 10 - top
    at = {bubble.community.id: bubble for bubble in bubbles}
    lines = "".join(
        f'<line x1="{bubble.x}" y1="{bubble.y}" x2="{at[number].x}" y2="{at[number].y}" '
        f'stroke-width="{min(8.0, 0.6 + math.sqrt(pairs) / 1.5):.1f}" '
        f'data-ends="{bubble.community.id} {number}"/>'
        for bubble in bubbles
        for number, pairs in bubble.community.links
        if number in at and bubble.community.id < number
    )
    circles = "".join(_bubble(bubble) for bubble in bubbles)
    return (
        f'<svg viewBox="{left:.0f} {top:.0f} {width:.0f} {height:.0f}" role="img" '
        f'aria-label="Communities and what ties them"><g class="ties">{lines}</g>{circles}</svg>'
    )


def _bubble(bubble: Bubble) -> str:
    community = bubble.community
    words = _label(bubble)
    label = "".join(
        f'<tspan x="{bubble.x}" dy="{_drop(i, len(words)):.2f}em">{_text(word)}</tspan>'
        for i, word in enumerate(words)
    )
    hue = community.id * 47 % 360
    return (
        f'<a href="#c{community.id}" data-id="{community.id}"><title>{_text(community.name)}: '
        f"{plural(community.size, 'file')}</title>"
        f'<circle cx="{bubble.x}" cy="{bubble.y}" r="{bubble.radius}" style="--hue:{hue}"/>'
        f'<text x="{bubble.x}" y="{bubble.y}">{label}</text></a>'
    )


def _drop(line: int, lines: int) -> float:
    """How far a line of a label lies below what is before it; all of them are centred."""
    return 1.15 if line else 0.35 - 0.575 * (lines - 1)


def _label(bubble: Bubble) -> list[str]:
    """What fits into a bubble: the last folder and a word a line; a small one has its size."""
    if bubble.radius < _LABEL:
        return [str(bubble.community.size)]
    room = max(4, int(bubble.radius / 4.3))
    folder, _, words = bubble.community.name.rpartition(": ")
    first = folder.rpartition("/")[2]
    lines = ([first] if first else []) + [word for word in words.split(", ") if word]
    lines = [line if len(line) <= room else f"{line[: room - 1]}…" for line in lines]
    return lines[: max(1, int(bubble.radius / 13))]


def _details(community: Community, names: dict[int, str]) -> str:
    centres = set(community.centres)
    rest = [path for path in community.files if path not in centres]
    listed = [*community.centres, *rest][:MAX_FILES]
    files = "".join(
        f"<li{' class=centre' if path in centres else ''}>{_text(path)}</li>" for path in listed
    )
    more = community.size - len(listed)
    ties = ", ".join(
        f'<a href="#c{number}">{_text(names[number])}</a> ({pairs})'
        for number, pairs in community.links
    )
    tests = f", {plural(community.tests, 'test')}" if community.tests else ""
    return (
        f'<details id="c{community.id}"><summary><b>{_text(community.name)}</b> '
        f"<span>{plural(community.size, 'file')}{tests}</span></summary>"
        + (f"<p>Tied to {ties}</p>" if ties else "")
        + f"<ul>{files}</ul>"
        + (f"<p>… {plural(more, 'more file')}</p>" if more > 0 else "")
        + "</details>"
    )


def _gods(gods: Sequence[God]) -> str:
    rows = "".join(
        f"<tr><td>{_text(god.path)}</td><td>{god.referring}</td><td>{god.referred}</td>"
        f"<td>{_text(god.community)}</td></tr>"
        for god in gods
    )
    if not rows:
        return "<p>None.</p>"
    head = "<tr><th>file</th><th>in</th><th>out</th><th>community</th></tr>"
    return f'<div class="wide"><table>{head}{rows}</table></div>'


def _surprises(surprises: Sequence[Surprise]) -> str:
    rows = "".join(
        f"<tr><td>{surprise.cosine:.3f}</td><td>{_text(surprise.first)}</td>"
        f"<td>{_text(surprise.second)}</td></tr>"
        for surprise in surprises
    )
    if not rows:
        return "<p>None.</p>"
    head = "<tr><th>cosine</th><th>file</th><th>file</th></tr>"
    return f'<div class="wide"><table>{head}{rows}</table></div>'


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>$title</title>
<style>
:root { color-scheme: light dark; --ink: #1c2430; --paper: #fbfbf9; --soft: #667; --rule: #dde;
 --fill: 68%; --edge: 38%; }
@media (prefers-color-scheme: dark) {
 :root { --ink: #e6e9ee; --paper: #14181e; --soft: #9aa4b2; --rule: #2b3340; --fill: 30%;
 --edge: 62%; } }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; color: var(--ink);
 background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, summary span, th { color: var(--soft); }
svg { width: 100%; max-height: 85vh; display: block; margin: 1rem 0; }
circle { fill: hsl(var(--hue) 45% var(--fill)); stroke: hsl(var(--hue) 45% var(--edge));
 stroke-width: 1.5; }
svg text { text-anchor: middle; font-size: 12px; fill: var(--ink); pointer-events: none; }
svg a:hover circle, svg a:focus circle { stroke-width: 4; }
.ties line { stroke: var(--soft); opacity: .22; } .ties line.on { opacity: .9; }
details { border-top: 1px solid var(--rule); padding: .4rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
details ul { margin: .3rem 0; padding-left: 1.2rem; }
li, td { font: 13px/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
li.centre { font-weight: 700; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .15rem .6rem .15rem 0; vertical-align: top; }
a { color: inherit; }
</style></head><body>
<h1>$title</h1><p>$summary</p>
$picture
<h2>Communities</h2>$communities
<h2>What most files touch</h2>$gods
<h2>Package fronts</h2>$fronts
<h2>Tests that touch most</h2>$tests
<h2>Surprises: alike, apart, and without a reference</h2>$surprises
<script>
const open = () => { const d = document.getElementById(location.hash.slice(1));
 if (d && d.tagName === "DETAILS") { d.open = true; d.scrollIntoView({block: "start"}); } };
addEventListener("hashchange", open); open();
for (const a of document.querySelectorAll("svg a")) {
 const lit = on => { for (const l of document.querySelectorAll(".ties line"))
  l.classList.toggle("on", on && l.dataset.ends.split(" ").includes(a.dataset.id)); };
 for (const [name, on] of [["mouseenter", 1], ["mouseleave", 0], ["focus", 1], ["blur", 0]])
  a.addEventListener(name, () => lit(on));
 a.addEventListener("click", () => setTimeout(open)); }
</script></body></html>
""")
