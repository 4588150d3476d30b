// A game that you play: placing, shooting, the end.

import { call, follow, get, post, seats } from "./api.js";
import { Board, fitSide } from "./board.js";
import { announce, ask, copyText, h, memory, percent, toast, toggle, withCode } from "./dom.js";
import { damage, showFleet, stillToFind } from "./fleet.js";
import { exportButtons } from "./exports.js";
import { Heat, belief, hintOf, legend, searchToggle } from "./heat.js";
import { invitationCard } from "./invite.js";
import { myGames } from "./my_games.js";
import { analyseLink, cellAt, hitCells, rulesText, shipsUnderFire, shotsOf, sunkCells, sunkHulls, toldText } from "./notation.js";
import { PacedMoves, isInstant } from "./pace.js";
import { personMemory } from "./person_memory.js";
import { savePicture } from "./picture.js";
import { Placement } from "./placement.js";
import { followPreparation, isBeingPrepared } from "./preparation.js";
import { endCard, review } from "./review.js";
import { Salvo } from "./salvo.js";
import { sha256 } from "./sha256.js";
import { playSound } from "./sound.js";
import { t, tn } from "./texts.js";

/** Settings that this browser keeps. */
function settingsMenu() {
  const menu = h(
    "details",
    { class: "menu" },
    h("summary", { class: "button" }, t("Settings")),
    h(
      "div",
      { class: "popover card" },
      toggle(t("Instant replies"), isInstant(), (on) => memory.set("instant", on), t("Show the opponent’s shot at once, without a pause")),
      toggle(t("Sound"), memory.get("sound", false), (on) => {
        memory.set("sound", on);
        playSound("hit");
      }),
    ),
  );
  const close = (event) => {
    if (!menu.isConnected) document.removeEventListener("pointerdown", close);
    else if (!menu.contains(event.target)) menu.open = false;
  };
  document.addEventListener("pointerdown", close);
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  return menu;
}

export class GameView {
  constructor(id, token) {
    this.id = id;
    this.token = token;
    this.connection = h("p", { class: "line", role: "status", hidden: true }, t("Connection lost; reconnecting …"));
    this.body = h("div", { class: "game-body" }, h("p", { class: "quiet" }, t("Loading the game …")));
    this.element = h("div", { class: "game" }, this.connection, this.body);
    this.reviewing = new AbortController();
    this.paced = new PacedMoves((count) => this.update(count), (move) => move.side !== this.you);
    this.stop = follow(id, token, (view) => this.seen(view), (up) => (this.connection.hidden = up), (status) => this.gone(status));
  }

  close() {
    this.stop();
    this.paced.close();
    this.reviewing.abort();
  }

  gone(status) {
    if (status === 404) seats.forget(this.id);
    this.connection.hidden = true;
    this.body.replaceChildren(
      h("section", { class: "card" }, h("h2", {}, t("Game not found")), h("p", {}, status === 404 ? t("It may have expired.") : t("It can only be continued in the browser where it was started or joined.")), h("p", {}, h("a", { href: "#/play" }, t("Start a new game")))),
    );
  }

  seen(view) {
    if (this.view && view.version < this.view.version) return;
    this.view = view;
    this.you = view.you;
    this.enemy = 1 - view.you;
    seats.note(this.id, { state: view.state, rules: view.rules.name ?? `${view.rules.rows}×${view.rules.columns}`, against: this.name(this.enemy), yours: view.to_move === view.you, winner: view.winner, you: view.you });
    if (view.state === "placing" || (view.state === "over" && !view.seats.every((seat) => seat.placed))) this.showPlacing();
    else {
      if (this.stage !== "playing") this.startPlaying();
      this.paced.take(view.moves);
    }
  }

  name(side) {
    const seat = this.view.seats[side];
    if (side === this.you) return t("You");
    return seat.name || (seat.joined ? t("Opponent") : t("nobody yet"));
  }

  /** The tab says whose turn it is, for those who wait in another one. */
  title(text) {
    document.title = `${text} · seabattle`;
  }

  // Before the first shot

