// A game that you play: placing, shooting, the end.

import { call, follow, post, seats } from "./api.js";
import { Board } from "./board.js";
import { announce, h, notice, percent, say, toggle } from "./dom.js";
import { Heat, belief, legend, searchToggle } from "./heat.js";
import { Placement } from "./placement.js";
import { cellAt, hitCells, shipTitle, shipsUnderFire, toldText } from "./notation.js";
import { sha256 } from "./sha256.js";

export class GameView {
  constructor(id, token) {
    this.id = id;
    this.token = token;
    this.connection = h("p", { class: "line", role: "status", hidden: true }, "Connection lost; reconnecting …");
    this.body = h("div", { class: "game-body" }, h("p", { class: "quiet" }, "Loading the game …"));
    this.element = h("div", { class: "game" }, this.connection, this.body);
    this.stop = follow(id, token, (view) => this.seen(view), (up) => (this.connection.hidden = up), (status) => this.gone(status));
  }

  close() {
    this.stop();
  }

  gone(status) {
    if (status === 404) seats.forget(this.id);
    this.connection.hidden = true;
    this.body.replaceChildren(
      h("section", { class: "card" }, h("h2", {}, "Game not found"), h("p", {}, status === 404 ? "It may have expired." : "It can only be continued in the browser where it was started or joined."), h("p", {}, h("a", { href: "#/play" }, "Start a new game"))),
    );
  }

  seen(view) {
    if (this.view && view.version < this.view.version) return;
    const before = this.view;
    this.view = view;
    this.you = view.you;
    this.enemy = 1 - view.you;
    seats.note(this.id, { state: view.state, rules: view.rules.name ?? `${view.rules.rows}×${view.rules.columns}`, against: this.name(this.enemy), yours: view.to_move === view.you, winner: view.winner, you: view.you });
    if (view.state === "placing" || (view.state === "over" && !view.seats.every((seat) => seat.placed))) this.showPlacing();
    else {
      if (this.stage !== "playing") this.startPlaying();
      this.update(before?.state === "playing" ? before : null);
    }
  }

  name(side) {
    const seat = this.view.seats[side];
    if (side === this.you) return "You";
    return seat.name || (seat.joined ? "Opponent" : "nobody yet");
  }

  // Before the first shot

  showPlacing() {
    const { view } = this;
    const mine = view.seats[this.you];
    const theirs = view.seats[this.enemy];
    if (view.state === "over") {
      this.stage = "left";
      this.body.replaceChildren(h("section", { class: "card" }, h("h2", {}, view.resigned === this.you ? "You left before the battle" : "Your opponent left before the battle"), h("p", {}, h("a", { href: "#/play" }, "Start a new game"))));
      return;
    }
    if (this.stage !== "placing") {
      this.stage = "placing";
      this.invitation = h("section", { class: "card invite", hidden: true });
      this.placement = new Placement(view.rules, {
        ready: async (ships) => this.seen(await call("PUT", `/games/${this.id}/layout`, { ships }, this.token)),
      });
      this.waiting = h("p", { class: "turn", role: "status" });
      this.body.replaceChildren(this.invitation, h("div", { class: "placing-area" }, this.placement.element), this.waiting);
    }
    const invite = seats.all()[this.id]?.invite;
    if (view.kind === "people" && !theirs.joined && invite && this.invitation.hidden) {
      const link = `${location.origin}/#/join/${this.id}/${invite}`;
      const box = h("input", { type: "text", readonly: true, value: link, "aria-label": "Invitation link", class: "link", onfocus: () => box.select() });
      const copied = h("span", { role: "status", class: "quiet" });
      const copy = h("button", { type: "button", onclick: async () => {
        try {
          await navigator.clipboard.writeText(link);
        } catch {
          box.select();
          document.execCommand("copy");
        }
        copied.textContent = "Copied.";
      } }, "Copy link");
      this.invitation.replaceChildren(h("h2", {}, "Invite the other player"), h("p", { class: "quiet" }, "Send them this link. It works once."), h("div", { class: "copy" }, box, copy, copied));
      this.invitation.hidden = false;
    }
    if (theirs.joined) this.invitation.hidden = true;
    this.placement.element.hidden = mine.placed;
    this.waiting.textContent = mine.placed
      ? theirs.joined ? `Your fleet is placed. Waiting for ${this.name(this.enemy)} to place theirs …` : "Your fleet is placed. Waiting for the other player to join …"
      : view.kind === "people" && theirs.placed ? `${this.name(this.enemy)} is ready.` : "";
  }

