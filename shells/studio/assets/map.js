// The map: a bubble a community, then its files, one file with what it touches, and routes.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, hierarchy, pack } from "./vendor.js";
import { count, Fault, go, html, useLoaded, useMemo, useState } from "./dom.js";
import { get } from "./api.js";
import { CodeCard } from "./code.js";

const MOST_BUBBLES = 80;
const SIDE = { width: 900, height: 560 };

/** Where each community's bubble lies; the same communities always give the same picture. */
function laidOut(communities) {
  const shown = communities.slice(0, MOST_BUBBLES);
  const largest = Math.max(...shown.map((one) => one.size));
  const nodes = shown.map((one, i) => ({
    ...one, r: 9 + 52 * Math.sqrt(one.size / largest),
    x: SIDE.width / 2 + 14 * Math.sqrt(i) * Math.cos(i * 2.4), y: SIDE.height / 2 + 14 * Math.sqrt(i) * Math.sin(i * 2.4),
  }));
  const here = new Map(nodes.map((node) => [node.id, node]));
  const seen = new Set();
  const links = [];
  for (const node of nodes) {
    for (const link of node.links.map((one) => ({ source: node, target: here.get(one.community), pairs: one.pairs }))) {
      const key = link.target && [node.id, link.target.id].sort((a, b) => a - b).join(" ");
      if (key && !seen.has(key)) { seen.add(key); links.push(link); }
    }
  }
  forceSimulation(nodes)
    .force("link", forceLink(links).distance((link) => link.source.r + link.target.r + 26).strength(0.12))
    .force("apart", forceManyBody().strength(-40))
    .force("collide", forceCollide((node) => node.r + 3).iterations(3))
    .force("x", forceX(SIDE.width / 2).strength(0.06)).force("y", forceY(SIDE.height / 2).strength(0.1))
    .stop().tick(260);
  const left = Math.min(...nodes.map((n) => n.x - n.r)), right = Math.max(...nodes.map((n) => n.x + n.r));
  const top = Math.min(...nodes.map((n) => n.y - n.r)), bottom = Math.max(...nodes.map((n) => n.y + n.r));
  return { nodes, links, box: `${left - 8} ${top - 8} ${right - left + 16} ${bottom - top + 16}` };
}

/** What tells a community from its neighbours: its innermost folder and its words. */
function label(text, r) {
  const [folder, rest = ""] = text.split(": ");
  const words = [folder.split("/").at(-1), ...rest.split(/[\s,]+/)].filter(Boolean);
  const most = Math.floor((r * 2 - 8) / 6.2);
  const lines = [];
  for (const word of words) {
    if (lines.length && (`${lines.at(-1)} ${word}`).length <= most) lines[lines.length - 1] += ` ${word}`;
    else if (lines.length < Math.floor((r * 1.5) / 12)) lines.push(word.slice(0, most));
    else break;
  }
  return lines;
}

function Bubbles({ communities, onPick }) {
  const { nodes, links, box } = useMemo(() => laidOut(communities), [communities]);
  const most = Math.max(1, ...links.map((link) => link.pairs));
  return html`<figure class="bubbles"><svg viewBox=${box} role="group" aria-label="Communities of files; the table below says the same">
    ${links.map((link) => html`<line class="tie" x1=${link.source.x} y1=${link.source.y} x2=${link.target.x} y2=${link.target.y}
      stroke-width=${(0.5 + 5 * Math.sqrt(link.pairs / most)).toFixed(1)}><title>${link.source.name} – ${link.target.name}: ${link.pairs}</title></line>`)}
    ${nodes.map((node) => {
      const lines = label(node.name, node.r);
      return html`<g class=${`bubble ${node.tests > node.size / 2 ? "tests" : ""}`} tabindex="0" role="button"
          aria-label=${`${node.name}, ${node.size} files`} onClick=${() => onPick(node.id)}
          onKeyDown=${(event) => event.key === "Enter" && onPick(node.id)}>
        <circle cx=${node.x} cy=${node.y} r=${node.r} /><title>${node.name}: ${node.size} files</title>
        ${lines.map((line, i) => html`<text x=${node.x} y=${node.y + (i - (lines.length - 1) / 2) * 12 + 4}>${line}</text>`)}
      </g>`;
    })}
  </svg></figure>`;
}

