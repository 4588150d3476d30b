// How fast the moves of a game appear: a person must be able to follow them.

import { memory, sleep } from "./dom.js";

const PAUSE = 900;

export const isInstant = () => memory.get("instant", false);

/** Shows the moves of a game one after the other. `show(count)` shows the first ones; a move of the
 * opponent comes a moment after the move before it. */
export class PacedMoves {
  constructor(show, isOpponents) {
    // With `together`, the moves of one turn appear at once: a salvo is answered as a whole.
    Object.assign(this, { show, isOpponents, together: false, moves: [], shown: null, running: false, closed: false, shownAt: 0 });
  }

  /** Whether every known move is on the board. */
  get caughtUp() {
    return this.shown === this.moves.length;
  }

  /** Show these moves; all at once the first time. */
  async take(moves) {
    this.moves = moves;
    if (this.shown === null) this.shown = moves.length;
    if (this.running) return;
    this.running = true;
    let fresh = false;
    while (!this.closed && !this.caughtUp) {
      const wait = this.shownAt + PAUSE - performance.now();
      if (this.isOpponents(this.moves[this.shown]) && !isInstant() && wait > 0) {
        await sleep(Math.min(wait, 100));
        continue;
      }
      do this.shown += 1;
      while (this.together && !this.caughtUp && this.moves[this.shown].side === this.moves[this.shown - 1].side);
      this.shownAt = performance.now();
      this.show(this.shown);
      fresh = true;
    }
    this.running = false;
    if (!fresh && !this.closed) this.show(this.shown);
  }

  close() {
    this.closed = true;
  }
}
