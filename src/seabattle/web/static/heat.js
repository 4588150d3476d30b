// Heat maps: probabilities from the server, cached, and how a board shows them.

import { about, post } from "./api.js";
import { count, h, percent, toggle } from "./dom.js";
import { bare, rulesText, shotsText } from "./notation.js";
import { followPreparation, isBeingPrepared } from "./preparation.js";
import { showSearch, workText } from "./search.js";
import { t, tn } from "./texts.js";

const known = new Map();

/** The answer of the server about a position, cached. */
function cached(path, rules, shots, more = {}) {
  const text = shotsText(shots);
  const key = [path, rulesText(rules), text, more.player].join("|");
  if (!known.has(key)) {
    if (known.size > 800) known.delete(known.keys().next().value);
    const answer = post(path, { rules: bare(rules), shots: text, ...more });
    known.set(key, answer);
    answer.catch(() => known.delete(key));
  }
  return known.get(key);
}

/** How likely a ship is on each cell after these shots. */
export const belief = (rules, shots) => cached("/belief", rules, shots);

const hints = new Map();
/** The same for the position that a person shoots in; the game counts how often somebody asks. */
export function hintOf(game, token, shots) {
  const key = `${game} ${shots.length}`;
  if (!hints.has(key)) {
    const answer = post(`/games/${game}/hint`, {}, token);
    hints.set(key, answer);
    answer.catch(() => hints.delete(key));
  }
  return hints.get(key);
}

/** What a player's search finds after these shots; null when the whole fleet is found. */
async function searchOf(rules, shots, player) {
  const hits = shots.filter((shot) => shot.told !== "miss").length;
  if (hits === rules.fleet.reduce((sum, length) => sum + length, 0)) return null;
  return (await cached("/choice", rules, shots, { player })).search;
}

/** The caption below a board: the layouts left, and what the colours mean. */
export function legend() {
  const left = h("span", { class: "layouts" });
  const scale = h("span", { class: "scale", hidden: true }, h("span", { class: "least" }, "0%"), h("span", { class: "ramp", "aria-hidden": "true" }), h("span", { class: "most" }));
  const note = h("span", { class: "legend-note", hidden: true });
  const element = h("div", { class: "legend" }, left, scale, note);
  return {
    element,
    note(text) {
      note.textContent = text;
      note.hidden = !text;
    },
    show(found, most) {
      this.note("");
      scale.hidden = !found;
      element.classList.toggle("filled", Boolean(found));
      if (!found) {
        left.textContent = "";
        return;
      }
      left.textContent = layoutsText(found);
      scale.firstChild.textContent = "0%";
      scale.lastChild.textContent = percent(most);
    },
    /** Another measure than the probability of a ship, and the values at both ends of its scale. */
    scale(text, low, high) {
      scale.hidden = false;
      element.classList.add("filled");
      left.textContent = text;
      scale.firstChild.textContent = low;
      scale.lastChild.textContent = high;
    },
    say(text) {
      this.note("");
      scale.hidden = true;
      left.textContent = text;
    },
  };
}

function layoutsText(found) {
  if (found.layouts !== null) return tn(found.layouts, "{n} layout left", "{n} layouts left", { n: count(found.layouts) });
  return t("sampled, ± {points} points", { points: (found.standard_error * 100).toFixed(1) });
}

/** Keeps one board's heat map up to date while it is on. The visits of a search are written into
 * the cells unless it is `plain`. */
export class Heat {
  constructor(board, caption, rules, { plain = false, ask = (shots) => belief(rules, shots) } = {}) {
    Object.assign(this, { board, caption, rules, plain, ask, on: false, shots: [], asked: 0, numbers: false, player: null });
  }

  /** Show the visits of a player's search instead of the probabilities; null for these. */
  showSearchOf(player) {
    this.player = player;
    return this.update(this.shots);
  }

  switch(on) {
    this.on = on;
    return this.update(this.shots);
  }

  clear() {
    this.board.element.classList.remove("stale");
    this.board.setHeat(null);
    this.caption.show(null);
  }

  async update(shots) {
    this.shots = shots;
    const asked = ++this.asked;
    if (!this.on && !this.player) {
      this.clear();
      return;
    }
    this.board.element.classList.add("stale");
    followPreparation();
    const slow = setTimeout(() => asked === this.asked && this.caption.say(isBeingPrepared("heat maps") ? t("The heat map is being prepared for its first use …") : t("Computing …")), 1500);
    try {
      const search = this.player && (await searchOf(this.rules, shots, this.player));
      const found = search || !this.on ? null : await this.ask(shots);
      if (asked !== this.asked) return;
      if (search) {
        showSearch(this.board, this.caption, search, "visits", !this.plain);
        this.caption.note(`${t("would shoot at {cell} after {work}.", { cell: search.suggestion, work: workText(search) })} ${search.note}`);
      } else if (found) this.caption.show(found, this.board.setHeat(found.probability, this.numbers));
      else this.clear();
    } catch (error) {
      if (asked !== this.asked) return;
      this.board.setHeat(null);
      this.caption.say(error.message);
    } finally {
      clearTimeout(slow);
      if (asked === this.asked) this.board.element.classList.remove("stale");
    }
  }
}

/** A switch that shows a player's own search of a board; hidden if it does not search. */
export function searchToggle(label, heat, player) {
  const button = toggle(label, false, (on) => heat.showSearchOf(on ? player : null), t("Show the visits of its search instead of the probabilities (runs the search again)"));
  const name = player.split(":")[0].trim();
  button.hidden = true;
  about().then(({ players }) => (button.hidden = !players.some((other) => other.searches && other.name === name)), () => {});
  return button;
}
