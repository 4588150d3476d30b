// Play a friend: create an invitation, or accept one.

import { about, post, seats } from "./api.js";
import { field, repeatsChooser, savedRulesChooser } from "./choosers.js";
import { copyText, h, memory, notice, onSubmit, withCode } from "./dom.js";
import { gameList } from "./game_list.js";
import { describe } from "./notation.js";
import { t } from "./texts.js";

const nameField = () => h("input", { type: "text", maxlength: 30, autocomplete: "nickname", value: memory.get("name", "") });

export async function invite(main) {
  const rules = await savedRulesChooser(memory.get("two", {}).rules);
  const name = nameField();
  const hints = h("input", { type: "checkbox", id: "hints" });
  const spectators = h("input", { type: "checkbox", id: "spectators" });
  const repeats = repeatsChooser(memory.get("two", {}).repeats);
  const problem = notice("bad");
  const go = h("button", { type: "submit", class: "main" }, t("Create invitation"));
  const form = h(
    "form",
    { class: "card setup" },
    field(t("Your name"), name),
    rules.element,
    h("div", { class: "check-field" }, hints, h("label", { for: "hints" }, t("Allow hints and heat maps")), h("p", { class: "hint" }, t("For both of you. The invitation says so, and everyone sees how many were used."))),
    h("div", { class: "check-field" }, spectators, h("label", { for: "spectators" }, t("Allow spectators")), h("p", { class: "hint" }, t("Whoever has the link can watch. They see only the shots and their answers."))),
    repeats.element,
    h("div", { class: "actions" }, go),
    problem,
  );
  onSubmit(form, go, problem, async () => {
    const made = await post("/games", { kind: "people", rules: await rules.valid(), name: name.value, hints: hints.checked, spectators: spectators.checked, repeats: repeats.on });
    memory.set("name", name.value);
    memory.set("two", { rules: rules.rules, repeats: repeats.on });
    seats.keep(made.id, made.token, { kind: "people", invite: made.invite });
    location.hash = `#/play/${made.id}`;
  });
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, t("Play a friend")), h("p", { class: "lead" }, t("Send a link. Each of you sees only your own fleet."))),
    h("div", { class: "columns" }, form, gameList()),
  );
}

/** The link to a game, with a QR code, for whoever created it. */
export async function invitationCard(id, secret) {
  const { address } = await about();
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const base = isLocal && address ? address : `${location.origin}/`;
  const link = `${base}#/join/${id}/${secret}`;
  const box = h("input", { type: "text", readonly: true, value: link, "aria-label": t("Invitation link"), class: "link", onfocus: () => box.select() });
  const copied = h("span", { role: "status", class: "quiet" });
  const copy = h("button", { type: "button", onclick: async () => {
    copied.textContent = (await copyText(link, box)) ? t("Copied.") : t("Select the link and copy it.");
  } }, t("Copy link"));
  const onlyHere = isLocal && !address;
  const code = h("div", { class: "qr" });
  if (!onlyHere) post("/qr-code", { link }).then((drawn) => code.replaceChildren(h("img", { src: `data:image/svg+xml,${encodeURIComponent(drawn)}`, alt: t("QR code of the invitation link") }), h("p", { class: "hint" }, t("Or let them scan this code."))), () => {});
  return [
    h("h2", {}, t("Invite the other player")),
    h("p", { class: "quiet" }, t("Send them this link. It works once.")),
    h("div", { class: "copy" }, box, copy, copied),
    onlyHere
      ? h("p", { class: "notice" }, withCode(t("This link works only on this computer. To play with others on your network, start the server with {command} and create a new invitation."), { command: "seabattle serve --host 0.0.0.0" }))
      : code,
  ];
}

export async function join(main, [id, secret]) {
  if (seats.token(id)) {
    location.replace(`#/play/${id}`);
    return;
  }
  const intro = (title, lead) => h("div", { class: "intro" }, h("h1", {}, title), h("p", { class: "lead" }, lead));
  const path = `/games/${encodeURIComponent(id ?? "")}`;
  let invitation;
  try {
    invitation = await post(`${path}/invitation`, { invite: secret ?? "" });
  } catch (error) {
    main.replaceChildren(intro(t("This invitation does not work"), error.message), h("p", {}, h("a", { class: "button", href: "#/two" }, t("Invite a friend yourself"))));
    return;
  }
  const name = nameField();
  const problem = notice("bad");
  const go = h("button", { type: "submit", class: "main" }, t("Join the game"));
  const form = h(
    "form",
    { class: "card setup" },
    h("p", {}, h("b", {}, invitation.rules.name ?? t("Custom rules")), `: ${describe(invitation.rules)}`),
    h("p", {}, invitation.hints ? t("Both of you may use hints and heat maps. Everyone sees how many were used.") : t("Hints and heat maps are off.")),
    invitation.spectators ? h("p", {}, t("Others may watch this game. They see only the shots and their answers.")) : null,
    invitation.repeats ? h("p", {}, t("Both of you may shoot at a known cell again, which wastes the shot.")) : null,
    field(t("Your name"), name),
    h("div", { class: "actions" }, go),
    problem,
  );
  onSubmit(form, go, problem, async () => {
    const made = await post(`${path}/join`, { invite: secret, name: name.value });
    memory.set("name", name.value);
    seats.keep(made.id, made.token, { kind: "people" });
    location.replace(`#/play/${made.id}`);
  });
  main.replaceChildren(intro(invitation.name ? t("{name} invites you", { name: invitation.name }) : t("You are invited"), t("To a game of Battleship. Each of you sees only your own fleet.")), form);
}
