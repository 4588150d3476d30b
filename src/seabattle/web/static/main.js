// Which section is shown, and the theme.

import { analyse } from "./analyse.js";
import { h } from "./dom.js";
import { play } from "./play.js";
import { replay } from "./replay.js";
import { results } from "./results.js";
import { join, two } from "./invite.js";
import { watch } from "./watch.js";

const SECTIONS = [
  ["play", "Play", play],
  ["two", "Two people", two],
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
  main.dataset.section = section;
  main.setAttribute("aria-busy", "true");
  try {
    // A place of its own: a section that is late cannot write over the next one.
    const place = h("div", { class: "place" });
    main.replaceChildren(place);
    const done = await SHOWN[section](place, parts, new URLSearchParams(query));
    if (mine === visit) leave = done;
    else done?.();
  } catch (error) {
    if (mine !== visit) return;
    main.replaceChildren(h("section", { class: "card" }, h("h1", {}, "That did not work"), h("p", {}, error.message), h("p", {}, h("button", { type: "button", onclick: route }, "Try again"))));
  }
  if (mine === visit) main.removeAttribute("aria-busy");
}

addEventListener("hashchange", route);
route();

document.getElementById("skip").addEventListener("click", () => main.focus());

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = document.getElementById("theme");
const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
const showTheme = () => {
  theme.textContent = isDark() ? "☀" : "☾";
  theme.setAttribute("aria-label", isDark() ? "Switch to light" : "Switch to dark");
};
theme.addEventListener("click", () => {
  const next = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  localStorage.setItem("seabattle.theme", next);
  showTheme();
});
dark.addEventListener("change", showTheme);
showTheme();
