// Play: choose rules and an opponent, and play against it.

import { post, seats } from "./api.js";
import { field, repeatsChooser, savedRulesChooser } from "./choosers.js";
import { h, memory, notice, onSubmit } from "./dom.js";
import { GameView } from "./game.js";
import { gameList } from "./game_list.js";
import { opponentChooser } from "./levels.js";
import { learningChooser } from "./person_memory.js";
import { followPreparation } from "./preparation.js";
import { t } from "./texts.js";

export async function play(main, [id]) {
  if (id) return showGame(main, id);
  const last = memory.get("play", {});
  const opponent = await opponentChooser(last.choice);
  const learning = await learningChooser(last.learn);
  const rules = await savedRulesChooser(last.rules, (chosen) => {
    learning.suit(chosen);
    return opponent.suit(chosen).catch(() => {});
  });
  await opponent.suit(rules.rules);
  learning.suit(rules.rules);
  const first = h("select", {}, h("option", { value: "me" }, t("You")), h("option", { value: "opponent" }, t("Opponent")), h("option", { value: "either" }, t("Random")));
  first.value = last.first ?? "me";
  const repeats = repeatsChooser(last.repeats);
  const problem = notice("bad");
  const go = h("button", { type: "submit", class: "main" }, t("Start game"));
  const form = h("form", { class: "card setup" }, rules.element, opponent.element, field(t("First shot"), first), repeats.element, learning.element, h("div", { class: "actions" }, go), problem);
  onSubmit(form, go, problem, async () => {
    const chosen = await rules.valid();
    await opponent.suit(rules.rules);
    const wanted = { kind: "computer", rules: chosen, opponent: learning.opponent(opponent.player), first: first.value, repeats: repeats.on, memory: learning.games(rules.rules) };
    const made = await post("/games", wanted);
    memory.set("play", { rules: rules.rules, choice: opponent.choice, first: first.value, repeats: repeats.on, learn: learning.on });
    seats.keep(made.id, made.token, { kind: "computer" });
    followPreparation();
    location.hash = `#/play/${made.id}`;
  });
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, t("Play")), h("p", { class: "lead" }, t("Find their fleet before they find yours."))),
    h("div", { class: "columns" }, form, gameList()),
  );
  return () => opponent.close();
}

function showGame(main, id) {
  const token = seats.token(id);
  main.replaceChildren(h("h1", { class: "unseen" }, t("Game")));
  if (!token) {
    main.append(h("section", { class: "card" }, h("h2", {}, t("You cannot continue this game here")), h("p", {}, t("A game can only be continued in the browser where it was started or joined.")), h("p", {}, h("a", { href: "#/play" }, t("Start a new game")))));
    return undefined;
  }
  const game = new GameView(id, token);
  main.append(game.element);
  return () => game.close();
}
