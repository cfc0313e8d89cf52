// Code as it is on disk: highlighted, with its line numbers, to copy and to open in an editor.
import { hljs } from "./vendor.js";
import { count, Fault, html, useEffect, useLoaded, useRef, useState } from "./dom.js";
import { get } from "./api.js";

const MOST_HIGHLIGHTED = 200_000; // characters; more would stop the page
const ALIASES = {
  tsx: "typescript", jsx: "javascript", html: "xml", vue: "xml", svelte: "xml", astro: "xml",
  toml: "ini", "c++": "cpp", objc: "objectivec", proto: "protobuf", make: "makefile", zsh: "bash",
  shell: "bash", fish: "bash", groovy: "java", jsonc: "json", json5: "json", rst: "markdown",
};
const EDITORS = {
  "VS Code": (path, line) => `vscode://file/${path}:${line}`,
  Cursor: (path, line) => `cursor://file/${path}:${line}`,
  Zed: (path, line) => `zed://file/${path}:${line}`,
  IntelliJ: (path, line) => `idea://open?file=${encodeURIComponent(path)}&line=${line}`,
};
const EDITOR_KEY = "quarry-editor";

export const editors = Object.keys(EDITORS);
export const editor = () => localStorage.getItem(EDITOR_KEY) ?? editors[0];
export const chooseEditor = (name) => localStorage.setItem(EDITOR_KEY, name);

/** The link that opens a line of the repository in the chosen editor. */
export function editorLink(root, path, line) {
  const full = `${root.replaceAll("\\", "/").replace(/\/$/, "")}/${path}`;
  const escaped = full.split("/").map(encodeURIComponent).join("/").replace(/^([A-Za-z])%3A/, "$1:");
  return (EDITORS[editor()] ?? EDITORS[editors[0]])(escaped.replace(/^\//, ""), line);
}

function highlighted(text, language) {
  const name = ALIASES[language] ?? language;
  if (!hljs.getLanguage(name) || text.length > MOST_HIGHLIGHTED) return null;
  return hljs.highlight(text, { language: name, ignoreIllegals: true }).value;
}

/** Lines of code with their numbers; `from` to `to` are marked. */
export function Lines({ text, language, start, from = 0, to = 0 }) {
  const lines = text.replace(/\n$/, "").split("\n");
  const marked = html`<div class="marked" aria-hidden="true"></div>`;
  const markup = highlighted(lines.join("\n"), language);
  const box = useRef(null);
  useEffect(() => {
    const mark = box.current?.querySelector(".marked");
    if (!mark || !from) return;
    mark.style.top = `calc(${from - start} * 1lh + 0.6rem)`;
    mark.style.height = `calc(${to - from + 1} * 1lh)`;
    box.current.scrollTop = Math.max(0, mark.offsetTop - 60);
  }, [text, from, to]);
  const label = `lines ${start} to ${start + lines.length - 1}`;
  return html`<div class="lines" ref=${box} tabindex="0" role="region" aria-label=${label}>
    ${from ? marked : null}
    <pre class="numbers" aria-hidden="true">${lines.map((_, i) => start + i).join("\n")}</pre>
    <pre class="code">${markup === null
      ? html`<code>${lines.join("\n")}</code>`
      : html`<code dangerouslySetInnerHTML=${{ __html: markup }}></code>`}</pre>
  </div>`;
}

function CopyButton({ text }) {
  const [said, setSaid] = useState("Copy");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("Not allowed");
    }
    setTimeout(() => setSaid("Copy"), 1500);
  };
  return html`<button type="button" class="small" onClick=${copy} aria-live="polite">${said}</button>`;
}

/** A block of code with its place, a copy button and a link into the editor. */
export function CodeCard({ root, path, start, end, text, language, state = "indexed", onOpen, number }) {
  return html`<figure class="card code-card" data-path=${path}>
    <figcaption>
      ${number ? html`<span class="number">${number}</span>` : null}
      <button type="button" class="path" onClick=${() => onOpen(path, start, end)}>
        ${path}<span class="dim">:${start}-${end}</span>
      </button>
      ${state === "indexed" ? null : html`<span class="tag warn">${state === "moved" ? "moved since indexed" : "changed since indexed"}</span>`}
      <span class="push"></span>
      <${CopyButton} text=${text} />
      ${root ? html`<a class="small button" href=${editorLink(root, path, start)}>Open</a>` : null}
    </figcaption>
    <${Lines} text=${text} language=${language} start=${start} />
  </figure>`;
}

/** A file from the index in a drawer, at some lines; Escape closes it. */
export function FileDrawer({ root, place, onClose }) {
  const { path, from, to } = place;
  const box = useRef(null);
  const file = useLoaded(
    async (signal) => {
      const [code, cut] = await Promise.all([
        get("get", { path }, signal), get("chunks", { path }, signal),
      ]);
      return { code, cut };
    },
    [path],
  );
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.focus?.();
  }, []);
  const shown = file.value;
  return html`<dialog class="drawer" ref=${box} onClose=${onClose} aria-label=${path}
      onClick=${(event) => event.target === box.current && box.current.close()}>
    <header>
      <h2>${path}</h2>
      ${shown ? html`<span class="dim">${shown.cut.language}, ${count(shown.cut.line_count, "line")}</span>` : null}
      ${shown?.code.changed ? html`<span class="tag warn">changed since indexed</span>` : null}
      <span class="push"></span>
      ${root ? html`<a class="small button" href=${editorLink(root, path, from || 1)}>Open in ${editor()}</a>` : null}
      <a class="small button" href=${`#/map?node=${encodeURIComponent(path)}`} onClick=${() => box.current.close()}>In the map</a>
      <button type="button" class="small" onClick=${() => box.current.close()}>Close</button>
    </header>
    <${Fault} error=${file.error} />
    ${shown ? html`<${Lines} text=${shown.code.text} language=${shown.cut.language}
        start=${shown.code.start_line} from=${from} to=${to} />` : null}
  </dialog>`;
}
