"""Small charts as inline SVG: bars with intervals, curves, a histogram. Colours come from CSS."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from codequarry.eval.bootstrap import Interval

_WIDTH = 720
_GRID = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
SERIES = 6  # how many curves have a colour of their own


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar from 0 to 1 with its interval, and marks of what is compared with it."""

    label: str
    note: str
    value: Interval
    marks: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Curve:
    """One line over x = 1, 2, 3, …; values from 0 to 1."""

    label: str
    values: tuple[float, ...]


def bars(rows: Sequence[Bar], title: str) -> str:
    """Draw horizontal bars, one a row; the whisker is the interval, dots are the marks."""
    left, right, step, top = 150, 110, 24, 22
    scale = _WIDTH - left - right
    height = top + step * len(rows) + 6
    parts = []
    for value in _GRID:
        x = left + value * scale
        parts.append(_line(x, top - 4, x, height - 6, "grid"))
        parts.append(_text(x, 12, f"{value:.1f}", "tick middle"))
    for number, row in enumerate(rows):
        y = top + step * number + step / 2
        low, high = left + row.value.low * scale, left + row.value.high * scale
        width = max(0.0, row.value.mean) * scale
        parts += [
            f"<g><title>{escape(f'{row.label}: {row.value}, {row.note}')}</title>",
            _text(left - 8, y + 4, row.label, "label end"),
            f'<rect x="{left}" y="{y - 7:.1f}" width="{width:.1f}" height="14" rx="2" class="s0"/>',
            _line(low, y, high, y, "whisker"),
            *(
                f'<circle cx="{left + mark * scale:.1f}" cy="{y:.1f}" r="4" class="mark f{place}"/>'
                for place, mark in enumerate(row.marks[: SERIES - 1], 1)
            ),
            _text(_WIDTH - right + 10, y + 4, f"{row.value.mean:.3f}  {row.note}", "label"),
            "</g>",
        ]
    return _svg(parts, height, title)


def curves(rows: Sequence[Curve], title: str, x_title: str, ticks: Sequence[str] = ()) -> str:
    """Draw curves over 1, 2, 3, …, or over the places that ``ticks`` name."""
    left, right, top, height = 44, 170, 12, 300
    points = max((len(row.values) for row in rows), default=1)
    scale_x = (_WIDTH - left - right) / max(1, points - 1)
    scale_y = height - top - 40
    base = top + scale_y
    parts = []
    for value in _GRID:
        y = base - value * scale_y
        parts.append(_line(left, y, _WIDTH - right, y, "grid"))
        parts.append(_text(left - 6, y + 4, f"{value:.1f}", "tick end"))
    numbered = [(number, str(number)) for number in (1, *range(5, points + 1, 5))]
    named = list(enumerate(ticks, 1)) or numbered
    for number, name in named:
        parts.append(_text(left + (number - 1) * scale_x, base + 16, name, "tick middle"))
    parts.append(_text(left + (points - 1) * scale_x / 2, base + 34, x_title, "tick middle"))
    for place, row in enumerate(rows[:SERIES]):
        dots = [(left + i * scale_x, base - value * scale_y) for i, value in enumerate(row.values)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in dots)
        parts.append(f'<polyline points="{path}" class="curve l{place}"/>')
        for number, ((x, y), value) in enumerate(zip(dots, row.values, strict=True), 1):
            place_name = ticks[number - 1] if ticks else number
            told = escape(f"{row.label}: {value:.3f} within {place_name}")
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="f{place}">'
                f"<title>{told}</title></circle>"
            )
    for place, row in enumerate(rows[:SERIES]):
        y = base - 14 - 20 * (min(len(rows), SERIES) - 1 - place)
        parts.append(f'<circle cx="{_WIDTH - right + 16}" cy="{y}" r="5" class="f{place}"/>')
        parts.append(_text(_WIDTH - right + 28, y + 4, row.label, "label"))
    return _svg(parts, height, title)


def histogram(values: Sequence[float], title: str, x_title: str, bins: int = 36) -> str:
    """Draw how often values fall into equal bins; values past the last are put into it."""
    if not values:
        return ""
    left, right, top, height = 44, 20, 12, 220
    ordered = sorted(values)
    most = max(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))] * 1.05, 1e-9)
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, int(value / most * bins))] += 1
    wide, tall = (_WIDTH - left - right) / bins, height - top - 40
    base = top + tall
    parts = [_line(left, base, _WIDTH - right, base, "axis")]
    for place, count in enumerate(counts):
        if count:
            size = count / max(counts) * tall
            told = escape(
                f"{count} at {place * most / bins:.2f} to {(place + 1) * most / bins:.2f}"
            )
            parts.append(
                f'<rect x="{left + place * wide + 0.5:.1f}" y="{base - size:.1f}" '
                f'width="{wide - 1:.1f}" height="{size:.1f}" class="s0">'
                f"<title>{told}</title></rect>"
            )
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x = left + share * (_WIDTH - left - right)
        parts.append(_text(x, base + 16, f"{share * most:.2f}", "tick middle"))
    parts.append(_text(_WIDTH / 2, base + 34, x_title, "tick middle"))
    parts.append(_text(left - 6, top + 8, str(max(counts)), "tick end"))
    return _svg(parts, height, title)


def _svg(parts: list[str], height: float, title: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        + "".join(parts)
        + "</svg>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, name: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{name}"/>'


def _text(x: float, y: float, text: str, name: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{name}">{escape(text)}</text>'