  // The battle

  startPlaying() {
    this.stage = "playing";
    const { rules } = this.view;
    this.theirs = new Board(rules, "Enemy waters", {
      chosen: (cell) => this.fire(cell),
      pressed: (cell, key) => {
        if (key.toLowerCase() === "h") this.hint();
        else return false;
        return true;
      },
    });
    this.mine = new Board(rules, "Your waters");
    this.mine.enable(false);
    this.theirLegend = legend();
    this.myLegend = legend();
    this.theirHeat = new Heat(this.theirs, this.theirLegend, rules);
    this.myHeat = new Heat(this.mine, this.myLegend, rules, true);
    this.turnLine = h("p", { class: "turn" });
    this.lastLine = h("p", { class: "last-shot" });
    this.problem = notice("bad");
    this.hintButton = h("button", { type: "button", onclick: () => this.hint() }, "Hint");
    this.resignButton = h("button", { type: "button", class: "quiet-button", onclick: () => this.resign() }, "Resign");
    this.status = h("div", { class: "status" }, h("div", {}, this.turnLine, this.lastLine), h("div", { class: "actions" }, this.hintButton, this.resignButton));
    this.endBox = h("div", { class: "end", hidden: true });
    this.theirFleet = h("ul", { class: "fleet", "aria-label": "Enemy fleet" });
    this.myFleet = h("ul", { class: "fleet", "aria-label": "Your fleet" });
    this.log = h("ol", { class: "log" });
    this.fair = h("div", { class: "fair" });
    this.theirTitle = h("h2", {});
    this.body.replaceChildren(
      this.status,
      this.problem,
      this.endBox,
      h(
        "div",
        { class: "boards" },
        h("section", { class: "side enemy" }, h("div", { class: "side-head" }, this.theirTitle, toggle("Heat map", false, (on) => this.theirHeat.switch(on), "How likely a ship is on each cell, given what you know")), this.theirs.element, this.theirLegend.element, this.theirFleet),
        h("section", { class: "side own" }, h("div", { class: "side-head" }, h("h2", {}, "Your waters"), h("div", { class: "toggles" }, toggle("Their view", false, (on) => this.myHeat.switch(on), "How likely a ship is on each cell, given what your opponent knows"), searchToggle("Their search", this.myHeat, this.view.seats[this.enemy].player ?? ""))), this.mine.element, this.myLegend.element, this.myFleet),
      ),
      h("div", { class: "below" }, h("details", { class: "history" }, h("summary", {}, "Shots"), this.log), h("details", { class: "fairness" }, h("summary", {}, "Fair play"), this.fair)),
    );
    this.fit();
  }

  /** Captions are as wide as their boards. */
  fit() {
    for (const side of this.body.querySelectorAll(".side")) side.style.setProperty("--columns", this.view.rules.columns);
  }

