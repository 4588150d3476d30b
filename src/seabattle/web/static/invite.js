// Play a friend: create an invitation link, or accept one.

import { post, seats } from "./api.js";
import { field, rulesChooser } from "./choosers.js";
import { h, memory, notice, onSubmit } from "./dom.js";
import { gameList } from "./play.js";

const nameField = () => h("input", { type: "text", maxlength: 30, autocomplete: "nickname", value: memory.get("name", "") });

export async function invite(main) {
  const rules = await rulesChooser(memory.get("two", {}).rules ?? "classic").catch(() => rulesChooser("classic"));
  const name = nameField();
  const problem = notice("bad");
  const go = h("button", { type: "submit", class: "main" }, "Create invitation");
  const form = h("form", { class: "card setup" }, field("Your name", name), rules.element, h("div", { class: "actions" }, go), problem);
  onSubmit(form, go, problem, async () => {
    const made = await post("/games", { kind: "people", rules: rules.body, name: name.value });
    memory.set("name", name.value);
    memory.set("two", { rules: rules.rules });
    seats.keep(made.id, made.token, { kind: "people", invite: made.invite });
    location.hash = `#/play/${made.id}`;
  });
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, "Play a friend"), h("p", { class: "lead" }, "Send a link. Each of you sees only your own fleet.")),
    h("div", { class: "columns" }, form, gameList()),
  );
}

export function join(main, [id, invite]) {
  if (seats.token(id)) {
    location.replace(`#/play/${id}`);
    return;
  }
  const name = nameField();
  const problem = notice("bad");
  const go = h("button", { type: "submit", class: "main" }, "Join the game");
  const form = h("form", { class: "card setup" }, field("Your name", name), h("div", { class: "actions" }, go), problem);
  onSubmit(form, go, problem, async () => {
    const made = await post(`/games/${encodeURIComponent(id)}/join`, { invite, name: name.value });
    memory.set("name", name.value);
    seats.keep(made.id, made.token, { kind: "people" });
    location.replace(`#/play/${made.id}`);
  });
  main.replaceChildren(h("div", { class: "intro" }, h("h1", {}, "You are invited"), h("p", { class: "lead" }, "Somebody has invited you to a game of Battleship.")), form);
}
