// The HTTP API from the page's side: the token, errors with hints, and streams of events.

const KEY = "quarry-token";

/** An error as the API tells it. */
export class ApiError extends Error {
  constructor(status, { message, hint = "", code = "", details = null }) {
    super(message);
    Object.assign(this, { status, hint, code, details });
  }
}

/** A token in the address (`#token=…`) is kept for this tab and taken out of the address. */
export function takeToken() {
  const found = location.hash.match(/[#&?]token=([^&]+)/);
  if (!found) return;
  sessionStorage.setItem(KEY, decodeURIComponent(found[1]));
  history.replaceState(null, "", location.pathname);
}

export function keepToken(token) {
  sessionStorage.setItem(KEY, token);
}

function headers(more = {}) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

async function failure(response) {
  let error = null;
  try {
    error = (await response.json()).error;
  } catch { /* not ours: a proxy's page, say */ }
  return new ApiError(response.status, error ?? { message: `the server answered ${response.status}` });
}

async function send(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { message: "the server does not answer", hint: "is quarry serve still running?" });
  }
  if (!response.ok) throw await failure(response);
  return response;
}

export async function get(path, parameters = {}, signal = undefined) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== "" && one != null && one !== false) query.append(name, one);
    }
  }
  const text = query.toString();
  return (await send(text ? `${path}?${text}` : path, { headers: headers(), signal })).json();
}

/** POST and read the events of the answer, one call of `onEvent` each. */
export async function stream(path, body, onEvent, signal) {
  const response = await send(path, {
    method: "POST",
    headers: headers({ "Content-Type": "application/json", Accept: "text/event-stream" }),
    body: JSON.stringify(body),
    signal,
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.split(/\r?\n/).filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart()).join("\n");
      if (data) onEvent(JSON.parse(data));
    }
  }
}