  update(before) {
    const { view } = this;
    const shots = [0, 1].map((side) => view.moves.filter((move) => move.side === side));
    const over = view.state === "over";
    const myTurn = !over && view.to_move === this.you;
    this.theirs.setShots(shots[this.you], Boolean(before));
    this.mine.setShots(shots[this.enemy], Boolean(before));
    this.theirs.setRings({});
    this.showShips(shots);
    this.theirHeat.update(shots[this.you]);
    this.myHeat.update(shots[this.enemy]);
    this.theirs.enable(myTurn);
    this.element.classList.toggle("my-turn", myTurn);
    this.theirTitle.textContent = view.kind === "people" ? `${this.name(this.enemy)}’s waters` : "Enemy waters";
    this.turnLine.textContent = over ? this.result() : myTurn ? "Your turn" : view.thinking ? `${this.name(this.enemy)} is thinking …` : `${this.name(this.enemy)}’s turn`;
    const last = view.moves.at(-1);
    this.lastLine.textContent = last ? `${last.side === this.you ? "You" : this.name(this.enemy)} · ${toldText(last)}` : "Choose a cell in the enemy waters.";
    say(this.problem, view.moves.findLast((move) => move.side === this.enemy)?.note ?? "");
    this.hintButton.disabled = !myTurn;
    this.status.hidden = over;
    this.log.replaceChildren(...view.moves.map((move) => h("li", {}, h("span", { class: "who" }, this.name(move.side)), " ", toldText(move), move.note ? h("em", {}, ` ${move.note}`) : null)));
    if (before) {
      const fresh = view.moves.slice(before.moves.length);
      const words = fresh.map((move) => `${move.side === this.you ? "You" : this.name(this.enemy)}: ${toldText(move).replace(":", "")}`);
      if (over) words.push(this.result());
      else if (myTurn && fresh.some((move) => move.side === this.enemy)) words.push("Your turn.");
      if (words.length) announce(words.join(". "));
    }
    this.showFairness();
    if (over) this.showEnd();
  }

  result() {
    const { view } = this;
    if (view.drawn) return "A draw: both fleets went down in the same round.";
    const won = view.winner === this.you;
    if (view.resigned !== null) return won ? `You win: ${this.name(this.enemy)} resigned.` : "You resigned.";
    return won ? "You win!" : `${this.name(this.enemy)} wins.`;
  }

  showShips(shots) {
    const { view } = this;
    const { rules } = view;
    for (const [side, board, list, fired] of [
      [this.you, this.mine, this.myFleet, shots[this.enemy]],
      [this.enemy, this.theirs, this.theirFleet, shots[this.you]],
    ]) {
      const hits = hitCells(fired);
      const ships = shipsUnderFire(rules, view.seats[side].ships ?? [], hits);
      board.setShips(ships, side === this.enemy);
      board.setSunk(ships);
      const told = new Set(fired.filter((shot) => shot.told === "sunk" && shot.ship).map((shot) => shot.ship));
      const knows = ships.length > 0 || rules.answers === "sunk-named" || rules.answers === "named";
      const sunkShots = fired.filter((shot) => shot.told === "sunk").length;
      list.replaceChildren(
        ...rules.ships.map((name, k) => {
          const gone = ships.length ? ships[k].sunk : told.has(name);
          return h("li", { class: gone ? "gone" : "" }, h("span", { class: "pips", "aria-hidden": "true" }, Array.from({ length: rules.fleet[k] }, () => h("i", {}))), h("span", {}, shipTitle(name)), gone ? h("span", { class: "unseen" }, " sunk") : null);
        }),
      );
      if (!knows && rules.answers === "sunk") list.append(h("li", { class: "note" }, `${sunkShots} of ${rules.fleet.length} sunk`));
      if (!knows) list.append(h("li", { class: "note" }, `${hits.size} of ${rules.fleet.reduce((a, b) => a + b)} hits`));
    }
  }

  async showFairness() {
    const { view } = this;
    const theirs = view.seats[this.enemy];
    const lines = [h("p", {}, "Before the first shot, the server published the SHA-256 of the enemy layout and a secret nonce. When the game is over, both are revealed and this page checks that they match."), h("p", {}, "Published: ", h("code", {}, theirs.commitment))];
    if (theirs.nonce) {
      const found = await sha256(`${theirs.layout}\n${theirs.nonce}`);
      const published = this.published ?? theirs.commitment;
      const same = found === published && theirs.commitment === published;
      lines.push(h("p", {}, "Layout: ", h("code", {}, theirs.layout)), h("p", {}, "Nonce: ", h("code", {}, theirs.nonce)), h("p", { class: same ? "good" : "bad" }, same ? "✓ The layout matches the published hash." : "✗ The layout does not match the published hash!"));
      this.verified = same;
      this.endCheck?.replaceChildren(same ? "✓ layout verified against the published hash" : "✗ the layout does not match the published hash");
      this.endCheck?.classList.toggle("bad", !same);
    } else this.published ??= theirs.commitment;
    this.fair.replaceChildren(...lines);
  }