  showPlacing() {
    const { view } = this;
    const mine = view.seats[this.you];
    const theirs = view.seats[this.enemy];
    if (view.state === "over") {
      this.stage = "left";
      this.title(t("Game over"));
      this.body.replaceChildren(h("section", { class: "card" }, h("h2", {}, view.resigned === this.you ? t("You left before the battle") : t("Your opponent left before the battle")), h("p", {}, h("a", { href: "#/play" }, t("Start a new game")))));
      return;
    }
    if (this.stage !== "placing") {
      this.stage = "placing";
      this.invitation = h("section", { class: "card invite", hidden: true });
      this.fleet = h("div", { class: "placing-area" });
      this.waiting = h("p", { class: "turn", role: "status" });
      this.body.replaceChildren(h("div", { class: "before" }, h("div", {}, this.waiting, this.fleet), this.invitation));
    }
    if (mine.placed) this.showOwnFleet();
    else if (!this.placement) {
      this.placement = new Placement(view.rules, {
        ready: async (ships) => this.seen(await call("PUT", `/games/${this.id}/layout`, { ships }, this.token)),
      });
      this.fleet.replaceChildren(this.placement.element);
    }
    const invite = seats.all()[this.id]?.invite;
    if (view.kind === "people" && !theirs.joined && invite && this.invitation.hidden) {
      this.invitation.hidden = false;
      invitationCard(this.id, invite).then((parts) => this.invitation.replaceChildren(...parts), (error) => toast(error.message, "bad"));
    }
    if (theirs.joined) this.invitation.hidden = true;
    const other = this.name(this.enemy);
    const [title, text] = mine.placed
      ? theirs.joined ? [t("Waiting for {name}", { name: other }), t("Waiting for {name} to place the fleet …", { name: other })] : [t("Waiting for the other player"), t("Waiting for the other player to join …")]
      : [t("Place your fleet"), view.kind === "people" ? (theirs.placed ? t("{name} is ready.", { name: other }) : theirs.joined ? t("{name} has joined.", { name: other }) : "") : ""];
    this.title(title);
    this.waiting.hidden = view.kind !== "people";
    this.waiting.textContent = text;
  }

  /** Your fleet while the other one places theirs. */
  showOwnFleet() {
    if (this.shownFleet) return;
    const { rules, seats: sides } = this.view;
    const board = new Board(rules, t("Your fleet"));
    board.enable(false);
    board.setShips(shipsUnderFire(rules, sides[this.you].ships, new Set()));
    this.shownFleet = h("section", { class: "placement" }, h("div", { class: "heading" }, h("h2", {}, t("Your fleet is placed"))), board.element);
    this.fleet.replaceChildren(this.shownFleet);
    this.body.querySelector(".turn").tabIndex = -1;
    this.body.querySelector(".turn").focus({ preventScroll: true });
  }

  // The battle

