// Preact and htm, bound once; small pieces that every view uses.
import { h, htm, useEffect, useRef, useState } from "./vendor.js";

export { Fragment, render, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor.js";
export const html = htm.bind(h);

export const count = (n, one, many = `${one}s`) => `${Number(n).toLocaleString("en")} ${n === 1 ? one : many}`;

/** An error as every view shows it: what happened, and what to do about it. */
export function Fault({ error }) {
  if (!error) return null;
  return html`<div class="fault" role="alert">
    <strong>${error.message}</strong>${error.hint ? html`<span>${error.hint}</span>` : null}
  </div>`;
}

/** Load what an async function gives, again when `keys` change; older answers are dropped. */
export function useLoaded(load, keys) {
  const [state, setState] = useState({ value: null, error: null, loading: true });
  const latest = useRef(0);
  useEffect(() => {
    const turn = ++latest.current;
    const abort = new AbortController();
    setState((old) => ({ ...old, loading: true }));
    load(abort.signal).then(
      (value) => turn === latest.current && setState({ value, error: null, loading: false }),
      (error) => turn === latest.current && error.name !== "AbortError"
        && setState({ value: null, error, loading: false }),
    );
    return () => abort.abort();
  }, keys);
  return state;
}

/** What a link in the address bar after `#` names: a view and its parameters. */
export function readHash() {
  const [view, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { view, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

export function hashOf(view, parameters = {}) {
  const kept = Object.entries(parameters).filter(([, value]) => value !== "" && value != null);
  const query = new URLSearchParams(kept).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

export const go = (view, parameters) => { location.hash = hashOf(view, parameters); };
