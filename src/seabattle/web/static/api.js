// Calls to the server. Seat tokens are kept in this browser, so that a reload loses nothing.

import { memory, sleep } from "./dom.js";
import { t } from "./texts.js";

export class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const PATIENCE = 30_000; // milliseconds of asking again while the server is busy with earlier questions

export async function call(method, path, body, token, signal) {
  const response = await ask(method, path, body, token, signal);
  const text = await response.text();
  const value = response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
  if (!response.ok) throw new Refused(value.error ?? t("The server answered {status}.", { status: response.status }), response.status);
  return value;
}

async function ask(method, path, body, token, signal) {
  const began = Date.now();
  for (;;) {
    const response = await request(method, path, body, token, signal);
    const wait = 1000 * response.headers.get("retry-after");
    if (response.status !== 429 || !wait || Date.now() + wait - began > PATIENCE) return response;
    await sleep(wait);
  }
}

async function request(method, path, body, token, signal) {
  try {
    return await fetch(`/api${path}`, {
      method,
      signal,
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Refused(t("The server cannot be reached."), 0);
  }
}

export const post = (path, body, token, signal) => call("POST", path, body, token, signal);
export const get = (path, token) => call("GET", path, undefined, token);

let known;
/** The presets, players and options of the server; asked for once. */
export const about = () => (known ??= get("/about").catch((error) => {
  known = undefined;
  throw error;
}));

export const seats = {
  all: () => memory.get("seats", {}),
  token: (game) => memory.get("seats", {})[game]?.token,
  keep(game, token, details = {}) {
    const all = memory.get("seats", {});
    all[game] = { ...all[game], token, when: Date.now(), ...details };
    const latest = Object.entries(all).sort((a, b) => b[1].when - a[1].when).slice(0, 40);
    memory.set("seats", Object.fromEntries(latest));
  },
  note(game, details) {
    const all = memory.get("seats", {});
    if (!all[game]) return;
    all[game] = { ...all[game], ...details };
    memory.set("seats", all);
  },
  forget(game) {
    const all = memory.get("seats", {});
    delete all[game];
    memory.set("seats", all);
  },
};

/** Follow a game: `seen` gets every view, `connected` whether the stream is open, `gone` the
 * status of a game that cannot be followed. Returns a function that stops it. */
export function follow(game, token, seen, connected, gone) {
  const stop = new AbortController();
  let retryNow;
  const hurry = () => retryNow?.();
  addEventListener("online", hurry);
  document.addEventListener("visibilitychange", hurry);
  (async () => {
    let wait = 250;
    while (!stop.signal.aborted) {
      try {
        const response = await fetch(`/api/games/${game}/events`, {
          headers: token ? { Authorization: `Bearer ${token}` } : {},
          signal: stop.signal,
        });
        if ([403, 404, 409].includes(response.status)) return gone(response.status);
        if (!response.ok) throw new Error("no stream");
        connected(true);
        wait = 250;
        for await (const event of events(response.body)) {
          if (event.name === "gone") return gone(404);
          if (event.name === "game") seen(JSON.parse(event.data));
        }
      } catch {
        // The connection is lost; try again below.
      }
      if (stop.signal.aborted) return;
      connected(false);
      await Promise.race([sleep(wait), new Promise((done) => (retryNow = done))]);
      wait = Math.min(wait * 1.6, 4000);
    }
  })();
  return () => {
    stop.abort();
    removeEventListener("online", hurry);
    document.removeEventListener("visibilitychange", hurry);
  };
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const event = { name: "message", data: "" };
      for (const line of text.slice(0, end).split("\n")) {
        if (line.startsWith("event: ")) event.name = line.slice(7);
        if (line.startsWith("data: ")) event.data += line.slice(6);
      }
      text = text.slice(end + 2);
      if (event.data) yield event;
    }
  }
}
