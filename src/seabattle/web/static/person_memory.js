// What an opponent who learns remembers of you: your finished games, kept in this browser alone and
// sent along with a new game.

import { about, post } from "./api.js";
import { announce, h, memory } from "./dom.js";
import { bare, rulesText } from "./notation.js";
import { t, tn } from "./texts.js";

const MOST = 20;
const LARGEST = 50_000; // characters in one request
const TOLD = 5; // habits, the clearest ones
const USUAL = "learning-exact";

const all = () => memory.get("person-memory", {});

export const personMemory = {
  /** The latest games under these rules, as a new game sends them. */
  games(rules) {
    const games = (all()[rulesText(rules)] ?? []).slice(-MOST).map(({ person, record }) => ({ person, record }));
    while (JSON.stringify(games).length > LARGEST) games.shift();
    return games;
  },
  /** Add a finished game, once. */
  keep(rules, id, person, record) {
    const known = all();
    const games = (known[rulesText(rules)] ?? []).filter((game) => game.id !== id);
    memory.set("person-memory", { ...known, [rulesText(rules)]: [...games, { id, person, record }].slice(-MOST) });
  },
  wipe: () => memory.set("person-memory", {}),
};

/** Whether the opponent learns, and what it knows. `opponent(player)` is the player to play against;
 * `games` is null if nothing is to be remembered. */
export async function learningChooser(on = false) {
  const { players } = await about();
  const learners = new Set(players.filter((player) => player.learns).map((player) => player.name));
  const box = h("input", { type: "checkbox", id: "learn", checked: Boolean(on) });
  const knows = h("p", { role: "status" });
  const list = h("ul", { class: "habits" });
  const forget = h("button", { type: "button", class: "small", onclick: () => {
    personMemory.wipe();
    show();
    announce(t("Your games are forgotten."));
  } }, t("Forget me"));
  const details = h("div", { class: "memory hint" }, knows, list, forget);
  let rules = null;
  let asked = 0;

  async function show() {
    const mine = ++asked;
    details.hidden = !box.checked || !rules;
    if (details.hidden) return;
    const games = personMemory.games(rules);
    const others = Object.keys(all()).length > 0;
    knows.textContent = games.length ? tn(games.length, "It remembers {n} game with you under these rules.", "It remembers {n} games with you under these rules.") : t("It does not remember any games with you under these rules yet.");
    list.replaceChildren();
    forget.hidden = !others;
    if (!games.length) return;
    try {
      const found = await post("/habits", { rules: bare(rules), games });
      if (mine !== asked) return;
      list.replaceChildren(...found.habits.slice(0, TOLD).map((habit) => h("li", {}, h("b", {}, habit.words), ` ${t("({seen} per game, {expected} at random)", { seen: habit.seen.toFixed(1), expected: habit.expected.toFixed(1) })}`)));
      if (!found.habits.length) knows.textContent += ` ${t("Nothing in them differs clearly from chance.")}`;
    } catch (error) {
      if (mine === asked) knows.textContent += ` ${error.message}`;
    }
  }

  box.addEventListener("change", show);
  return {
    element: h("div", { class: "check-field" }, box, h("label", { for: "learn" }, t("Let the opponent learn from my games")), h("p", { class: "hint" }, t("It plays as learning-exact, unless you choose dreadnought. Your games stay in this browser; a new game sends them along.")), details),
    suit(chosen) {
      rules = chosen;
      return show();
    },
    get on() {
      return box.checked;
    },
    opponent: (player) => (!box.checked || learners.has(player.split(":")[0].trim()) ? player : USUAL),
    games: (chosen) => (box.checked ? personMemory.games(chosen) : null),
  };
}
