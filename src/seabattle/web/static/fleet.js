// The list of a fleet below a board: every ship with its damage.

import { h } from "./dom.js";
import { hitCells, shipTitle } from "./notation.js";
import { t, tn } from "./texts.js";

/** Show a fleet; `cellsHit(k)` says for each cell of ship k whether it is hit. */
export function showFleet(list, rules, cellsHit, note = "") {
  list.replaceChildren(
    ...rules.ships.map((name, k) => {
      const cells = cellsHit(k);
      const hits = cells.filter(Boolean).length;
      const gone = hits === cells.length;
      const words = gone ? t("sunk") : hits ? t("{hits} of {all} hit", { hits, all: cells.length }) : "";
      return h("li", { class: gone ? "gone" : "" }, h("span", { class: "pips", "aria-hidden": "true" }, cells.map((hit) => h("i", { class: hit ? "hit" : "" }))), h("span", {}, shipTitle(name)), words ? h("span", { class: "unseen" }, ` ${words}`) : null);
    }),
    ...(note ? [h("li", { class: "note" }, note)] : []),
  );
}

/** What the answers tell about ship k: all of its cells if it was named as sunk, and each hit that
 * named it. */
export function damage(rules, k, shots) {
  const length = rules.fleet[k];
  const named = shots.filter((shot) => shot.ship === rules.ships[k]);
  const hits = named.some((shot) => shot.told === "sunk") ? length : rules.answers === "named" ? named.length : 0;
  return Array.from({ length }, (_, cell) => cell < hits);
}

/** What the answers do not tell ship by ship, in words. */
export function stillToFind(rules, shots) {
  const hits = hitCells(shots).size;
  const total = rules.fleet.reduce((sum, length) => sum + length, 0);
  if (rules.answers === "hit-miss") return t("{hits} of {all} cells hit", { hits, all: total });
  if (rules.answers === "sunk") return t("{sunk} of {ships} sunk, {hits} of {all} cells hit", { sunk: shots.filter((shot) => shot.told === "sunk").length, ships: rules.fleet.length, hits, all: total });
  if (rules.answers === "named") return "";
  const sunk = shots.filter((shot) => shot.told === "sunk").reduce((sum, shot) => sum + rules.fleet[rules.ships.indexOf(shot.ship)], 0);
  const open = hits - sunk;
  return open > 0 ? tn(open, "{n} hit on ships afloat", "{n} hits on ships afloat") : "";
}
