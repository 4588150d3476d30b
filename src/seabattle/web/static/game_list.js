// The list of games beside a form.

import { seats } from "./api.js";
import { h } from "./dom.js";
import { t } from "./texts.js";

const STATES = { watched: t("watched"), drawn: t("drawn"), won: t("won"), lost: t("lost"), placing: t("placing"), "your-turn": t("your turn"), "their-turn": t("their turn") };

/** The games that this browser has a seat in. */
export function gameList() {
  const all = Object.entries(seats.all()).filter(([, seat]) => seat.state).sort((a, b) => b[1].when - a[1].when).slice(0, 8);
  if (!all.length) return h("aside", { class: "card welcome" }, h("h2", {}, t("How to play")), h("ol", {}, h("li", {}, t("Place your ships, or randomise them.")), h("li", {}, t("Shoot at the enemy waters, one cell per turn.")), h("li", {}, t("Turn on the heat map to see where ships are likely, or ask for a hint."))), h("p", { class: "quiet" }, t("Games are saved: you can close the page and continue later.")));
  return h(
    "aside",
    { class: "card" },
    h("h2", {}, t("Your games")),
    h("ul", { class: "games" }, all.map(([id, seat]) => {
      const over = seat.state === "over";
      const how = seat.kind === "watch" ? "watched" : over ? (seat.winner === null ? "drawn" : seat.winner === seat.you ? "won" : "lost") : seat.state === "placing" ? "placing" : seat.yours ? "your-turn" : "their-turn";
      return h("li", {}, h("a", { href: over ? `#/replay/${id}` : seat.kind === "watch" ? `#/watch/${id}` : `#/play/${id}` }, h("span", {}, `${seat.rules} · ${seat.against}`), h("span", { class: `tag ${how}` }, STATES[how])));
    })),
  );
}