  startPlaying() {
    const placed = this.stage === "placing";
    this.stage = "playing";
    const { rules, hints } = this.view;
    this.theirs = new Board(rules, t("Enemy waters"), {
      chosen: (cell) => (this.salvo.used ? this.choose(cell) : this.fire([cell])),
      pressed: (cell, key) => {
        if (key.toLowerCase() === "h" && hints) this.hint();
        else return this.salvo.pressed(key);
        return true;
      },
    });
    this.salvo = new Salvo(this.theirs, rules, (cells) => this.fire(cells), this.view.repeats ? (cell) => this.wants(cell) : null);
    this.mine = new Board(rules, t("Your waters"));
    this.mine.enable(false);
    this.theirLegend = legend();
    this.myLegend = legend();
    this.theirHeat = new Heat(this.theirs, this.theirLegend, rules, { ask: (shots) => (this.view.state === "over" ? belief(rules, shots) : hintOf(this.id, this.token, shots)) });
    this.myHeat = new Heat(this.mine, this.myLegend, rules, { plain: true });
    this.paced.together = this.salvo.used;
    this.turnLine = h("p", { class: "turn" });
    this.myShot = h("span", { class: "mine" });
    this.theirShot = h("span", { class: "theirs" });
    this.hintButton = h("button", { type: "button", hidden: !hints, onclick: () => this.hint() }, t("Hint"));
    this.resignButton = h("button", { type: "button", class: "quiet-button resign", onclick: () => this.resign() }, t("Resign"));
    this.analyse = h("a", { class: "button small", hidden: !hints }, t("Analyse this position"));
    this.saveMenu = h("details", { class: "menu saving" }, h("summary", { class: "button" }, t("Save")), h("div", { class: "popover card" }, h("button", { type: "button", onclick: () => savePicture(this.theirs, rulesText(rules)) }, t("Save as PNG"))));
    this.review = h("div", { class: "review" });
    this.status = h("div", { class: "status" }, h("div", {}, this.turnLine, h("p", { class: "last-shot" }, this.myShot, this.theirShot)), h("div", { class: "actions" }, this.salvo.fireButton, this.salvo.clearButton, this.hintButton, settingsMenu(), this.view.spectators ? this.spectatorLink() : null, this.resignButton));
    this.endBox = h("div", { class: "end unused" });
    this.theirFleet = h("ul", { class: "fleet", "aria-label": t("Enemy fleet") });
    this.myFleet = h("ul", { class: "fleet", "aria-label": t("Your fleet") });
    this.log = h("ol", { class: "log" });
    this.fair = h("div", { class: "fair" });
    this.theirTitle = h("h2", {});
    this.body.replaceChildren(
      h("div", { class: "stage-head" }, this.status, this.endBox),
      h(
        "div",
        { class: "boards" },
        h("section", { class: "side enemy" }, h("div", { class: "side-head" }, this.theirTitle, hints ? toggle(t("Heat map"), false, (on) => this.theirHeat.switch(on), t("How likely a ship is on each cell, given what you know")) : h("span", { class: "quiet" }, t("Hints are off"))), this.theirs.element, this.theirLegend.element, this.theirFleet, h("div", { class: "under-board" }, this.analyse, this.saveMenu)),
        h("section", { class: "side own" }, h("div", { class: "side-head" }, h("h2", {}, t("Your waters")), h("div", { class: "toggles" }, toggle(t("Their view"), false, (on) => this.myHeat.switch(on), t("How likely a ship is on each cell, given what your opponent knows")), searchToggle(t("Their search"), this.myHeat, this.view.seats[this.enemy].player ?? ""))), this.mine.element, this.myLegend.element, this.myFleet),
      ),
      this.review,
      h("div", { class: "below" }, h("details", { class: "history" }, h("summary", {}, t("Shots")), this.log), h("details", { class: "fairness" }, h("summary", {}, t("Fair play")), this.fair)),
    );
    for (const side of this.body.querySelectorAll(".side")) fitSide(side, rules);
    if (placed) {
      // The button that had the focus is gone; the next thing to do is to shoot.
      const cells = [...this.theirs.cells.keys()];
      this.theirs.focusOn(cells[Math.floor(cells.length / 2)], true);
    }
  }

  /** Show the first moves of the game, and everything else once they are all shown. */
  update(count) {
    const { view } = this;
    const fresh = this.count === undefined ? [] : view.moves.slice(this.count, count);
    const moves = view.moves.slice(0, count);
    const all = count === view.moves.length;
    const shots = [0, 1].map((side) => shotsOf(moves, side));
    const over = all && view.state === "over";
    const myTurn = all && !over && view.to_move === this.you;
    const animated = this.count !== undefined;
    this.count = count;
    this.theirs.setShots(shots[this.you], animated);
    this.mine.setShots(shots[this.enemy], animated);
    if (fresh.length || over) this.theirs.setRings({});
    this.showShips(shots, over);
    if (shots[this.you].length !== this.theirHeat.shots.length || !animated) this.theirHeat.update(shots[this.you]);
    if (shots[this.enemy].length !== this.myHeat.shots.length || !animated) this.myHeat.update(shots[this.enemy]);
    this.theirs.enable(myTurn);
    this.analyse.href = analyseLink(view.rules, shots[this.you]);
    this.element.classList.toggle("my-turn", myTurn);
    const enemy = { name: this.name(this.enemy) };
    this.theirTitle.textContent = view.kind === "people" ? t("{name}’s waters", enemy) : t("Enemy waters");
    const theirTurn = t("{name}’s turn", enemy);
    const waits = !view.thinking && all ? theirTurn : view.kind === "people" ? t("{name} shoots …", enemy) : t("{name} is thinking …", enemy);
    this.turnLine.textContent = over ? this.result() : myTurn ? t("Your turn") : waits;
    this.title(over ? this.verdict() : myTurn ? `● ${t("Your turn")}` : theirTurn);
    const [myLast, theirLast] = [this.you, this.enemy].map((side) => this.lastTurn(moves, side));
    this.myShot.textContent = myLast ? `${t("You")} · ${myLast}` : moves.length ? "" : this.salvo.used ? t("Choose the cells of your salvo in the enemy waters, then fire.") : t("Choose a cell in the enemy waters.");
    this.theirShot.textContent = theirLast ? `${this.name(this.enemy)} · ${theirLast}` : "";
    for (const line of [this.myShot, this.theirShot]) line.classList.remove("now");
    if (moves.length) (moves.at(-1).side === this.you ? this.myShot : this.theirShot).classList.add("now");
    this.hintButton.disabled = !myTurn;
    if (this.salvo.used) {
      this.salvo.allow(myTurn ? view.salvo : 0);
      if (myTurn) this.turnLine.textContent = tn(view.salvo, "Your turn: {n} shot", "Your turn: {n} shots");
    }
    this.log.replaceChildren(...moves.map((move) => h("li", {}, h("span", { class: "who" }, this.name(move.side)), " ", toldText(move), move.note ? h("em", {}, ` ${move.note}`) : null)));
    if (fresh.length) this.tell(fresh, myTurn, over);
    else if (over && animated && this.endBox.classList.contains("unused")) announce(this.result());
    this.showFairness();
    if (over) this.showEnd();
  }

