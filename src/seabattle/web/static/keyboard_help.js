// The keyboard help: a dialog that the ? key opens on every page.

import { h } from "./dom.js";
import { t } from "./texts.js";

const KEYS = () => [
  [t("Everywhere"), [["?", t("this help")], [t("Tab"), t("next control")], [t("Esc"), t("close a dialog or a menu")]]],
  [t("On a board"), [["← ↑ → ↓", t("move over the cells")], [t("Home End"), t("ends of the row")], [t("Page Up / Down"), t("ends of the column")], [t("Enter"), t("shoot, or choose a cell")], ["H", t("hint, in a game")], [`F ${t("Esc")}`, t("fire the salvo, or clear it")]]],
  [t("Placing ships"), [[t("Tab"), t("next ship")], ["← ↑ → ↓", t("move the ship")], ["R", t("rotate the ship")], [t("Ctrl+Z"), t("undo the last change")]]],
  [t("Analyse"), [["M H S U", t("miss, hit, sunk, unknown")], [t("Ctrl+Z"), t("undo")], [t("Ctrl+Shift+Z"), t("redo")]]],
  [t("Replay"), [["← →", t("one move back or forward")], [t("Home End"), t("start and end of the game")], [t("Space"), t("play or pause")]]],
];

export function keyboardHelp(opener) {
  const close = h("button", { type: "button", class: "main", onclick: () => dialog.close() }, t("Close"));
  const dialog = h("dialog", { class: "keys card", "aria-labelledby": "keys-title" }, h("h2", { id: "keys-title" }, t("Keyboard")), h("div", { class: "key-groups" }, KEYS().map(([title, keys]) => h("section", {}, h("h3", {}, title), h("dl", {}, keys.map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what))))))), h("div", { class: "actions" }, close));
  document.body.append(dialog);
  const open = () => {
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0; // the focus goes to the button at its end
  };
  opener.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    event.preventDefault();
    open();
  });
}
