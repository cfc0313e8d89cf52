// The index: what is in it, what is left out and why, kept answers, and a run that can be watched.
import { count, Fault, html, useLoaded, useState } from "./dom.js";
import { get, stream } from "./api.js";
import { chooseEditor, editor, editors } from "./code.js";

function Counts({ title, counts }) {
  const rows = Object.entries(counts ?? {});
  if (!rows.length) return null;
  const most = Math.max(...rows.map(([, n]) => n));
  return html`<section><h2>${title}</h2><table class="counts"><tbody>
    ${rows.map(([name, n]) => html`<tr><th scope="row">${name}</th><td>${n.toLocaleString("en")}</td>
      <td><meter min="0" max=${most} value=${n} aria-label=${name}>${n}</meter></td></tr>`)}
  </tbody></table></section>`;
}

function Run({ readonly, onDone }) {
  const [now, setNow] = useState(null);
  const [error, setError] = useState(null);
  const start = async () => {
    setError(null);
    setNow({ state: "indexing", stage: "starting" });
    try {
      await stream("index/stream", {}, (event) => {
        setNow(event);
        if (event.type === "error" || event.error) setError(event.error ?? event);
      });
      onDone();
    } catch (failure) {
      setError(failure);
    }
    setNow(null);
  };
  if (readonly) return html`<p class="dim">This server only reads.</p>`;
  return html`<div class="run">
    <button type="button" class="primary" disabled=${now !== null} onClick=${start}>Bring it up to date</button>
    ${now ? html`<label class="progress" role="status">${now.stage ?? now.state}${now.total ? `, ${now.done.toLocaleString("en")} of ${now.total.toLocaleString("en")}` : ""}
      <progress max=${now.total || 1} value=${now.total ? now.done : undefined}></progress></label>` : null}
    <${Fault} error=${error} />
  </div>`;
}

function Skipped() {
  const [word, setWord] = useState("");
  const found = useLoaded((signal) => get("skipped", {}, signal), []);
  const rows = (found.value?.skipped_files ?? []).filter((row) => `${row.path} ${row.reason}`.includes(word));
  return html`<details class="card"><summary>Files left out, with the reason</summary>
    <label class="filter">Only <input type="search" value=${word} placeholder="path or reason" onInput=${(event) => setWord(event.target.value)} /></label>
    <${Fault} error=${found.error} />
    <div class="scroll" tabindex="0" role="region" aria-label="Files left out"><table><thead><tr><th scope="col">Path</th><th scope="col">Reason</th><th scope="col">Rule</th></tr></thead><tbody>
      ${rows.slice(0, 500).map((row) => html`<tr><td>${row.path}</td><td>${row.reason}</td><td class="dim">${row.detail}</td></tr>`)}
    </tbody></table></div>
    ${rows.length > 500 ? html`<p class="dim">${count(rows.length - 500, "more")}: say which</p>` : null}
  </details>`;
}

function Flows() {
  const found = useLoaded((signal) => get("flows", {}, signal), []);
  const flows = found.value?.flows ?? [];
  return html`<section><h2>Kept answers <span class="dim">${flows.length}</span></h2>
    <${Fault} error=${found.error} />
    ${flows.length ? html`<ul class="plain">${flows.map((flow) => html`<li>
      <a href=${`#/ask?q=${encodeURIComponent(flow.question)}`}>${flow.question}</a>
      <span class=${`tag ${flow.holds ? "good" : "warn"}`}>${flow.holds ? "holds" : "what it cites has changed"}</span>
      <span class="dim">${flow.narrator}, used ${count(flow.used, "time")}</span></li>`)}</ul>`
      : html`<p class="dim">None yet: an answer that cites code is kept when it is given.</p>`}
  </section>`;
}

export function StatusView({ config, status, onChanged }) {
  const [chosen, setChosen] = useState(editor());
  return html`<section class="view">
    <h1>${config?.name ?? "Index"}</h1>
    ${status ? html`<p>${count(status.files, "file")}, ${count(status.chunks, "chunk")}, ${count(status.symbols, "symbol")};
      model ${status.model}; last run ${status.state}<br /><span class="dim">generation ${status.generation} of ${status.root}</span></p>` : null}
    <${Run} readonly=${config?.readonly} onDone=${onChanged} />
    ${status ? html`
      ${status.trouble.length ? html`<section><h2>Not read or parsed</h2><ul class="plain">${status.trouble.map((item) => html`<li>${item.path} <span class="dim">${item.reason} ${item.detail}</span></li>`)}</ul></section>` : null}
      ${status.without_grammar.map((item) => html`<p class="fault">${item.language}: ${count(item.files, "file")} cut by lines, ${item.reason}</p>`)}
      <div class="columns">
        <${Counts} title="Languages" counts=${status.languages} /><${Counts} title="Roles" counts=${status.roles} />
        <${Counts} title="Parsing" counts=${status.parse_states} /><${Counts} title="Left out" counts=${status.skipped} />
      </div>
      <${Skipped} />` : null}
    <${Flows} />
    <section><h2>On this page</h2>
      <label>Open code in <select value=${chosen} onChange=${(event) => { chooseEditor(event.target.value); setChosen(event.target.value); }}>
        ${editors.map((name) => html`<option>${name}</option>`)}</select></label>
      <p class="dim">Keys: <kbd>/</kbd> the box, <kbd>j</kbd> <kbd>k</kbd> through results, <kbd>g</kbd> then <kbd>a</kbd> <kbd>s</kbd> <kbd>m</kbd> <kbd>i</kbd> the views, <kbd>Esc</kbd> closes a file.</p>
    </section>
  </section>`;
}