  /** The answers to the last turn of one side: a shot, or a salvo. */
  lastTurn(moves, side) {
    const end = moves.findLastIndex((move) => move.side === side) + 1;
    let start = Math.max(end - 1, 0);
    while (this.salvo.used && start > 0 && moves[start - 1].side === side) start -= 1;
    return moves.slice(start, end).map(toldText).join(", ");
  }

  /** Say what happened, aloud and to screen readers. */
  tell(fresh, myTurn, over) {
    const last = fresh.at(-1);
    playSound(last.told);
    const note = fresh.findLast((move) => move.note)?.note;
    if (note) toast(note);
    const words = fresh.map((move) => `${this.name(move.side)}: ${toldText(move).replace(":", "")}`);
    if (over) words.push(this.result());
    else if (myTurn && fresh.some((move) => move.side === this.enemy)) words.push(t("Your turn"));
    announce(words.join(". "));
  }

  /** The result in a word. */
  verdict() {
    const { drawn, winner } = this.view;
    return drawn ? t("A draw") : winner === this.you ? t("Victory") : t("Defeat");
  }

  /** The result as a sentence. */
  result() {
    const { view } = this;
    if (view.drawn) return t("A draw: both fleets went down in the same round.");
    const won = view.winner === this.you;
    const enemy = { name: this.name(this.enemy) };
    if (view.resigned !== null) return won ? t("You win: {name} resigned.", enemy) : t("You resigned.");
    return won ? t("You win!") : t("{name} wins.", enemy);
  }

  /** Ships as far as you know them, and both fleets with their damage. */
  showShips(shots, over) {
    const { view } = this;
    const { rules } = view;
    const mine = shipsUnderFire(rules, view.seats[this.you].ships, hitCells(shots[this.enemy]));
    this.mine.setShips(mine);
    this.mine.setSunk(sunkCells(mine));
    const hits = hitCells(shots[this.you]);
    if (over) {
      const theirs = shipsUnderFire(rules, view.seats[this.enemy].ships, hits);
      this.theirs.setShips(theirs, true);
      this.theirs.setSunk(sunkCells(theirs));
      showFleet(this.theirFleet, rules, (k) => theirs[k].cells.map((cell) => hits.has(cell)));
    } else {
      const known = view.sunk[this.you];
      this.theirs.setShips(sunkHulls(known));
      this.theirs.setSunk(known.cells);
      showFleet(this.theirFleet, rules, (k) => damage(rules, k, shots[this.you]), stillToFind(rules, shots[this.you]));
    }
    const struck = hitCells(shots[this.enemy]);
    showFleet(this.myFleet, rules, (k) => mine[k].cells.map((cell) => struck.has(cell)));
  }

