// What the server compiles for its first use, and how far that is.

import { get } from "./api.js";
import { say, sleep } from "./dom.js";
import { listed, t, tn } from "./texts.js";

let steps = [];
let following = false;

/** Whether a player, or "heat maps", is not ready yet. */
export const isBeingPrepared = (what) => steps.some((step) => step.what === what && step.state !== "done");

/** Show at the bottom of the page what is being prepared, until everything is ready. */
export async function followPreparation() {
  if (following) return;
  following = true;
  const place = document.getElementById("preparing");
  try {
    do {
      ({ steps } = await get("/preparation"));
      say(place, words());
      await sleep(700);
    } while (steps.some(({ state }) => state !== "done"));
    ({ steps } = await get("/preparation"));
  } catch {
    // The page says elsewhere that the server cannot be reached.
  } finally {
    say(place, "");
    following = false;
  }
}

function words() {
  // What is loaded from the cache is ready in a moment, and not worth a word.
  const long = steps.filter(({ state, compiled }) => state === "waiting" || compiled > 0);
  const now = long.filter(({ state, compiled }) => state === "running" && compiled > 0);
  if (!now.length) return "";
  const done = long.filter(({ state }) => state === "done").length;
  const compiled = now.reduce((sum, step) => sum + step.compiled, 0);
  return t("Preparing the engine for its first use: {done} of {all} parts ready. Now {what}, {functions} compiled.", { done, all: long.length, what: listed(now.map(({ what }) => (what === "heat maps" ? t("heat maps") : what))), functions: tn(compiled, "{n} function", "{n} functions") });
}
