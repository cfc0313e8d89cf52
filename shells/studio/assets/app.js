// The studio: four views over one index, the address says which, keys go everywhere.
import { Fault, go, hashOf, html, readHash, render, useEffect, useState } from "./dom.js";
import { get, keepToken, takeToken } from "./api.js";
import { FileDrawer } from "./code.js";
import { AskView } from "./ask.js";
import { SearchView } from "./search.js";
import { MapView } from "./map.js";
import { StatusView } from "./status.js";

const VIEWS = [["ask", "Ask", "a"], ["search", "Search", "s"], ["map", "Map", "m"], ["index", "Index", "i"]];
const THEME_KEY = "quarry-theme";
const LOOK_AGAIN = 1000; // ms, while a first index is being made

function setTheme(name) {
  if (name) document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
}

function ThemeButton() {
  const [theme, choose] = useState(localStorage.getItem(THEME_KEY) ?? "");
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const turn = () => {
    const next = dark ? "light" : "dark";
    localStorage.setItem(THEME_KEY, next);
    setTheme(next);
    choose(next);
  };
  return html`<button type="button" class="small theme" onClick=${turn} aria-label=${`Use the ${dark ? "light" : "dark"} theme`}>${dark ? "☀" : "☾"}</button>`;
}

/** Keys: `/` to the box, j and k through results, g and a letter to a view. */
function useKeys() {
  useEffect(() => {
    let lead = -Infinity; // when g was pressed
    const move = (by) => {
      const hits = [...document.querySelectorAll("[data-hit]")];
      if (!hits.length) return;
      const at = hits.indexOf(document.activeElement);
      hits[Math.min(hits.length - 1, Math.max(0, at + by))].focus();
    };
    const press = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest?.("input, textarea, select, dialog")) return;
      if (performance.now() - lead < 1200) {
        const view = VIEWS.find(([, , key]) => key === event.key);
        lead = -Infinity;
        if (view) { event.preventDefault(); go(view[0]); }
        return;
      }
      if (event.key === "g") lead = performance.now();
      else if (event.key === "/") { event.preventDefault(); document.querySelector("[data-focus='/']")?.focus(); }
      else if (event.key === "j") move(1);
      else if (event.key === "k") move(-1);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function TokenForm({ onToken }) {
  const [token, setToken] = useState("");
  return html`<form class="token card" onSubmit=${(event) => { event.preventDefault(); keepToken(token.trim()); onToken(); }}>
    <label>This server wants its token <input type="password" autocomplete="off" value=${token} onInput=${(event) => setToken(event.target.value)} /></label>
    <button type="submit" class="primary">Go on</button>
  </form>`;
}

/** What every view needs to know of the server and its index; asked again while it is not ready. */
function useServer() {
  const [server, setServer] = useState({ config: null, status: null, error: null });
  const [turn, again] = useState(0);
  useEffect(() => {
    let timer = 0;
    let gone = false;
    const load = async () => {
      let config = null;
      try {
        config = await get("config");
        const status = await get("status");
        if (!gone) setServer({ config, status, error: null });
      } catch (error) {
        if (gone) return;
        setServer((old) => ({ config: config ?? old.config, status: null, error }));
        if (error.status === 503) timer = setTimeout(load, LOOK_AGAIN);
      }
    };
    load();
    return () => { gone = true; clearTimeout(timer); };
  }, [turn]);
  return [server, () => again((n) => n + 1)];
}

function App() {
  const [place, setPlace] = useState(readHash());
  const [open, setOpen] = useState(null);
  const [server, reload] = useServer();
  useKeys();
  useEffect(() => {
    const follow = () => setPlace(readHash());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const view = VIEWS.some(([name]) => name === place.view) ? place.view : "ask";
  useEffect(() => {
    document.title = `${VIEWS.find(([name]) => name === view)[1]} · ${server.config?.name ?? "quarry"}`;
  }, [view, server.config]);
  const { config, status, error } = server;
  const shared = {
    parameters: place.parameters, config, status, root: status?.root ?? "",
    onOpen: (path, from, to) => setOpen({ path, from, to }),
  };
  const inner = error?.status === 401 ? html`<${TokenForm} onToken=${reload} />`
    : error?.status === 503 ? html`<div class="wait" role="status"><h1>${config?.name ?? "This repository"} is being indexed</h1>
        <p>${error.message}</p><progress max=${error.details?.total || 1} value=${error.details?.total ? error.details.done : undefined} aria-label="Indexing"></progress></div>`
    : view === "search" ? html`<${SearchView} ...${shared} />`
    : view === "map" ? html`<${MapView} ...${shared} />`
    : view === "index" ? html`<${StatusView} ...${shared} onChanged=${reload} />`
    : html`<${AskView} ...${shared} />`;
  return html`
    <header class="top">
      <a class="brand" href="#/ask"><img src="icon.svg" alt="" width="22" height="22" /> ${config?.name ?? "quarry"}</a>
      <nav aria-label="Views">${VIEWS.map(([name, title]) => html`<a href=${hashOf(name)} aria-current=${view === name ? "page" : undefined}>${title}</a>`)}</nav>
      <span class="push"></span><${ThemeButton} />
    </header>
    <main id="main" tabindex="-1">
      ${error && ![401, 503].includes(error.status) ? html`<${Fault} error=${error} />` : null}
      ${inner}
    </main>
    ${open ? html`<${FileDrawer} key=${open.path} root=${shared.root} place=${open} onClose=${() => setOpen(null)} />` : null}`;
}

takeToken();
setTheme(localStorage.getItem(THEME_KEY) ?? "");
const app = document.getElementById("app");
app.replaceChildren();
render(html`<${App} />`, app);