/** The files of one community as circles, its centres the largest. */
function FileBubbles({ community, onPick }) {
  const circles = useMemo(() => {
    const weight = (path) => { const rank = community.centres.indexOf(path); return rank < 0 ? 1 : 9 - rank; };
    const root = hierarchy({ children: community.files.map((path) => ({ path })) }).sum((node) => (node.path ? weight(node.path) : 0));
    return pack().size([520, 360]).padding(3)(root).leaves();
  }, [community]);
  return html`<figure class="bubbles"><svg viewBox="0 0 520 360" role="group" aria-label=${`Files of ${community.name}`}>
    ${circles.map((node) => {
      const name = node.data.path.split("/").at(-1);
      return html`<g class=${`bubble ${community.centres.includes(node.data.path) ? "centre" : ""}`} tabindex="0" role="button"
          aria-label=${node.data.path} onClick=${() => onPick(node.data.path)} onKeyDown=${(event) => event.key === "Enter" && onPick(node.data.path)}>
        <circle cx=${node.x} cy=${node.y} r=${node.r} /><title>${node.data.path}</title>
        ${node.r > 20 ? html`<text x=${node.x} y=${node.y + 4}>${name.slice(0, Math.floor(node.r / 3.2))}</text>` : null}
      </g>`;
    })}
  </svg></figure>`;
}

const fileLink = (path) => html`<a class="path" href=${`#/map?node=${encodeURIComponent(path)}`}>${path}</a>`;

function Ties({ title, rows }) {
  if (!rows.length) return null;
  return html`<section class="ties"><h3>${title} <span class="dim">${rows.length}</span></h3><ul class="plain">
    ${rows.slice(0, 40).map((row) => html`<li>${fileLink(row.path)} <span class="dim">${row.types
      ? Object.entries(row.types).map(([type, n]) => `${n} ${type}`).join(", ") : row.cosine?.toFixed(2)}</span></li>`)}
  </ul></section>`;
}

function NodePanel({ what, root, onOpen }) {
  const found = useLoaded((signal) => get("graph", { op: "node", what, lines: 60 }, signal), [what]);
  const [other, setOther] = useState("");
  const node = found.value;
  return html`<div class="node">
    <${Fault} error=${found.error} />
    ${node ? html`
      <h2>${node.path}</h2>
      <p class="dim">${node.language}, ${node.role}; ${node.degree} neighbours${node.hub ? ", a hub" : ""};
        in <a href=${`#/map?community=${node.community.id}`}>${node.community.name}</a>
        ${node.resolved_by === "path" ? null : html`; found by ${node.resolved_by}`}</p>
      ${node.doc ? html`<p>${node.doc}</p>` : null}
      <form class="inline" onSubmit=${(event) => { event.preventDefault(); go("map", { node: node.path, to: other }); }}>
        <label>Route to <input type="text" value=${other} placeholder="a file, a symbol or words" onInput=${(event) => setOther(event.target.value)} /></label>
        <button type="submit">Show</button>
      </form>
      <div class="columns"><${Ties} title="Refers to" rows=${node.out} /><${Ties} title="Referred to by" rows=${node.in} /><${Ties} title="Says alike" rows=${node.semantic} /></div>
      ${node.symbols.length ? html`<details class="card"><summary>${count(node.symbols.length, "symbol")}</summary><ul class="plain">
        ${node.symbols.map((symbol) => html`<li><button type="button" class="path" onClick=${() => onOpen(node.path, symbol.line, symbol.line)}>${symbol.qualified}</button>
          <span class="dim">${symbol.kind}, ${count(symbol.uses, "use")}</span></li>`)}</ul></details>` : null}
      ${node.chunks.map((chunk) => html`<${CodeCard} root=${root} path=${node.path} start=${chunk.start_line} end=${chunk.end_line}
        text=${chunk.text} language=${node.language} state=${node.changed ? "changed" : "indexed"} onOpen=${onOpen} />`)}
      ${node.more_lines ? html`<button type="button" onClick=${() => onOpen(node.path, 1, 1)}>${count(node.more_lines, "more line")}</button>` : null}
    ` : null}
  </div>`;
}

