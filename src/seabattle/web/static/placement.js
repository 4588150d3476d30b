// Placing a fleet: drag a ship, or focus it and use the arrow keys; rotate it with R, a double
// click or a double tap; Undo and Ctrl+Z take the last change back. Ships in conflict are marked, and the battle cannot start.

import { post } from "./api.js";
import { Board, shipElement } from "./board.js";
import { announce, h, notice, say } from "./dom.js";
import { HideAdvice } from "./hide_advice.js";
import { bare, cellAt, cellName, conflicts, placeText } from "./notation.js";
import { t, tn } from "./texts.js";

export class Placement {
  constructor(rules, { ready, label = t("Place your fleet") }) {
    this.rules = rules;
    this.ready = ready;
    this.ships = [];
    this.selected = 0;
    this.board = new Board(rules, t("Your waters"));
    this.board.element.classList.add("placing");
    // While placing, the keyboard moves ships, not a cursor over the cells.
    for (const cell of this.board.cells.values()) cell.tabIndex = -1;
    this.problem = notice("bad");
    this.earlier = [];
    this.undoButton = h("button", { type: "button", disabled: true, onclick: () => this.undo() }, t("Undo"));
    this.rotateButton = h("button", { type: "button", onclick: () => this.rotate(this.selected) }, t("Rotate"), " ", h("kbd", {}, "R"));
    this.start = h("button", { type: "button", class: "main", disabled: true, onclick: () => this.submit() }, t("Ready for battle"));
    this.advice = new HideAdvice(rules, {
      layout: () => this.ships,
      use: (ships) => {
        this.remember();
        this.ships = ships.map((ship) => ({ ...ship }));
        this.draw();
        announce(t("The better layout is placed."));
      },
    });
    this.element = h(
      "section",
      { class: "placement" },
      h("div", { class: "heading" }, h("h2", {}, label), h("p", { class: "quiet" }, t("Drag the ships, and double-click one to rotate it. Keyboard: Tab, arrow keys, R."))),
      this.board.element,
      h("div", { class: "actions" }, this.start, this.rotateButton, h("button", { type: "button", onclick: () => this.randomise() }, t("Randomise")), this.undoButton, this.advice.button),
      this.problem,
      this.advice.problem,
      this.advice.panel,
    );
    this.element.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey) {
        event.preventDefault();
        this.undo();
      }
      if (event.key.toLowerCase() === "r" && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.rotate(this.selected);
      }
    });
    this.randomise(true).then(() => {
      // Whoever came by a button that is gone goes on with the first ship.
      const here = document.activeElement;
      if (!here || here === document.body || here.id === "main") this.board.ships.firstElementChild?.focus({ preventScroll: true });
    });
  }

  async randomise(quietly = false) {
    try {
      const { ships } = await post("/layouts", { rules: bare(this.rules) });
      if (this.ships.length) this.remember();
      this.ships = ships;
      this.draw();
      if (!quietly) announce(t("The fleet is placed at random."));
    } catch (error) {
      say(this.problem, error.message);
    }
  }

  draw() {
    const focused = this.board.ships.contains(document.activeElement);
    this.board.ships.replaceChildren(
      ...this.ships.map((ship, number) => {
        const element = shipElement("button", { ...ship, length: this.rules.fleet[number] });
        element.addEventListener("pointerdown", (event) => this.grab(event, number, element));
        element.addEventListener("dblclick", () => this.pointer !== "touch" && this.rotate(number));
        element.addEventListener("keydown", (event) => this.key(event, number));
        element.addEventListener("focus", () => this.select(number));
        return element;
      }),
    );
    this.check();
    this.select(this.selected);
    if (focused) this.board.ships.children[this.selected]?.focus();
  }

  /** Keep the fleet as it lies, for Undo. */
  remember() {
    this.earlier = [...this.earlier.slice(-99), this.ships.map((ship) => ({ ...ship }))];
    this.undoButton.disabled = false;
  }

  /** Undo the last change of the placement. */
  undo() {
    if (!this.earlier.length) return;
    this.ships = this.earlier.pop();
    this.undoButton.disabled = !this.earlier.length;
    this.draw();
    announce(t("Undone."));
  }

  /** Mark conflicts and say what is wrong. */
  check() {
    const wrong = conflicts(this.rules, this.ships);
    [...this.board.ships.children].forEach((element, number) => {
      element.classList.toggle("wrong", wrong.has(number));
      const cells = tn(this.rules.fleet[number], "{n} cell", "{n} cells");
      element.setAttribute("aria-label", [placeText(this.ships[number]), cells, ...(wrong.has(number) ? [t("in conflict")] : [])].join(", "));
    });
    this.board.setShots([]);
    say(this.problem, [...wrong.values()][0] ?? "");
    this.start.disabled = wrong.size > 0 || !this.ships.length;
    this.advice.clear();
    this.advice.button.disabled = this.start.disabled;
    return wrong;
  }

  select(number) {
    this.selected = number;
    [...this.board.ships.children].forEach((element, k) => element.classList.toggle("selected", k === number));
  }

  /** Move a ship, keeping it on the board; whether that changed anything. */
  move(number, row, column, direction = this.ships[number].direction) {
    const length = this.rules.fleet[number];
    const most = direction === "across" ? [this.rules.rows - 1, this.rules.columns - length] : [this.rules.rows - length, this.rules.columns - 1];
    if (most[0] < 0 || most[1] < 0) {
      announce(t("There is no room to rotate this ship."));
      return false;
    }
    const cell = cellName(Math.min(Math.max(row, 0), most[0]), Math.min(Math.max(column, 0), most[1]));
    const ship = this.ships[number];
    if (ship.cell === cell && ship.direction === direction) return false;
    if (!this.dragging) this.remember();
    this.ships[number] = { ...ship, cell, direction };
    const [r, c] = cellAt(cell);
    const element = this.board.ships.children[number];
    element.style.setProperty("--row", r);
    element.style.setProperty("--column", c);
    element.classList.toggle("across", direction === "across");
    element.classList.toggle("down", direction === "down");
    this.check();
    return true;
  }

  rotate(number) {
    const ship = this.ships[number];
    if (!ship) return;
    const [row, column] = cellAt(ship.cell);
    this.select(number);
    if (this.move(number, row, column, ship.direction === "across" ? "down" : "across")) this.tell(number);
  }

  tell(number) {
    announce(`${placeText(this.ships[number])}. ${this.problem.textContent}`);
  }

  key(event, number) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const [row, column] = cellAt(this.ships[number].cell);
    if (this.move(number, row + step[0], column + step[1])) this.tell(number);
  }

  grab(event, number, element) {
    if (event.button !== 0) return;
    this.select(number);
    this.pointer = event.pointerType;
    const box = this.board.ships.getBoundingClientRect();
    const size = box.width / this.rules.columns;
    const [row, column] = cellAt(this.ships[number].cell);
    const from = [event.clientX, event.clientY];
    let moved = false;
    this.remember();
    this.dragging = true;
    element.classList.add("dragged");
    element.setPointerCapture(event.pointerId);
    const drag = (at) => {
      const right = Math.round((at.clientX - from[0]) / size);
      const down = Math.round((at.clientY - from[1]) / size);
      if (this.move(number, row + down, column + right)) moved = true;
    };
    const drop = () => {
      element.removeEventListener("pointermove", drag);
      this.dragging = false;
      if (!moved) {
        this.earlier.pop();
        this.undoButton.disabled = !this.earlier.length;
      }
      element.classList.remove("dragged");
      if (moved) this.tell(number);
      else if (event.pointerType === "touch") this.tapped(number);
    };
    element.addEventListener("pointermove", drag);
    element.addEventListener("pointerup", drop, { once: true });
    element.addEventListener("pointercancel", drop, { once: true });
  }

  /** Two quick taps rotate a ship; not every browser sends a double click for them. */
  tapped(number) {
    const moment = Date.now();
    if (this.lastTap?.number === number && moment - this.lastTap.moment < 350) {
      this.lastTap = null;
      this.rotate(number);
    } else this.lastTap = { number, moment };
  }

  async submit() {
    this.start.disabled = true;
    try {
      await this.ready(this.ships);
    } catch (error) {
      say(this.problem, error.message);
      this.start.disabled = false;
    }
  }
}
