// The heat of an answer over the tree: folders as nested boxes, warm where files were found.
import { hierarchy, treemap, treemapSquarify } from "./vendor.js";
import { html, useEffect, useMemo, useRef, useState } from "./dom.js";

const DEPTH = 3; // folders deeper than this are part of the one above, unless a hit lies there

/** A tree of folders; a hit is a leaf of its own, what else a folder holds is one cold leaf. */
function treeOf(files, folders) {
  const root = { name: "", children: new Map(), cold: 0 };
  const enter = (parts) => parts.reduce((node, part) => {
    if (!node.children.has(part)) node.children.set(part, { name: part, children: new Map(), cold: 0 });
    return node.children.get(part);
  }, root);
  for (const [folder, n] of Object.entries(folders ?? {})) {
    enter(folder ? folder.split("/").slice(0, DEPTH) : []).cold += n;
  }
  for (const file of files) {
    const parts = file.path.split("/");
    const node = enter(parts.slice(0, -1));
    node.children.set(`${parts.at(-1)}\0`, { name: parts.at(-1), file });
    node.cold = Math.max(0, node.cold - 1);
  }
  const plain = (node, path) => {
    if (node.file) return { ...node, path: node.file.path, value: 1 };
    const here = [...node.children.entries()].map(([key, child]) =>
      plain(child, child.file ? "" : path ? `${path}/${key}` : key));
    if (node.cold) here.push({ name: "", path, value: Math.sqrt(node.cold), cold: node.cold });
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
    const root = hierarchy(treeOf(files, all)).sum((node) => (node.file ? 1.6 : node.value && !node.children ? node.value : 0))
      .sort((a, b) => b.value - a.value || (a.data.path < b.data.path ? -1 : 1));
    treemap().tile(treemapSquarify).size([width, height]).paddingOuter(2)
      .paddingTop((node) => (node.depth ? 15 : 2)).paddingInner(1).round(true)(root);
    const heat = (file) => (high === low ? 1 : (file.score - low) / (high - low));
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
        if (!cell.file) return html`<rect class="cold" ...${place}><title>${cell.path || "top"}: ${cell.cold} other files</title></rect>`;
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
