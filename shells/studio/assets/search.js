// Search: the bundle as a ranked list, as signal and noise, and as heat over the tree.
import { count, Fault, go, html, useEffect, useLoaded, useMemo, useState } from "./dom.js";
import { get } from "./api.js";
import { Heat } from "./heat.js";

const FIELDS = ["lang", "role", "in", "glob", "content"];

function why(marks) {
  return marks.filter((mark) => mark !== "score").join(", ");
}

/** Every file of the answer by its score: CORE stands apart from the rest, or it does not. */
function Strip({ files, onOpen }) {
  const scores = files.map((file) => file.score).filter(Number.isFinite);
  if (scores.length < 2) return null;
  const high = Math.max(...scores);
  const low = Math.min(...scores);
  const x = (score) => (high === low ? 50 : 3 + (94 * (score - low)) / (high - low));
  return html`<figure class="strip">
    <svg viewBox="0 0 100 12" preserveAspectRatio="none" role="img"
        aria-label=${`Scores of ${files.length} files, ${files.filter((f) => f.core).length} of them core`}>
      <line x1="0" x2="100" y1="6" y2="6" class="axis" />
      ${files.map((file) => html`<rect x=${x(file.score) - 0.4} y=${file.core ? 1 : 3} width="0.8"
          height=${file.core ? 10 : 6} class=${file.core ? "core" : "related"}
          onClick=${() => onOpen(file.path, file.start, file.end)}><title>${file.path} ${file.score.toFixed(2)}</title></rect>`)}
    </svg>
    <figcaption><span>noise</span><span>signal</span></figcaption>
  </figure>`;
}

function Why({ shares }) {
  const rows = Object.entries(shares).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, 10);
  return html`<details class="why"><summary>Why here</summary><table><tbody>
    ${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value.toFixed(2)}</td>
      <td><meter min="0" max="6" value=${Math.abs(value)}>${value.toFixed(2)}</meter></td></tr>`)}
  </tbody></table></details>`;
}

function Hit({ file, shares, onOpen }) {
  const marks = why(file.why);
  return html`<li class=${`hit ${file.core ? "core" : ""}`}>
    <button type="button" class="path" data-hit onClick=${() => onOpen(file.path, file.start, file.end)}>
      ${file.path}<span class="dim">:${file.start}-${file.end}</span></button>
    <span class="score" title="score">${file.score.toFixed(2)}</span>
    ${marks ? html`<span class="tag">${marks}</span>` : null}
    ${file.changed ? html`<span class="tag warn">changed since indexed</span>` : null}
    ${file.doc ? html`<p class="doc">${file.doc}</p>` : null}
    ${file.names ? html`<p class="names">${file.names}</p>` : null}
    ${shares ? html`<${Why} shares=${shares} />` : null}
  </li>`;
}

/** Both tiers in one form. */
function filesOf(answer) {
  const core = answer.core.map((file) => ({
    ...file, core: true, start: file.chunks[0]?.start_line ?? 1, end: file.chunks[0]?.end_line ?? 1,
    names: file.chunks.map((chunk) => chunk.name).filter(Boolean).join(", "),
  }));
  const related = answer.related.map((file) => ({
    ...file, core: false, start: file.best_span[0], end: file.best_span[1], names: file.symbols.join(", "),
  }));
  return [...core, ...related];
}

export function SearchView({ parameters, status, onOpen }) {
  const [query, setQuery] = useState(parameters.q ?? "");
  const [signal, setSignal] = useState(false);
  useEffect(() => setQuery(parameters.q ?? ""), [parameters.q]);
  const found = useLoaded(
    (abort) => (parameters.q
      ? get("search", { ...Object.fromEntries(FIELDS.map((name) => [name, parameters[name]])), q: parameters.q, explain: true }, abort)
      : Promise.resolve(null)),
    [parameters.q, ...FIELDS.map((name) => parameters[name])],
  );
  const answer = found.value;
  const files = useMemo(() => (answer ? filesOf(answer) : []), [answer]);
  const shown = signal ? files.filter((file) => file.core) : files;
  const submit = (event) => {
    event.preventDefault();
    go("search", { ...parameters, q: query.trim() });
  };
  const filter = (name) => (event) => go("search", { ...parameters, [name]: event.target.value });
  const tiers = [["Core", shown.filter((file) => file.core)], ["Related", shown.filter((file) => !file.core)]];
  return html`<section class="view">
    <form class="ask" role="search" onSubmit=${submit}>
      <label class="visually-hidden" for="query">Search</label>
      <input id="query" data-focus="/" type="search" autocomplete="off" value=${query} autofocus
        placeholder="session cookie, retry after timeout, a pasted issue …" onInput=${(event) => setQuery(event.target.value)} />
      <button type="submit" class="primary">Search</button>
      <fieldset class="options">
        <legend class="visually-hidden">Filters</legend>
        <label>language <select value=${parameters.lang ?? ""} onChange=${filter("lang")}>
          <option value="">any</option>
          ${Object.keys(status?.languages ?? {}).map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
        <label>role <select value=${parameters.role ?? ""} onChange=${filter("role")}>
          <option value="">any</option>
          ${Object.keys(status?.roles ?? {}).map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
        <label>from <select value=${parameters.content ?? "code"} onChange=${filter("content")}>
          <option value="code">code</option><option value="docs">documentation</option><option value="all">all</option></select></label>
        <label>below <input type="text" size="14" value=${parameters.in ?? ""} placeholder="folder" onChange=${filter("in")} /></label>
        <label><input type="checkbox" checked=${signal} onChange=${(event) => setSignal(event.target.checked)} /> signal only</label>
      </fieldset>
    </form>
    <${Fault} error=${found.error} />
    ${!parameters.q ? html`<p class="empty">Words, a question or a whole pasted issue: every file that bears on it comes back, ranked.</p>` : null}
    ${answer ? html`
      <p class="dim" role="status">${answer.core.length} core, ${answer.related.length} related; evidence ${answer.evidence}; ${answer.elapsed_ms.toFixed(1)} ms
        ${answer.notes.map((note) => html`<br />${note}`)}</p>
      ${files.length ? html`<${Heat} files=${files} all=${status?.folders} onOpen=${onOpen} />
        <${Strip} files=${files} onOpen=${onOpen} />` : html`<p class="empty">Nothing was found.</p>`}
      ${tiers.map(([title, some]) => some.length ? html`<h2>${title} <span class="dim">${count(some.length, "file")}</span></h2>
        <ol class="hits">${some.map((file) => html`<${Hit} key=${file.path} file=${file} shares=${answer.explain?.[file.path]} onOpen=${onOpen} />`)}</ol>` : null)}
    ` : null}
  </section>`;
}
