// The opponent: a level of difficulty, or any player under "More".

import { post } from "./api.js";
import { playerChooser } from "./choosers.js";
import { h } from "./dom.js";
import { bare } from "./notation.js";
import { t } from "./texts.js";

const shotsText = (strength) => (strength.error < 1 ? t("{shots} shots on average", { shots: strength.mean.toFixed(1) }) : t("about {shots} shots on average", { shots: strength.mean.toFixed(0) }));

/** Choose an opponent; `wanted` is a level or a player. `suit(rules)` shows who can play these rules, and
 * how strong they are under them. */
export async function opponentChooser(wanted) {
  const chooser = await playerChooser(t("Opponent"), wanted?.level ? undefined : wanted?.player);
  let levels = [];
  let chosen = wanted?.level ?? (wanted?.player ? "more" : "medium");
  let asked = 0;
  const list = h("div", { class: "levels" });
  const strength = h("p", { class: "hint", role: "status" });
  const more = h("details", { class: "own more" }, h("summary", {}, t("More opponents")), chooser.element, strength);
  more.open = chosen === "more";
  const pick = (name) => {
    chosen = name;
    for (const input of list.querySelectorAll("input")) input.checked = input.value === name;
    if (name !== "more") more.open = false;
  };
  more.addEventListener("toggle", () => {
    if (more.open) pick("more");
    else if (chosen === "more") pick("medium");
  });
  const measured = new Map();
  let latest = Promise.resolve();
  let outdated = new AbortController(); // ends the measurements under rules that are no longer chosen
  /** The strength of a player: from the server's table, or measured once. */
  async function strengthOf(player, rules, known) {
    if (known) return known;
    const key = JSON.stringify([player, bare(rules)]);
    if (!measured.has(key)) {
      const { signal } = outdated;
      const measure = () => post("/strength", { player, rules: bare(rules) }, undefined, signal);
      // One at a time: a browser opens few connections to a server, and the game needs them.
      latest = latest.then(measure, measure);
      measured.set(key, latest.then((found) => found.strength));
    }
    return measured.get(key);
  }
  let rulesNow = null;
  let strengths = {};
  async function showStrength() {
    const mine = asked;
    const player = chooser.player;
    strength.textContent = t("Measuring …");
    try {
      const found = await strengthOf(player, rulesNow, strengths[player]);
      if (mine === asked && player === chooser.player) strength.textContent = t("Needs {words} under these rules.", { words: shotsText(found) });
    } catch (error) {
      if (mine === asked) strength.textContent = error.message;
    }
  }
  chooser.element.addEventListener("change", () => rulesNow && more.open && showStrength());
  more.addEventListener("toggle", () => rulesNow && more.open && showStrength());
  return {
    element: h("fieldset", { class: "difficulty" }, h("legend", {}, t("Difficulty")), list, more),
    async suit(rules) {
      const mine = ++asked;
      const found = await post("/opponents", { rules: bare(rules) });
      if (mine !== asked) return;
      outdated.abort();
      measured.clear();
      outdated = new AbortController();
      rulesNow = rules;
      ({ levels, strengths } = found);
      chooser.offer(found.cannot_play, found.strengths);
      if (chosen !== "more" && !levels.some(({ name }) => name === chosen)) chosen = levels.at(-1)?.name ?? "more";
      list.replaceChildren(
        ...levels.map((level) => {
          const shots = h("span", { class: "shots" }, level.strength ? shotsText(level.strength) : "…");
          if (!level.strength) strengthOf(level.player, rules, null).then((known) => (shots.textContent = shotsText(known)), () => (shots.textContent = level.player === "optimal" ? t("proven optimal") : t("strength not measured")));
          return h("label", { class: "level" }, h("input", { type: "radio", name: "level", value: level.name, checked: level.name === chosen, onchange: () => pick(level.name) }), h("b", {}, t(level.title)), shots, h("small", {}, `${t(level.summary)} (${level.player})`));
        }),
      );
      if (more.open) showStrength();
    },
    /** End what is still being measured. */
    close: () => outdated.abort(),
    /** The player's name. */
    get player() {
      return chosen === "more" ? chooser.player : levels.find(({ name }) => name === chosen)?.player ?? chooser.player;
    },
    /** What to remember: the level, or the player. */
    get choice() {
      return chosen === "more" ? { player: chooser.player } : { level: chosen };
    },
  };
}
