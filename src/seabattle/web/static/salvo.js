// A salvo: cells are chosen one by one, can be taken back, and are fired together.

import { announce, h, toast } from "./dom.js";
import { t, tn } from "./texts.js";

export class Salvo {
  /** `fire(cells)` fires a whole salvo at the board. Where known cells may be shot at again,
   * `wants(cell)` asks whether somebody really wants that. */
  constructor(board, rules, fire, wants = null) {
    Object.assign(this, { board, fire, wants });
    this.wasted = new Set();
    this.used = (rules.salvo ?? 1) !== 1;
    this.cells = [];
    this.size = 0;
    this.fireButton = h("button", { type: "button", class: "main fire", hidden: !this.used, disabled: true, title: t("Fire the salvo (F)"), onclick: () => this.fireAll() }, t("Fire"));
    this.clearButton = h("button", { type: "button", hidden: !this.used, disabled: true, title: t("Choose other cells (Escape)"), onclick: () => this.set([]) }, t("Clear"));
  }

  /** How many shots the turn has, 0 if it is somebody else's. Cells that were fired at are dropped. */
  allow(size) {
    this.size = size;
    if (!size) this.wasted.clear();
    this.set(size ? this.cells.filter((cell) => !this.board.marks.has(cell) || this.wasted.has(cell)) : [], false);
  }

  set(cells, aloud = true) {
    const { size } = this;
    this.cells = cells;
    this.board.setChosen(cells);
    const full = size > 0 && cells.length === size;
    this.fireButton.disabled = !full;
    this.clearButton.disabled = !cells.length;
    this.fireButton.textContent = size ? t("Fire {chosen}/{size}", { chosen: cells.length, size }) : t("Fire");
    const count = { chosen: cells.length, size };
    if (aloud) announce(full ? t("{chosen} of {size} chosen. Press F or Fire.", count) : t("{chosen} of {size} chosen.", count));
  }

  /** Choose a cell, or take it back. */
  async choose(cell) {
    const { cells, size } = this;
    if (!size) return void toast(t("It is not your turn yet."));
    if (cells.includes(cell)) return void this.set(cells.filter((each) => each !== cell));
    if (this.board.marks.has(cell) && !this.wants) return void toast(t("You have already shot at {cell}.", { cell }));
    if (cells.length === size) return void toast(t("Your salvo of {size} is complete: press Fire, or take a cell back by choosing it again.", { size }));
    if (this.board.marks.has(cell)) {
      if (!(await this.wants(cell)) || this.cells !== cells) return;
      this.wasted.add(cell);
    }
    toast("");
    this.set([...cells, cell]);
  }

  fireAll() {
    if (!this.size) return;
    const missing = this.size - this.cells.length;
    if (missing) return void toast(tn(missing, "Choose {n} more cell first.", "Choose {n} more cells first."));
    this.fire(this.cells);
  }

  /** Whether a key on the board was for the salvo: F fires, Escape clears. */
  pressed(key) {
    if (!this.used) return false;
    if (key.toLowerCase() === "f") this.fireAll();
    else if (key === "Escape" && this.cells.length) this.set([]);
    else return false;
    return true;
  }
}
