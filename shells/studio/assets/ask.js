// Ask: the answer as it is made, agents at work, and every block of code from disk.
import { count, Fault, go, html, useEffect, useLoaded, useRef, useState } from "./dom.js";
import { get, stream } from "./api.js";
import { CodeCard } from "./code.js";
import { Prose } from "./prose.js";

const MOST_CHIPS = 8;
const BLANK = { question: "", steps: [], agents: [], parts: [], done: null, error: null, at: 0 };

/** The state of an answer after one more event. */
export function told(state, event) {
  const step = (text) => ({ ...state, steps: [...state.steps, text] });
  const agent = (name, change) => ({
    ...state,
    agents: state.agents.map((one) => (one.name === name ? { ...one, ...change(one) } : one)),
  });
  switch (event.type) {
    case "retrieval":
      return step(`${count(event.candidates.length, "candidate")}, evidence ${event.evidence}, ${event.elapsed_ms.toFixed(0)} ms`);
    case "cached":
      return step(`kept answer to “${event.question}”`);
    case "classified":
      return step(event.broad ? `broad question: ${event.reasons.join(", ")}` : "one reader");
    case "planning":
      return step("splitting the question");
    case "plan":
      return {
        ...state,
        agents: event.groups.map((group) => ({
          name: group.agent, question: group.question, text: "", tools: [], state: "waiting",
          candidates: group.numbers.length,
        })),
      };
    case "agent_start":
      return agent(event.agent, () => ({ state: "reading" }));
    case "agent_delta":
      return agent(event.agent, (one) => ({ text: one.text + event.text }));
    case "agent_tool":
      return agent(event.agent, (one) => ({ tools: [...one.tools, `${event.tool} ${event.argument} → ${event.found}`] }));
    case "agent_done":
      return agent(event.agent, () => ({ state: `done in ${(event.elapsed_ms / 1000).toFixed(1)} s` }));
    case "agent_error":
      return agent(event.agent, () => ({ state: `failed: ${event.message}`, failed: true }));
    case "synthesis_start":
      return step(`written by ${event.narrator}`);
    case "synthesis_delta":
    case "bundle": {
      const last = state.parts.at(-1);
      if (last?.prose === undefined) return { ...state, parts: [...state.parts, { prose: event.text }] };
      return { ...state, parts: [...state.parts.slice(0, -1), { prose: last.prose + event.text }] };
    }
    case "splice":
      return { ...state, parts: [...state.parts, { splice: event }] };
    case "error":
      return { ...state, error: { message: event.message, hint: event.hint } };
    case "done":
      return { ...state, done: event.answer };
    default:
      return state;
  }
}

function Agents({ agents }) {
  if (!agents.length) return null;
  return html`<section class="agents" aria-label="Readers">
    ${agents.map((one) => html`<article class=${`card agent ${one.failed ? "failed" : ""}`} key=${one.name}>
      <header><strong>${one.name}</strong> <span class="dim">${one.state}</span></header>
      <p>${one.question}</p>
      ${one.tools.length ? html`<ul class="tools">${one.tools.map((tool) => html`<li>${tool}</li>`)}</ul>` : null}
      ${one.text ? html`<p class="draft">${one.text.slice(-400)}</p>` : null}
    </article>`)}
  </section>`;
}

function Answer({ state, root, onOpen }) {
  let number = 0;
  return html`<article class="answer" aria-live="polite" aria-busy=${!state.done}>
    ${state.parts.map((part) => part.splice
      ? html`<${CodeCard} root=${root} path=${part.splice.path} start=${part.splice.start_line}
          end=${part.splice.end_line} text=${part.splice.code} language=${part.splice.language}
          state=${part.splice.state} onOpen=${onOpen} number=${++number} />`
      : html`<${Prose} text=${part.prose} />`)}
  </article>`;
}

function Uncited({ spans, onOpen }) {
  if (!spans?.length) return null;
  return html`<details class="card"><summary>${count(spans.length, "candidate")} found and not cited</summary>
    <ul class="plain">${spans.map((span) => html`<li>
      <button type="button" class="path" onClick=${() => onOpen(span.path, span.start_line, span.end_line)}>
        ${span.path}<span class="dim">:${span.start_line}-${span.end_line}</span></button></li>`)}
    </ul></details>`;
}