  showEnd() {
    const { view } = this;
    const won = view.winner === this.you;
    if (this.endBox.hidden) {
      this.endCheck = h("p", { class: "check" }, "");
      this.again = h("button", { type: "button", class: "main", onclick: () => this.rematch() }, "Rematch");
      this.endBox.replaceChildren(
        h("div", {}, h("h2", {}, view.drawn ? "A draw" : won ? "Victory" : "Defeat"), h("p", {}, this.result()), this.endCheck),
        h("div", { class: "actions" }, this.again, h("a", { class: "button", href: `#/replay/${this.id}` }, "Replay"), h("a", { class: "button", href: "#/play" }, "New game")),
      );
      this.endBox.classList.add(view.drawn ? "drawn" : won ? "won" : "lost");
      this.endBox.hidden = false;
    }
    if (view.rematch && view.kind === "people") this.again.textContent = `Rematch (${this.name(this.enemy)} is waiting)`;
  }

  async fire(cell) {
    const { view } = this;
    const answered = (shot) => view.moves.some((move) => move.side === this.you && move.cell === shot);
    // The event stream may bring the answer before the response to the request does.
    if (view.state !== "playing" || view.to_move !== this.you || (this.firing && !answered(this.firing))) {
      if (view.state === "playing") announce("It is not your turn yet.");
      return;
    }
    if (answered(cell)) {
      announce(`You have already shot at ${cell}.`);
      return;
    }
    this.firing = cell;
    this.theirs.pending(cell);
    try {
      const seen = await post(`/games/${this.id}/shots`, { cell }, this.token);
      if (this.firing === cell) this.firing = null;
      this.seen(seen);
    } catch (error) {
      if (this.firing === cell) this.firing = null;
      this.theirs.setShots(this.view.moves.filter((move) => move.side === this.you));
      say(this.problem, error.status ? error.message : "The server cannot be reached; your shot was not fired. Try again when the connection is back.");
    }
  }

  async hint() {
    const { view } = this;
    if (view.state !== "playing" || view.to_move !== this.you) return;
    this.hintButton.disabled = true;
    try {
      const found = await belief(view.rules, view.moves.filter((move) => move.side === this.you));
      if (this.view !== view) return;
      this.theirs.setRings({ [found.suggestion]: "hint" });
      this.theirs.focusOn(found.suggestion);
      const [row, column] = cellAt(found.suggestion);
      const words = `Hint: ${found.suggestion}, ${percent(found.probability[row][column])} to hit`;
      this.lastLine.textContent = words;
      announce(words);
    } catch (error) {
      say(this.problem, error.message);
    } finally {
      this.hintButton.disabled = this.view.to_move !== this.you;
    }
  }

  async resign() {
    if (this.resignButton.dataset.sure !== "yes") {
      this.resignButton.dataset.sure = "yes";
      this.resignButton.textContent = "Really resign?";
      setTimeout(() => {
        delete this.resignButton.dataset.sure;
        this.resignButton.textContent = "Resign";
      }, 4000);
      return;
    }
    try {
      this.seen(await post(`/games/${this.id}/resign`, {}, this.token));
    } catch (error) {
      say(this.problem, error.message);
    }
  }

  async rematch() {
    this.again.disabled = true;
    try {
      const made = await post(`/games/${this.id}/rematch`, {}, this.token);
      seats.keep(made.id, made.token, { kind: this.view.kind });
      location.hash = `#/play/${made.id}`;
    } catch (error) {
      say(this.problem, error.message);
      this.again.disabled = false;
    }
  }
}
