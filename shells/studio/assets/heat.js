// The heat of an answer over the tree: folders as nested boxes, warm where files were found.
import { hierarchy, treemap, treemapSquarify } from "./vendor.js";
import { count, html, useEffect, useMemo, useRef, useState } from "./dom.js";

const MOST_COLD = 10; // cold folders of one folder that have a box of their own; others share one

/** A tree in which a hit is a leaf of its own, and a folder without one is a single cold leaf. */
function treeOf(files, folders) {
  const make = (name) => ({ name, children: new Map(), hits: [], own: 0, all: 0 });
  const root = make("");
  const enter = (path, add) => path.reduce((node, part) => {
    if (!node.children.has(part)) node.children.set(part, make(part));
    const child = node.children.get(part);
    child.all += add;
    return child;
  }, root);
  for (const [folder, n] of Object.entries(folders ?? {})) {
    root.all += n;
    enter(folder ? folder.split("/") : [], n).own += n;
  }
  for (const file of files) {
    const parts = file.path.split("/");
    enter(parts.slice(0, -1), 0).hits.push(file);
  }
  const warm = (node) => node.hits.length > 0 || [...node.children.values()].some(warm);
  const cold = (name, path, n) => ({ name, path, cold: n, value: Math.sqrt(n) });
  const plain = (node, path) => {
    const here = node.hits.map((file) => ({ name: file.path.split("/").at(-1), path: file.path, file }));
    const inside = [...node.children.values()].map((child) => [child, path ? `${path}/${child.name}` : child.name]);
    for (const [child, where] of inside.filter(([child]) => warm(child))) here.push(plain(child, where));
    const rest = inside.filter(([child]) => !warm(child)).sort((x, y) => y[0].all - x[0].all);
    for (const [child, where] of rest.slice(0, MOST_COLD)) here.push(cold(child.name, where, child.all));
    const others = rest.slice(MOST_COLD).reduce((sum, [child]) => sum + child.all, 0) + Math.max(0, node.own - node.hits.length);
    if (others > 0) here.push(cold("", path, others));
    return { name: node.name, path, children: here };
  };
  return plain(root, "");
}

export function Heat({ files, all, onOpen }) {
  const box = useRef(null);
  const [width, setWidth] = useState(900);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(280, entry.contentRect.width)));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const height = width < 560 ? 220 : 260;
  const { cells, groups } = useMemo(() => {
    const scores = files.map((file) => file.score).filter(Number.isFinite);
    const high = Math.max(...scores), low = Math.min(...scores);
    const heat = (file) => (high === low || !Number.isFinite(file.score) ? 0 : (file.score - low) / (high - low));
    const root = hierarchy(treeOf(files, all)).sum((node) => (node.file ? 6 + 8 * heat(node.file) : node.value ?? 0))
      .sort((a, b) => b.value - a.value || (a.data.path < b.data.path ? -1 : 1));
    treemap().tile(treemapSquarify).size([width, height]).paddingOuter(2)
      .paddingTop((node) => (node.depth ? 15 : 2)).paddingInner(1).round(true)(root);
    return {
      cells: root.leaves().filter((node) => node.data.file || node.data.cold)
        .map((node) => ({ ...node.data, box: node, heat: node.data.file ? heat(node.data.file) : 0 })),
      groups: root.descendants().filter((node) => node.children && node.depth && node.x1 - node.x0 > 30 && node.y1 - node.y0 > 15),
    };
  }, [files, all, width]);
  const fits = (text, space) => text.slice(0, Math.max(0, Math.floor(space / 6.4)));
  return html`<figure class="heat" ref=${box}>
    <svg viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="group"
        aria-label="Where in the tree the files lie; the list below says the same">
      ${groups.map((node) => html`<g key=${node.data.path}>
        <rect class="folder" x=${node.x0} y=${node.y0} width=${node.x1 - node.x0} height=${node.y1 - node.y0} />
        <text class="folder-name" x=${node.x0 + 4} y=${node.y0 + 11}>${fits(node.data.name, node.x1 - node.x0 - 6)}</text></g>`)}
      ${cells.map((cell) => {
        const { x0, x1, y0, y1 } = cell.box;
        const place = { x: x0, y: y0, width: Math.max(1, x1 - x0), height: Math.max(1, y1 - y0) };
        if (!cell.file) return html`<g><rect class="cold" ...${place} /><title>${cell.path || "top"}: ${count(cell.cold, "file")}, none found</title>
          ${cell.name && place.height > 13 && place.width > 30 ? html`<text class="folder-name" x=${x0 + 3} y=${y0 + 11}>${fits(cell.name, place.width - 5)}</text>` : null}</g>`;
        const { file } = cell;
        const open = () => onOpen(file.path, file.start, file.end);
        return html`<g class=${`warm ${file.core ? "core" : ""}`} tabindex="0" role="button" aria-label=${`${file.path}, score ${file.score.toFixed(2)}`}
            onClick=${open} onKeyDown=${(event) => event.key === "Enter" && open()}>
          <rect ...${place} fill-opacity=${(0.25 + 0.75 * cell.heat).toFixed(2)} />
          <title>${file.path} ${file.score.toFixed(2)}</title>
          ${place.height > 12 && place.width > 26 ? html`<text x=${x0 + 3} y=${y0 + 11}>${fits(cell.name, place.width - 5)}</text>` : null}
        </g>`;
      })}
    </svg>
  </figure>`;
}
