// The running average of the games watched, per pair of players and rules: of each player's
// shots in the games in which it sank the whole fleet, and the same after every hundred games.

import { h, memory } from "./dom.js";
import { t, tn } from "./texts.js";

const EVERY = 100;
const MOST_PAIRS = 50;

export class WatchedAverage {
  constructor(view) {
    const { rules } = view;
    this.names = view.seats.map((seat) => seat.player ?? seat.name);
    // A rematch swaps the sides, so a player's tally goes by its name.
    this.key = JSON.stringify([[...this.names].sort(), [rules.rows, rules.columns, rules.fleet, rules.contact, rules.answers, rules.turns]]);
    this.tally = memory.get("watched", {})[this.key] ?? { games: 0, players: {} };
    this.element = h("div", { class: "quiet average" });
    this.show();
  }

  // Count a game that has just ended: `finished` has the shots of each side that sank the whole
  // fleet, and null for the other.
  add(finished) {
    this.tally.games += 1;
    finished.forEach((shots, side) => {
      if (shots === null) return;
      const own = (this.tally.players[this.names[side]] ??= { games: 0, shots: 0, hundreds: [] });
      own.games += 1;
      own.shots += shots;
      if (own.games % EVERY === 0) own.hundreds.push(own.shots / own.games);
    });
    const every = { ...memory.get("watched", {}), [this.key]: this.tally };
    for (const old of Object.keys(every).slice(0, -MOST_PAIRS)) delete every[old];
    memory.set("watched", every);
    this.show();
  }

  forget() {
    this.tally = { games: 0, players: {} };
    const every = memory.get("watched", {});
    delete every[this.key];
    memory.set("watched", every);
    this.show();
  }

  show() {
    const lines = Object.entries(this.tally.players).map(([name, { games, shots, hundreds }]) => {
      const after = hundreds.map((mean, k) => t("{mean} after {games}", { mean: mean.toFixed(2), games: (k + 1) * EVERY }));
      const more = after.length ? ` (${after.slice(-5).join(", ")})` : "";
      return h("p", {}, `${name}: ${tn(games, "{mean} shots on average over {n} game it finished", "{mean} shots on average over {n} games it finished", { mean: (shots / games).toFixed(2) })}${more}`);
    });
    const clear = h("button", { type: "button", onclick: () => this.forget() }, t("Reset average"));
    this.element.replaceChildren(...(lines.length ? [h("p", {}, tn(this.tally.games, "Watched so far: {n} game", "Watched so far: {n} games")), ...lines, clear] : []));
  }
}
