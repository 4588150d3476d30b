// A board: a grid of cells with marks, ships and a heat map.

import { h, percent } from "./dom.js";
import { answerText, cellAt, cellName } from "./notation.js";
import { t } from "./texts.js";

const CHANCE = { text: (p) => percent(p).replace("%", ""), words: null };

export class Board {
  /** `chosen(cell)` is called on a click, a tap or Enter, `pressed(cell, key)` on other keys, and
   * `looked(cell)` when the pointer or the focus moves to a cell, or away (null). */
  constructor(rules, label, { chosen, pressed, looked } = {}) {
    this.rules = rules;
    this.cells = new Map();
    this.chosen = chosen;
    this.marks = new Map();
    this.heat = null;
    this.ships = h("div", { class: "ships" });
    const head = h("div", { role: "row", class: "row head" }, h("div", { role: "columnheader", class: "corner", "aria-label": t("Row") }));
    for (let column = 0; column < rules.columns; column++) head.append(h("div", { role: "columnheader", class: "label" }, String(column + 1)));
    const rows = [head];
    for (let row = 0; row < rules.rows; row++) {
      const line = h("div", { role: "row", class: "row" }, h("div", { role: "rowheader", class: "label" }, cellName(row, 0)[0]));
      for (let column = 0; column < rules.columns; column++) {
        const name = cellName(row, column);
        const cell = h("button", { type: "button", role: "gridcell", class: "cell", "data-cell": name, tabindex: row + column ? "-1" : "0" });
        this.cells.set(name, cell);
        line.append(cell);
      }
      rows.push(line);
    }
    this.grid = h("div", { role: "grid", class: "grid", "aria-label": label }, rows);
    this.element = h("div", { class: "board" }, h("div", { class: "board-inner" }, this.grid, this.ships));
    this.element.style.setProperty("--rows", rules.rows);
    this.element.style.setProperty("--columns", rules.columns);
    this.grid.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) {
        this.focusOn(cell.dataset.cell);
        this.chosen?.(cell.dataset.cell);
      }
    });
    this.grid.addEventListener("keydown", (event) => {
      const here = event.target.closest(".cell")?.dataset.cell;
      if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
      const there = this.neighbour(here, event.key);
      if (there) {
        event.preventDefault();
        this.focusOn(there, true);
      } else if (pressed?.(here, event.key)) event.preventDefault();
    });
    if (looked) {
      this.grid.addEventListener("pointerover", (event) => looked(event.target.closest(".cell")?.dataset.cell ?? null));
      this.grid.addEventListener("focusin", (event) => looked(event.target.closest(".cell")?.dataset.cell ?? null));
      this.grid.addEventListener("pointerleave", () => looked(null));
      this.grid.addEventListener("focusout", () => looked(null));
    }
    this.describe();
  }

  neighbour(name, key) {
    const [row, column] = cellAt(name);
    const { rows, columns } = this.rules;
    const to = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, columns - 1],
      PageUp: [0, column],
      PageDown: [rows - 1, column],
    }[key];
    if (!to) return null;
    return cellName(Math.min(Math.max(to[0], 0), rows - 1), Math.min(Math.max(to[1], 0), columns - 1));
  }

  focusOn(name, move = false) {
    for (const cell of this.cells.values()) if (cell.tabIndex === 0) cell.tabIndex = -1;
    const cell = this.cells.get(name);
    cell.tabIndex = 0;
    if (move) cell.focus();
  }

  /** Whether cells can be chosen at the moment. */
  enable(on) {
    this.element.classList.toggle("open", on);
    this.grid.setAttribute("aria-disabled", String(!on));
  }

  /** Shots as { cell, told, ship }; with `fresh`, those not shown before are animated. */
  setShots(shots, fresh = false) {
    const marks = new Map(shots.map((shot) => [shot.cell, shot]));
    const last = shots.at(-1)?.cell;
    for (const [name, cell] of this.cells) {
      const mark = marks.get(name);
      cell.classList.remove("pending");
      if (mark) cell.dataset.told = mark.told;
      else delete cell.dataset.told;
      const isNew = fresh && mark && !this.marks.has(name);
      cell.classList.toggle("fresh", Boolean(isNew));
      cell.classList.toggle("last", name === last);
    }
    this.marks = marks;
    this.describe();
  }

  /** Mark the cells of sunk ships, also those where the answer was only a hit. */
  setSunk(cells) {
    this.sunk = new Set(cells);
    for (const [name, cell] of this.cells) cell.classList.toggle("down", this.sunk.has(name));
    this.describe();
  }

  /** Colour the cells not shot at by probabilities, or other shares from 0 to 1, by row; null for
   * none. Other shares need `text(share)`, written on a cell, and `words(row, column)`, read
   * aloud; a share may be null. Returns the highest share. */
  setHeat(probability, numbers = false, { text, words } = CHANCE) {
    this.heat = probability;
    this.words = words;
    this.element.classList.toggle("warm", Boolean(probability));
    this.element.classList.toggle("numbers", Boolean(probability && numbers));
    let most = 0;
    if (probability) {
      for (const [name] of this.cells) {
        const [row, column] = cellAt(name);
        if (!this.marks.has(name)) most = Math.max(most, probability[row][column]);
      }
    }
    for (const [name, cell] of this.cells) {
      const [row, column] = cellAt(name);
      if (probability && !this.marks.has(name)) {
        const p = probability[row][column];
        cell.style.setProperty("--heat", most ? (p / most).toFixed(3) : "0");
        cell.dataset.percent = p === null ? "" : text(p);
        cell.classList.toggle("hot", most > 0 && p / most > 0.78);
        cell.classList.toggle("untried", p === null);
      } else {
        cell.style.removeProperty("--heat");
        cell.classList.remove("hot", "untried");
        delete cell.dataset.percent;
      }
    }
    this.describe();
    return most;
  }

  /** Ring some cells: { cell: kind }. */
  setRings(rings) {
    for (const [name, cell] of this.cells) {
      if (rings[name]) cell.dataset.ring = rings[name];
      else delete cell.dataset.ring;
    }
  }

  pending(name) {
    this.cells.get(name).classList.add("pending");
  }

  /** Mark the cells chosen for a salvo, and no others. */
  setChosen(names) {
    this.picked = new Set(names);
    for (const [name, cell] of this.cells) {
      cell.classList.toggle("chosen", this.picked.has(name));
      if (this.picked.has(name)) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
    }
    this.describe();
  }

  /** Ships as `shipsUnderFire` gives them; those `revealed` at the end look different. */
  setShips(ships, revealed = false) {
    this.ships.replaceChildren(...ships.map((ship) => shipElement("div", ship, ship.sunk ? "gone" : revealed ? "revealed" : "")));
    this.covered = new Set(ships.flatMap((ship) => ship.cells));
    this.describe();
  }

  describe() {
    for (const [name, cell] of this.cells) {
      const mark = this.marks.get(name);
      const [row, column] = cellAt(name);
      const words = [name];
      if (mark) words.push(answerText(this.sunk?.has(name) ? { ...mark, told: "sunk" } : mark));
      else if (this.heat) words.push(this.words ? this.words(row, column) : percent(this.heat[row][column]));
      else if (!this.covered?.has(name)) words.push(t("unknown"));
      if (this.covered?.has(name) && !this.sunk?.has(name)) words.push(t("ship"));
      if (this.picked?.has(name)) words.push(t("chosen"));
      cell.setAttribute("aria-label", words.join(", "));
    }
  }
}

/** What stands around a board is as wide as the board. */
export function fitSide(side, rules) {
  side.style.setProperty("--columns", rules.columns);
  side.style.setProperty("--rows", rules.rows);
}

/** One ship at its place on the board. */
export function shipElement(tag, { ship, cell, direction, length }, state = "") {
  const [row, column] = cellAt(cell);
  const element = h(tag, { class: `ship ${direction} ${state}`, "data-ship": ship, ...(tag === "button" ? { type: "button" } : { "aria-hidden": "true" }) }, h("span", { class: "hull" }, h("span", { class: "deck" })));
  element.style.setProperty("--row", row);
  element.style.setProperty("--column", column);
  element.style.setProperty("--length", length);
  return element;
}