  async showFairness() {
    const { view } = this;
    const theirs = view.seats[this.enemy];
    const lines = [h("p", {}, t("Before the first shot, the server published the SHA-256 of the enemy layout and a secret nonce. When the game is over, both are revealed and this page checks that they match.")), h("p", {}, withCode(t("Published: {hash}"), { hash: theirs.commitment }))];
    if (theirs.nonce) {
      const found = await sha256(`${theirs.layout}\n${theirs.nonce}`);
      const published = this.published ?? theirs.commitment;
      const same = found === published && theirs.commitment === published;
      lines.push(h("p", {}, withCode(t("Layout: {layout}"), { layout: theirs.layout })), h("p", {}, withCode(t("Nonce: {nonce}"), { nonce: theirs.nonce })), h("p", { class: same ? "good" : "bad" }, same ? `✓ ${t("The layout matches the published hash.")}` : `✗ ${t("The layout does not match the published hash!")}`));
      this.verified = same;
      this.endCheck?.replaceChildren(same ? `✓ ${t("layout verified")}` : `✗ ${t("the layout does not match the published hash")}`);
      this.endCheck?.classList.toggle("bad", !same);
    } else this.published ??= theirs.commitment;
    this.fair.replaceChildren(...lines);
  }

  showEnd() {
    const { view } = this;
    const won = view.winner === this.you;
    if (this.endBox.classList.contains("unused")) {
      this.endCheck = h("span", { class: "check" }, "");
      this.again = h("button", { type: "button", class: "main", onclick: () => this.rematch() }, t("Rematch"));
      this.endBox.replaceChildren(
        h("div", {}, h("h2", {}, this.verdict()), h("p", {}, `${this.result()} ${this.hintsUsed()} `, this.endCheck)),
        h("div", { class: "actions" }, this.again, h("a", { class: "button", href: `#/replay/${this.id}` }, t("Replay")), h("a", { class: "button", href: "#/play" }, t("New game"))),
      );
      this.endBox.className = `end ${view.drawn ? "drawn" : won ? "won" : "lost"}`;
      this.status.classList.add("unused");
      this.analyse.hidden = false;
      this.saveMenu.querySelector(".popover").append(...exportButtons(() => get(`/games/${this.id}/record`)));
      this.showReview();
    }
    if (view.rematch && view.kind === "people") this.again.textContent = t("Rematch ({name} is waiting)", { name: this.name(this.enemy) });
  }

  /** Count the game among this browser's, and show how good the shots were. */
  async showReview() {
    const { view } = this;
    const mine = view.moves.filter((move) => move.side === this.you);
    const cells = view.rules.fleet.reduce((sum, length) => sum + length, 0);
    const game = {
      id: this.id,
      rules: rulesText(view.rules),
      opponent: this.name(this.enemy),
      person: view.kind === "people",
      result: view.drawn ? "drawn" : view.winner === this.you ? "won" : "lost",
      shots: mine.length,
      complete: hitCells(shotsOf(mine, this.you)).size === cells,
    };
    myGames.keep(game);
    const waiting = h("p", { class: "quiet", role: "status" }, t("Reviewing the shots …"));
    this.review.replaceChildren(waiting);
    const shots = [];
    try {
      const record = await get(`/games/${this.id}/record`);
      if (view.remembers !== null) personMemory.keep(view.rules, this.id, this.you, record);
      const found = await review(record, (shot) => {
        shots.push(shot);
        waiting.textContent = t("Reviewing the shots: {done} of {all} …", { done: shots.length, all: view.moves.length });
      }, this.reviewing.signal);
      if (!found) return;
      if (found.sides[this.you].accuracy !== null) myGames.keep({ ...game, accuracy: found.sides[this.you].accuracy });
      const link = (number) => `#/replay/${this.id}?move=${number}`;
      this.review.replaceChildren(...[this.you, this.enemy].filter((side) => found.sides[side].shots).map((side) => endCard(side === this.you ? t("Your shots") : t("Shots of {name}", { name: this.name(side) }), found.sides[side], shots, link)));
      announce(t("Your accuracy: {accuracy}%", { accuracy: Math.round(found.sides[this.you].accuracy ?? 0) }));
    } catch (error) {
      waiting.textContent = error.message;
    }
  }

