// A finished game as a file: text, or JSON.

import { post } from "./api.js";
import { h, saveFile, toast } from "./dom.js";
import { t } from "./texts.js";

/** Buttons that save a record; `read()` gives its text. */
export function exportButtons(read) {
  const save = (label, action) => h("button", { type: "button", onclick: () => action().catch((error) => toast(error.message, "bad")) }, label);
  return [
    save(t("Save as text"), async () => saveFile("seabattle-game.txt", await read(), "text/plain")),
    save(t("Save as JSON"), async () => saveFile("seabattle-game.json", JSON.stringify(await post("/replay", { record: await read() }), null, 1), "application/json")),
  ];
}
