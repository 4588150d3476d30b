// Routing between the sections, and the theme button.

import { analyse } from "./analyse.js";
import { h, toast } from "./dom.js";
import { play } from "./play.js";
import { replay } from "./replay.js";
import { results } from "./results.js";
import { invite, join } from "./invite.js";
import { followPreparation } from "./preparation.js";
import { keyboardHelp } from "./keyboard_help.js";
import { showMyGames } from "./my_games.js";
import { puzzles } from "./puzzles.js";
import { solo } from "./solo.js";
import { spectate } from "./spectate.js";
import { language, languages, t } from "./texts.js";
import { watch } from "./watch.js";

const SECTIONS = [
  ["play", t("Play"), play],
  ["two", t("Play a friend"), invite],
  ["solo", t("Solo"), solo],
  ["puzzles", t("Puzzles"), puzzles],
  ["analyse", t("Analyse"), analyse],
  ["watch", t("Watch"), watch],
  ["replay", t("Replay"), replay],
  ["mine", t("My games"), showMyGames],
  ["results", t("Results"), results],
];
const SHOWN = { ...Object.fromEntries(SECTIONS.map(([name, , show]) => [name, show])), join, spectate };

const main = document.getElementById("main");
const nav = document.getElementById("sections");
nav.setAttribute("aria-label", t("Sections"));
nav.append(...SECTIONS.map(([name, title]) => h("a", { href: `#/${name}`, "data-section": name }, title)));

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let leave;
let shown;
let visit = 0;
async function route() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [name, ...parts] = (path || "play").split("/").map(decoded);
  const section = SHOWN[name] ? name : "play";
  // A section may follow its own address, for example when the browser goes back.
  if (section === shown && leave?.goTo?.(parts, new URLSearchParams(query))) return;
  const mine = ++visit;
  leave?.();
  leave = undefined;
  shown = section;
  for (const link of nav.children) {
    if (link.dataset.section === section || (section === "join" && link.dataset.section === "two")) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "center" });
    } else link.removeAttribute("aria-current");
  }
  document.title = `${SECTIONS.find(([each]) => each === section)?.[1] ?? t("Invitation")} · seabattle`;
  toast("");
  main.dataset.section = section;
  main.setAttribute("aria-busy", "true");
  try {
    // Every section has its own container: one that loads late cannot overwrite the next.
    const container = h("div", { class: "place" });
    main.replaceChildren(container);
    const done = await SHOWN[section](container, parts, new URLSearchParams(query));
    if (mine === visit) leave = done;
    else done?.();
    // Focus would be on a control that is gone; the first visit leaves it where the browser has it.
    if (mine === visit && mine > 1 && !main.contains(document.activeElement)) main.focus({ preventScroll: true });
  } catch (error) {
    if (mine !== visit) return;
    main.replaceChildren(h("section", { class: "card" }, h("h1", {}, t("Something went wrong")), h("p", {}, error.message), h("p", {}, h("button", { type: "button", onclick: route }, t("Try again")))));
  }
  if (mine === visit) main.removeAttribute("aria-busy");
}

addEventListener("hashchange", route);
route();
followPreparation();

const skip = document.getElementById("skip");
skip.textContent = t("Skip to content");
skip.addEventListener("click", () => main.focus());

const help = document.getElementById("keys");
help.setAttribute("aria-label", t("Keyboard help"));
help.title = t("Keyboard help (?)");
keyboardHelp(help);

const tongue = document.getElementById("language");
tongue.hidden = languages.length < 2;
tongue.setAttribute("aria-label", t("Language"));
tongue.append(...languages.map((code) => h("option", { value: code, selected: code === language }, new Intl.DisplayNames([code], { type: "language" }).of(code))));
tongue.addEventListener("change", () => {
  localStorage.setItem("seabattle.language", tongue.value);
  location.reload();
});

if (navigator.serviceWorker) addEventListener("load", () => navigator.serviceWorker.register("/service-worker.js").catch(() => {}));

const theme = document.getElementById("theme");
const isDark = () => document.documentElement.dataset.theme === "dark";
const showTheme = () => {
  theme.textContent = isDark() ? "☀" : "☾";
  theme.setAttribute("aria-label", isDark() ? t("Switch to light theme") : t("Switch to dark theme"));
};
theme.addEventListener("click", () => {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("seabattle.theme", next);
  showTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
showTheme();