  /** The link for spectators. */
  spectatorLink() {
    return h("button", { type: "button", onclick: async () => {
      const link = `${location.origin}/#/spectate/${this.id}`;
      toast((await copyText(link)) ? t("Link for spectators copied.") : link);
    } }, t("Copy spectator link"));
  }

  /** Who asked for how many hints. */
  hintsUsed() {
    const { view } = this;
    const [mine, theirs] = [this.you, this.enemy].map((side) => view.seats[side].hints);
    if (view.kind === "people") return view.hints ? t("Hints used: you {mine}, {name} {theirs}.", { mine, theirs, name: this.name(this.enemy) }) : t("Played without hints.");
    return mine ? tn(mine, "You used {n} hint.", "You used {n} hints.") : "";
  }

  /** Choose a cell of the salvo, or take it back. */
  choose(cell) {
    if (this.view.state !== "playing") return;
    if (this.firing) toast(t("It is not your turn yet."));
    else this.salvo.choose(cell);
  }

  /** Whether the person wants to waste a shot on a known cell. */
  wants(cell) {
    return ask(t("You have already shot at {cell}. Shooting there again tells you nothing and uses up the shot.", { cell }), t("Waste the shot"), t("Choose another cell"));
  }

  /** Fire at the cells of a turn: one, or a salvo. */
  async fire(cells) {
    const [cell] = cells;
    const { view } = this;
    const wasted = cells.some((each) => this.theirs.marks.has(each));
    if (view.state !== "playing") return;
    if (wasted && !view.repeats) {
      toast(t("You have already shot at {cell}.", { cell }));
      return;
    }
    // The event stream may bring the answer before the response to the request does.
    if (view.to_move !== this.you || !this.paced.caughtUp || this.firing?.after === view.moves.length) {
      toast(t("It is not your turn yet."));
      return;
    }
    if (wasted && !this.salvo.used && !((await this.wants(cell)) && this.view.version === view.version)) return;
    const firing = (this.firing = { after: view.moves.length });
    for (const each of cells) this.theirs.pending(each);
    toast("");
    try {
      const seen = await post(`/games/${this.id}/shots`, { ...(this.salvo.used ? { cells } : { cell }), waste: wasted }, this.token);
      if (this.firing === firing) this.firing = null;
      this.seen(seen);
    } catch (error) {
      if (this.firing === firing) this.firing = null;
      this.theirs.setShots(shotsOf(this.view.moves, this.you));
      toast(error.status ? error.message : t("The server cannot be reached; your shot was not fired. Try again when the connection is back."), "bad");
    }
  }

  async hint() {
    const { view } = this;
    if (view.state !== "playing" || view.to_move !== this.you || !this.paced.caughtUp) return;
    this.hintButton.disabled = true;
    followPreparation();
    const slow = setTimeout(() => toast(isBeingPrepared("heat maps") ? t("Hints are being prepared for their first use …") : t("Computing the hint …")), 1500);
    try {
      const found = await hintOf(this.id, this.token, shotsOf(view.moves, this.you));
      if (this.view.moves.length !== view.moves.length) return;
      this.theirs.setRings({ [found.suggestion]: "hint" });
      this.theirs.focusOn(found.suggestion);
      const [row, column] = cellAt(found.suggestion);
      toast(t("Hint: {cell}, {chance} to hit", { cell: found.suggestion, chance: percent(found.probability[row][column]) }));
    } catch (error) {
      toast(error.message, "bad");
    } finally {
      clearTimeout(slow);
      this.hintButton.disabled = this.view.to_move !== this.you;
    }
  }

  async resign() {
    if (this.resignButton.dataset.sure !== "yes") {
      this.resignButton.dataset.sure = "yes";
      this.resignButton.textContent = t("Really resign?");
      setTimeout(() => {
        delete this.resignButton.dataset.sure;
        this.resignButton.textContent = t("Resign");
      }, 4000);
      return;
    }
    try {
      this.seen(await post(`/games/${this.id}/resign`, {}, this.token));
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  async rematch() {
    this.again.disabled = true;
    try {
      const made = await post(`/games/${this.id}/rematch`, {}, this.token);
      seats.keep(made.id, made.token, { kind: this.view.kind });
      location.hash = `#/play/${made.id}`;
    } catch (error) {
      toast(error.message, "bad");
      this.again.disabled = false;
    }
  }
}