function Route({ from, to, onOpen }) {
  const found = useLoaded((signal) => get("graph", { op: "path", from, to }, signal), [from, to]);
  const route = found.value;
  return html`<section class="route card">
    <h2>Route</h2><${Fault} error=${found.error} />
    ${route && !route.found ? html`<p>Nothing connects ${route.from.path} and ${route.to.path}.</p>` : null}
    ${route?.found ? html`<ol>${route.hops.map((hop) => html`<li>
      ${fileLink(hop.from)} → ${fileLink(hop.to)} <span class="tag">${hop.lane}</span>
      <ul class="plain">${hop.carriers.map((carrier) => html`<li><code>${carrier.symbol}</code> <span class="dim">${carrier.type}</span>${" "}
        <button type="button" class="path" onClick=${() => onOpen(carrier.use.path, carrier.use.line, carrier.use.line)}>${carrier.use.path}:${carrier.use.line}</button>
      </li>`)}</ul></li>`)}</ol>` : null}
  </section>`;
}

function Community({ community }) {
  return html`<div><h2>${community.name} <span class="dim">${count(community.size, "file")}</span></h2>
    <${FileBubbles} community=${community} onPick=${(path) => go("map", { node: path })} />
    <details class="card"><summary>All its files</summary><ul class="plain">${community.files.map((path) => html`<li>${fileLink(path)}</li>`)}</ul></details></div>`;
}

function Overview({ map }) {
  if (!map.communities.length) return html`<p class="empty">No files belong together here: none refers to another.</p>`;
  return html`<${Bubbles} communities=${map.communities} onPick=${(id) => go("map", { community: id })} />
    <div class="columns">
      <section><h2>Communities</h2><div class="scroll"><table><thead><tr><th scope="col">Community</th><th scope="col">Files</th></tr></thead><tbody>
        ${map.communities.map((one) => html`<tr><td><a href=${`#/map?community=${one.id}`}>${one.name}</a></td><td class="number-cell">${one.size}</td></tr>`)}
      </tbody></table></div><p class="dim">${count(map.single_files, "file")} belong with no other.</p></section>
      <section><h2>What everything touches</h2><ul class="plain">${map.god_nodes.map((god) => html`<li>${fileLink(god.path)} <span class="dim">${god.degree}</span></li>`)}</ul></section>
      <section><h2>Surprises</h2><p class="dim">Alike, apart, and neither refers to the other.</p><ul class="plain">
        ${map.surprises.map((one) => html`<li>${fileLink(one.first)}<br />${fileLink(one.second)} <span class="dim">${one.cosine.toFixed(2)}</span></li>`)}</ul></section>
    </div>`;
}

export function MapView({ parameters, root, onOpen }) {
  const [what, setWhat] = useState("");
  const found = useLoaded((signal) => get("graph", { op: "map", brief: true }, signal), []);
  const map = found.value;
  const community = map?.communities.find((one) => String(one.id) === parameters.community);
  const deeper = parameters.node || parameters.community;
  return html`<section class="view">
    <form class="ask" role="search" onSubmit=${(event) => { event.preventDefault(); if (what.trim()) go("map", { node: what.trim() }); }}>
      <label class="visually-hidden" for="node">A file, a symbol or words</label>
      <input id="node" data-focus="/" type="search" value=${what} placeholder="A file, a symbol or words" onInput=${(event) => setWhat(event.target.value)} />
      <button type="submit" class="primary">Show</button>
    </form>
    ${deeper ? html`<p><a href="#/map">← the whole map</a></p>` : null}
    <${Fault} error=${found.error} />
    ${parameters.node && parameters.to ? html`<${Route} from=${parameters.node} to=${parameters.to} onOpen=${onOpen} />` : null}
    ${parameters.node ? html`<${NodePanel} key=${parameters.node} what=${parameters.node} root=${root} onOpen=${onOpen} />`
      : community ? html`<${Community} community=${community} />`
      : map ? html`<${Overview} map=${map} />` : null}
  </section>`;
}
