// Play: choose rules and an opponent, and play against it.

import { post, seats } from "./api.js";
import { field, playerChooser, rulesChooser } from "./choosers.js";
import { h, memory, notice, onSubmit } from "./dom.js";
import { GameView } from "./game.js";

export async function play(main, [id]) {
  if (id) return showGame(main, id);
  const last = memory.get("play", {});
  const rules = await rulesChooser(last.rules ?? "classic").catch(() => rulesChooser("classic"));
  const opponent = await playerChooser("Opponent", last.opponent);
  const first = h("select", {}, h("option", { value: "me" }, "You"), h("option", { value: "opponent" }, "Opponent"), h("option", { value: "either" }, "Random"));
  first.value = last.first ?? "me";
  const problem = notice("bad");
  const go = h("button", { type: "submit", class: "main" }, "Start game");
  const form = h("form", { class: "card setup" }, rules.element, opponent.element, field("First shot", first), h("div", { class: "actions" }, go), problem);
  onSubmit(form, go, problem, async () => {
    const wanted = { kind: "computer", rules: rules.body, opponent: opponent.player, first: first.value };
    const made = await post("/games", wanted);
    memory.set("play", { rules: rules.rules, opponent: opponent.player, first: first.value });
    seats.keep(made.id, made.token, { kind: "computer" });
    location.hash = `#/play/${made.id}`;
  });
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, "Play"), h("p", { class: "lead" }, "Find their fleet before they find yours.")),
    h("div", { class: "columns" }, form, gameList()),
  );
}

/** The games that this browser has a seat in. */
export function gameList() {
  const all = Object.entries(seats.all()).filter(([, seat]) => seat.state).sort((a, b) => b[1].when - a[1].when).slice(0, 8);
  if (!all.length) return h("aside", { class: "card welcome" }, h("h2", {}, "How to play"), h("ol", {}, h("li", {}, "Place your ships, or randomise them."), h("li", {}, "Shoot at the enemy waters, one cell per turn."), h("li", {}, "Turn on the heat map to see where ships are likely, or ask for a hint.")), h("p", { class: "quiet" }, "Games are saved: you can close the page and continue later."));
  return h(
    "aside",
    { class: "card" },
    h("h2", {}, "Your games"),
    h("ul", { class: "games" }, all.map(([id, seat]) => {
      const over = seat.state === "over";
      const how = seat.kind === "watch" ? "watched" : over ? (seat.winner === null ? "drawn" : seat.winner === seat.you ? "won" : "lost") : seat.state === "placing" ? "placing" : seat.yours ? "your turn" : "their turn";
      return h("li", {}, h("a", { href: over ? `#/replay/${id}` : seat.kind === "watch" ? `#/watch/${id}` : `#/play/${id}` }, h("span", {}, `${seat.rules} · ${seat.against}`), h("span", { class: `tag ${how.replace(" ", "-")}` }, how)));
    })),
  );
}

function showGame(main, id) {
  const token = seats.token(id);
  main.replaceChildren(h("h1", { class: "unseen" }, "Game"));
  if (!token) {
    main.append(h("section", { class: "card" }, h("h2", {}, "You cannot continue this game here"), h("p", {}, "A game can only be continued in the browser where it was started or joined. ", h("a", { href: "#/play" }, "Start a new game"), ".")));
    return undefined;
  }
  const game = new GameView(id, token);
  main.append(game.element);
  return () => game.close();
}
