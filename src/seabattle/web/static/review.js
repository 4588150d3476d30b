// Reviews: how good and how lucky the shots of a finished game were. The server computes them; this
// page shows them.

import { Refused } from "./api.js";
import { h, percent } from "./dom.js";
import { hitCount } from "./notation.js";
import { t } from "./texts.js";

export const signed = (value, digits = 1) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;

const JUDGEMENTS = { best: t("best"), good: t("good"), inaccuracy: t("inaccuracy"), mistake: t("mistake"), blunder: t("blunder"), wasted: t("wasted move") };
export const judgement = (shot) => JUDGEMENTS[shot.judgement] ?? shot.judgement;

/** Review a record: `shown(shot)` gets every shot as it is computed. Returns the review of the whole
 * game; null if `signal` stopped it. */
export async function review(record, shown, signal) {
  let response;
  try {
    response = await fetch("/api/review", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ record }), signal });
  } catch {
    if (signal?.aborted) return null;
    throw new Refused(t("The server cannot be reached."), 0);
  }
  if (!response.ok) throw new Refused((await response.json()).error, response.status);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      let end;
      while ((end = text.indexOf("\n")) >= 0) {
        const line = JSON.parse(text.slice(0, end));
        text = text.slice(end + 1);
        if (line.error) throw new Refused(line.error, 503);
        if (line.review) return line.review;
        shown(line.shot);
      }
    }
  } catch (error) {
    if (signal?.aborted) return null;
    throw error;
  }
  throw new Refused(t("The review ended early; try again."), 0);
}

/** A shot and what was better, as a link to its place in the replay. */
export function costlyShot(shot, href) {
  const words = t("{cell}, {chance} to hit; {best} had {bestChance}", { cell: shot.cell, chance: percent(shot.chance), best: shot.best_cell, bestChance: percent(shot.best_chance) });
  return h("li", {}, h("a", { href }, t("Move {number}", { number: shot.number })), `: ${words} `, h("span", { class: `tag ${shot.judgement}` }, judgement(shot)));
}

/** The figures of a side: shots, hits, luck, accuracy. */
export function figures(side) {
  const figure = (name, value, small) => h("div", {}, h("dt", {}, name), h("dd", {}, value, h("small", {}, small)));
  return h(
    "dl",
    { class: "figures" },
    figure(t("Accuracy"), side.accuracy === null ? "–" : `${side.accuracy.toFixed(0)}%`, side.exact ? t("of the best hit chance") : t("estimated by sampling")),
    figure(t("Shots"), String(side.shots), hitCount(side.hits) + (side.wasted ? `, ${t("{n} wasted", { n: side.wasted })}` : "")),
    figure(t("Luck"), signed(side.luck), t("hits more than expected")),
    figure(t("Given away"), side.given_away.toFixed(1), t("hits, by not choosing the best cell")),
  );
}

/** The end card of one side: its figures, and the costliest shots with what was better. `link(number)`
 * is the address of a move. */
export function endCard(title, side, shots, link) {
  const costliest = side.costliest.map((number) => shots.find((shot) => shot.number === number));
  return h("section", { class: "card end-card" }, h("h2", {}, title), figures(side), costliest.length ? [h("h3", {}, t("Costliest shots")), h("ol", { class: "costliest" }, costliest.map((shot) => costlyShot(shot, link(shot.number))))] : h("p", {}, t("Every shot was the best one.")));
}
