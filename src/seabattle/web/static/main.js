// Routing between the sections, and the theme button.

import { analyse } from "./analyse.js";
import { h, toast } from "./dom.js";
import { play } from "./play.js";
import { replay } from "./replay.js";
import { results } from "./results.js";
import { invite, join } from "./invite.js";
import { followPreparation } from "./preparation.js";
import { watch } from "./watch.js";

const SECTIONS = [
  ["play", "Play", play],
  ["two", "Play a friend", invite],
  ["watch", "Watch", watch],
  ["analyse", "Analyse", analyse],
  ["replay", "Replay", replay],
  ["results", "Results", results],
];
const SHOWN = { ...Object.fromEntries(SECTIONS.map(([name, , show]) => [name, show])), join };

const main = document.getElementById("main");
const nav = document.getElementById("sections");
nav.append(...SECTIONS.map(([name, title]) => h("a", { href: `#/${name}`, "data-section": name }, title)));

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

let leave;
let visit = 0;
async function route() {
  const mine = ++visit;
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [name, ...parts] = (path || "play").split("/").map(decoded);
  leave?.();
  leave = undefined;
  const section = SHOWN[name] ? name : "play";
  for (const link of nav.children) {
    if (link.dataset.section === section || (section === "join" && link.dataset.section === "two")) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "center" });
    } else link.removeAttribute("aria-current");
  }
  document.title = `${SECTIONS.find(([each]) => each === section)?.[1] ?? "Invitation"} · seabattle`;
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
    main.replaceChildren(h("section", { class: "card" }, h("h1", {}, "Something went wrong"), h("p", {}, error.message), h("p", {}, h("button", { type: "button", onclick: route }, "Try again"))));
  }
  if (mine === visit) main.removeAttribute("aria-busy");
}

addEventListener("hashchange", route);
route();
followPreparation();

document.getElementById("skip").addEventListener("click", () => main.focus());

const theme = document.getElementById("theme");
const isDark = () => document.documentElement.dataset.theme === "dark";
const showTheme = () => {
  theme.textContent = isDark() ? "☀" : "☾";
  theme.setAttribute("aria-label", isDark() ? "Switch to light theme" : "Switch to dark theme");
};
theme.addEventListener("click", () => {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("seabattle.theme", next);
  showTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
showTheme();
