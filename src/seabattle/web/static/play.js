// Play: choose rules and an opponent, then a game against it.

import { post, seats } from "./api.js";
import { field, playerChooser, rulesChooser } from "./choosers.js";
import { h, memory, notice, say } from "./dom.js";
import { GameView } from "./game.js";

export async function play(main, [id]) {
  if (id) return table(main, id);
  const wish = memory.get("play", {});
  const rules = await rulesChooser(wish.rules ?? "classic").catch(() => rulesChooser("classic"));
  const opponent = await playerChooser("Opponent", wish.opponent);
  const first = h("select", {}, h("option", { value: "me" }, "I do"), h("option", { value: "opponent" }, "the opponent"), h("option", { value: "either" }, "by lot"));
  first.value = wish.first ?? "me";
  const problem = notice("bad");
  const go = h("button", { type: "submit", class: "main" }, "Place the fleet");
  const form = h("form", { class: "card setup" }, rules.element, opponent.element, field("Who shoots first", first), h("div", { class: "actions" }, go), problem);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    try {
      const wanted = { kind: "computer", rules: rules.body, opponent: opponent.player, first: first.value };
      const made = await post("/games", wanted);
      memory.set("play", { rules: rules.rules, opponent: opponent.player, first: first.value });
      seats.keep(made.id, made.token, { kind: "computer" });
      location.hash = `#/play/${made.id}`;
    } catch (error) {
      say(problem, error.message);
      go.disabled = false;
    }
  });
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, "Play"), h("p", { class: "lead" }, "Find their fleet before they find yours.")),
    h("div", { class: "columns" }, form, games()),
  );
}

/** The games this browser has a seat in. */
export function games() {
  const all = Object.entries(seats.all()).filter(([, seat]) => seat.state).sort((a, b) => b[1].when - a[1].when).slice(0, 8);
  if (!all.length) return h("aside", { class: "card welcome" }, h("h2", {}, "How it goes"), h("ol", {}, h("li", {}, "Place your ships, or let chance do it."), h("li", {}, "Shoot at the enemy waters, one cell a turn."), h("li", {}, "Switch the heat map on to see what can be known, or ask for a hint.")), h("p", { class: "quiet" }, "Every game is kept on this machine: close the page and go on later."));
  return h(
    "aside",
    { class: "card" },
    h("h2", {}, "Your games"),
    h("ul", { class: "games" }, all.map(([id, seat]) => {
      const over = seat.state === "over";
      const how = seat.kind === "watch" ? "watched" : over ? (seat.winner === null ? "drawn" : seat.winner === seat.you ? "won" : "lost") : seat.state === "placing" ? "placing" : seat.yours ? "your shot" : "their shot";
      return h("li", {}, h("a", { href: over ? `#/replay/${id}` : seat.kind === "watch" ? `#/watch/${id}` : `#/play/${id}` }, h("span", {}, `${seat.rules} · ${seat.against}`), h("span", { class: `tag ${how.replace(" ", "-")}` }, how)));
    })),
  );
}

function table(main, id) {
  const token = seats.token(id);
  main.replaceChildren(h("h1", { class: "unseen" }, "Game"));
  if (!token) {
    main.append(h("section", { class: "card" }, h("h2", {}, "This browser has no seat in that game"), h("p", {}, "A game is played where it was begun or joined. ", h("a", { href: "#/play" }, "Start another one"), ".")));
    return undefined;
  }
  const game = new GameView(id, token);
  main.append(game.element);
  return () => game.close();
}