function Chips({ onAsk }) {
  const flows = useLoaded((signal) => get("flows", {}, signal), []);
  const kept = (flows.value?.flows ?? []).filter((flow) => flow.holds);
  const others = (flows.value?.suggestions ?? []).filter((one) => !kept.some((flow) => flow.question === one));
  const chips = [
    ...kept.map((flow) => ({ question: flow.question, kept: true })),
    ...others.map((question) => ({ question, kept: false })),
  ].slice(0, MOST_CHIPS);
  if (!chips.length) return null;
  return html`<section class="chips" aria-label="Questions to start with">
    ${chips.map((chip) => html`<button type="button" class="chip" onClick=${() => onAsk(chip.question)}>
      ${chip.question}${chip.kept ? html` <span class="tag good">kept, at once</span>` : null}
    </button>`)}
  </section>`;
}

export function AskView({ parameters, config, root, onOpen }) {
  const [question, setQuestion] = useState(parameters.q ?? "");
  const [docs, setDocs] = useState(false);
  const [agents, setAgents] = useState("");
  const [fresh, setFresh] = useState(false);
  const [state, setState] = useState(BLANK);
  const [busy, setBusy] = useState(false);
  const running = useRef(null);
  const asked = useRef("");

  const ask = async (text) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setState({ ...BLANK, question: text });
    setBusy(true);
    const body = { question: text };
    if (docs) body.docs = true;
    if (agents) body.agents = agents === "yes";
    if (fresh) body.cache = false;
    try {
      await stream("ask/stream", body, (event) => {
        if (running.current === abort) setState((old) => told(old, event));
      }, abort.signal);
    } catch (error) {
      if (error.name !== "AbortError" && running.current === abort) setState((old) => ({ ...old, error }));
    }
    if (running.current === abort) setBusy(false);
  };
  const start = (text) => {
    const trimmed = text.trim();
    if (!trimmed) return;
    setQuestion(trimmed);
    asked.current = trimmed;
    if (parameters.q !== trimmed) go("ask", { q: trimmed });
    ask(trimmed);
  };
  useEffect(() => {
    if (parameters.q && parameters.q !== asked.current) start(parameters.q);
  }, [parameters.q]);
  useEffect(() => () => running.current?.abort(), []);

  const answer = state.done;
  return html`<section class="view">
    <form class="ask" role="search" onSubmit=${(event) => { event.preventDefault(); start(question); }}>
      <label class="visually-hidden" for="question">Question</label>
      <input id="question" data-focus="/" type="search" autocomplete="off" value=${question} autofocus
        placeholder="How does login work?" onInput=${(event) => setQuestion(event.target.value)} />
      ${busy
        ? html`<button type="button" onClick=${() => { running.current.abort(); setBusy(false); }}>Stop</button>`
        : html`<button type="submit" class="primary">Ask</button>`}
      <fieldset class="options">
        <legend class="visually-hidden">How to answer</legend>
        <label><input type="checkbox" checked=${docs} onChange=${(e) => setDocs(e.target.checked)} /> from the documentation</label>
        <label><input type="checkbox" checked=${fresh} onChange=${(e) => setFresh(e.target.checked)} /> not a kept answer</label>
        ${config?.narrator === "openai" ? html`<label>readers
          <select value=${agents} onChange=${(e) => setAgents(e.target.value)}>
            <option value="">as needed</option><option value="yes">several</option><option value="no">one</option>
          </select></label>` : null}
      </fieldset>
    </form>
    ${state.question ? null : html`<${Chips} onAsk=${start} />`}
    ${state.steps.length ? html`<ol class="trail" aria-label="What was done">${state.steps.map((step) => html`<li>${step}</li>`)}</ol>` : null}
    <${Fault} error=${state.error} />
    <${Agents} agents=${state.agents} />
    <${Answer} state=${state} root=${root} onOpen=${onOpen} />
    ${busy && !state.parts.length ? html`<p class="empty" role="status">Reading …</p>` : null}
    ${answer ? html`<p class="dim foot">
        ${count(answer.spans.length, "block")} read from disk${answer.cached ? ", a kept answer whose lines still stand" : ""}${answer.void_citations ? `, ${count(answer.void_citations, "citation")} of the model pointed at nothing and were dropped` : ""}; ${answer.elapsed_ms.toFixed(0)} ms
      </p><${Uncited} spans=${answer.uncited} onOpen=${onOpen} />` : null}
  </section>`;
}
