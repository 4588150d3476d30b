// Puzzles: a daily one, and as many others as somebody wants.

import { get, post } from "./api.js";
import { Board, fitSide } from "./board.js";
import { announce, copyText, h, memory, toast } from "./dom.js";
import { damage, showFleet, stillToFind } from "./fleet.js";
import { legend } from "./heat.js";
import { analyseLink, describe, readShots, rulesText, sunkHulls } from "./notation.js";
import { savePicture } from "./picture.js";
import { followPreparation } from "./preparation.js";
import { t, tn } from "./texts.js";

const GRADES = { easy: t("easy"), medium: t("medium"), hard: t("hard") };

/** A date as 2026-11-17, where the reader is. */
const dayText = (date) => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;

/** How many days in a row, up to today or yesterday, the daily puzzle was solved. */
export function streak(days, today = new Date()) {
  const solved = new Set(days);
  const day = new Date(today);
  if (!solved.has(dayText(day))) day.setDate(day.getDate() - 1);
  let count = 0;
  while (solved.has(dayText(day))) {
    count += 1;
    day.setDate(day.getDate() - 1);
  }
  return count;
}

export async function puzzles(main, [id]) {
  const wanted = !id || id === "daily" ? `daily-${dayText(new Date())}` : id;
  followPreparation();
  main.replaceChildren(h("h1", {}, t("Puzzles")), h("p", { class: "quiet" }, t("Looking for the puzzle …")));
  let puzzle;
  try {
    puzzle = await get(`/puzzles/${encodeURIComponent(wanted)}`);
  } catch (error) {
    main.replaceChildren(h("h1", {}, t("Puzzles")), h("section", { class: "card" }, h("h2", {}, t("There is no such puzzle")), h("p", {}, error.message), h("p", {}, h("a", { href: "#/puzzles/daily" }, t("Today’s puzzle")))));
    return;
  }
  const { rules: offered } = await get("/puzzles");
  const { rules, kind } = puzzle;
  const shots = readShots(puzzle.shots);
  const marked = new Set();
  let solved = false;
  const daily = puzzle.id.startsWith("daily-");
  const board = new Board(rules, t("Puzzle"), { chosen: choose });
  board.enable(true);
  board.setShots(shots);
  board.setShips(sunkHulls(puzzle.sunk));
  board.setSunk(puzzle.sunk.cells);
  const fleet = h("ul", { class: "fleet", "aria-label": t("Hidden fleet") });
  showFleet(fleet, rules, (k) => damage(rules, k, shots), stillToFind(rules, shots));
  const caption = legend();
  const verdict = h("p", { class: "verdict", role: "status" });
  const chosen = h("p", { class: "quiet" });
  const submit = h("button", { type: "button", class: "main", disabled: true, onclick: () => answer([...marked]) }, t("Submit"));
  const giveUp = h("button", { type: "button", class: "quiet-button", onclick: () => answer([]) }, t("Give up"));
  const analyse = h("a", { class: "button", hidden: true, href: analyseLink(rules, shots) }, t("Analyse this position"));
  const streakLine = h("p", { class: "streak" });
  const side = h("section", { class: "side enemy" }, h("div", { class: "side-head" }, h("h2", {}, daily ? t("Daily puzzle, {date}", { date: puzzle.id.slice(6) }) : puzzle.id), h("span", { class: `tag grade ${puzzle.grade}` }, GRADES[puzzle.grade])), board.element, caption.element, fleet, chosen);
  fitSide(side, rules);
  const selectKind = h("select", { id: "puzzle-kind" }, h("option", { value: "best" }, t("Find the best shot")), h("option", { value: "certain" }, t("Find the rest of the fleet")));
  selectKind.value = memory.get("puzzle-kind", kind);
  const next = h("button", { type: "button", onclick: () => {
    memory.set("puzzle-kind", selectKind.value);
    const presets = offered[selectKind.value];
    const preset = presets[Math.floor(Math.random() * presets.length)];
    location.hash = `#/puzzles/${selectKind.value}-${preset}-${Math.floor(Math.random() * 1e6)}`;
  } }, t("Another puzzle"));
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, t("Puzzles")), h("p", { class: "lead" }, t("Everybody gets the same puzzle each day."))),
    h(
      "div",
      { class: "analyse puzzle" },
      side,
      h(
        "div",
        { class: "panel" },
        h("section", { class: "card" }, h("h2", {}, kind === "best" ? t("One cell is clearly the best next shot. Which one?") : tn(puzzle.cells, "The rest of the fleet is certain. Mark the {n} cell that is left.", "The rest of the fleet is certain. Mark the {n} cells that are left.")), h("p", { class: "quiet" }, `${rules.name ?? t("custom")}: ${describe(rules)}`), h("div", { class: "actions" }, submit, giveUp), verdict, h("div", { class: "actions" }, analyse, h("button", { type: "button", onclick: async () => toast((await copyText(`${location.origin}/#/puzzles/${puzzle.id}`)) ? t("Link copied.") : t("Copy the URL of this page instead.")) }, t("Copy link")), h("button", { type: "button", onclick: () => savePicture(board, `${puzzle.id}, ${rulesText(rules)}`) }, t("Save as PNG")))),
        h("section", { class: "card" }, h("h2", {}, t("Streak")), streakLine, daily ? null : h("p", {}, h("a", { href: "#/puzzles/daily" }, t("Today’s puzzle")))),
        h("section", { class: "card" }, h("h2", {}, t("More puzzles")), h("div", { class: "field" }, h("label", { for: "puzzle-kind" }, t("Kind")), selectKind), h("div", { class: "actions" }, next)),
      ),
    ),
  );
  showStreak();

  function showStreak() {
    const days = memory.get("puzzle-days", []);
    const now = streak(days);
    streakLine.textContent = now ? tn(now, "{n} day in a row.", "{n} days in a row.") : t("Solve the daily puzzle to start a streak.");
  }

  function choose(cell) {
    if (solved || shots.some((shot) => shot.cell === cell)) return;
    if (kind === "best") marked.clear();
    if (!marked.delete(cell)) marked.add(cell);
    showMarked();
    announce(marked.has(cell) ? t("{cell} marked", { cell }) : t("{cell} unmarked", { cell }));
  }

  function showMarked() {
    board.setRings(Object.fromEntries([...marked].map((cell) => [cell, "other"])));
    chosen.textContent = marked.size ? t("Marked: {cells}", { cells: [...marked].join(", ") }) : "";
    submit.disabled = !marked.size;
  }

  async function answer(cells) {
    submit.disabled = giveUp.disabled = true;
    try {
      const found = await post(`/puzzles/${encodeURIComponent(puzzle.id)}/answer`, { cells });
      solved = true;
      verdict.textContent = cells.length ? found.sentence : t("The solution is {cells}.", { cells: found.solution.join(", ") });
      verdict.classList.add(found.right ? "good" : "bad");
      announce(verdict.textContent);
      board.setRings({ ...Object.fromEntries(cells.map((cell) => [cell, "other"])), ...Object.fromEntries(found.solution.map((cell) => [cell, cells.includes(cell) ? "both" : "hint"])) });
      board.enable(false);
      analyse.hidden = false;
      if (daily && found.right && !memory.get("puzzle-tried", []).includes(puzzle.id)) {
        memory.set("puzzle-days", [...new Set([...memory.get("puzzle-days", []), puzzle.id.slice(6)])].slice(-400));
        showStreak();
      }
      if (daily) memory.set("puzzle-tried", [...new Set([...memory.get("puzzle-tried", []), puzzle.id])].slice(-400));
      const known = await post("/belief", { rules: rulesText(rules), shots: puzzle.shots });
      caption.show(known, board.setHeat(known.probability, true));
    } catch (error) {
      toast(error.message, "bad");
      submit.disabled = giveUp.disabled = solved;
    }
  }
}
