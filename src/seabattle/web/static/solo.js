// Solo: find a hidden fleet alone, with as few shots as possible.

import { get, post, seats } from "./api.js";
import { Board, fitSide } from "./board.js";
import { savedRulesChooser } from "./choosers.js";
import { announce, h, memory, notice, onSubmit, percent, toast, toggle } from "./dom.js";
import { damage, showFleet, stillToFind } from "./fleet.js";
import { Heat, belief, legend } from "./heat.js";
import { myGames, summary } from "./my_games.js";
import { analyseLink, cellAt, hitCells, rulesText, shipsUnderFire, shotCount, sunkCells, sunkHulls, toldText } from "./notation.js";
import { savePicture } from "./picture.js";
import { followPreparation } from "./preparation.js";
import { endCard, review } from "./review.js";
import { Salvo } from "./salvo.js";
import { playSound } from "./sound.js";
import { t, tn } from "./texts.js";

async function begin(rules) {
  const made = await post("/solo", { rules });
  seats.keep(made.id, made.token, { kind: "solo" });
  location.hash = `#/solo/${made.id}`;
}

export async function solo(main, [id]) {
  if (id) return show(main, id);
  const rules = await savedRulesChooser(memory.get("solo", {}).rules);
  const problem = notice("bad");
  const go = h("button", { type: "submit", class: "main" }, t("Hide a fleet"));
  const form = h("form", { class: "card setup" }, rules.element, h("div", { class: "actions" }, go), problem);
  onSubmit(form, go, problem, async () => {
    const wanted = await rules.valid();
    memory.set("solo", { rules: rules.rules });
    followPreparation();
    await begin(wanted);
  });
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, t("Solo")), h("p", { class: "lead" }, t("A fleet is hidden. Find it with as few shots as you can."))),
    h("div", { class: "columns" }, form, await averages()),
  );
  return undefined;
}

/** The running averages of the solo games in this browser. */
async function averages() {
  const games = myGames.all().filter(({ result }) => result === "solo");
  const found = await summary(games).catch(() => null);
  return h("aside", { class: "card" }, h("h2", {}, t("Your average")), found ? h("ul", { class: "games" }, found.opponents.map((each) => h("li", { class: "plain" }, h("span", {}, each.rules), h("span", {}, tn(each.solo, "{mean} shots in {n} game, best {best}", "{mean} shots in {n} games, best {best}", { mean: each.mean_shots.toFixed(1), best: each.best_shots }))))) : h("p", { class: "quiet" }, t("It appears here after your first solo game.")));
}

async function show(main, id) {
  const token = seats.token(id);
  main.replaceChildren(h("h1", { class: "unseen" }, t("Solo")));
  let view;
  try {
    view = await get(`/solo/${encodeURIComponent(id)}`, token);
  } catch (error) {
    main.append(h("section", { class: "card" }, h("h2", {}, t("Game not found")), h("p", {}, error.message), h("p", {}, h("a", { href: "#/solo" }, t("Start a new game")))));
    return undefined;
  }
  const { rules } = view;
  const stop = new AbortController();
  let firing = false;
  let latest = 1; // how many shots the last turn had
  const board = new Board(rules, t("Hidden fleet"), {
    chosen: (cell) => (salvo.used ? view.state === "over" || firing || salvo.choose(cell) : fire([cell])),
    pressed: (cell, key) => (key.toLowerCase() === "h" ? (hint(), true) : salvo.pressed(key)),
  });
  const salvo = new Salvo(board, rules, fire);
  const caption = legend();
  const heat = new Heat(board, caption, rules);
  const turn = h("p", { class: "turn" });
  const last = h("p", { class: "last-shot" });
  const fleet = h("ul", { class: "fleet", "aria-label": t("Hidden fleet") });
  const analyse = h("a", { class: "button" }, t("Analyse this position"));
  const hintButton = h("button", { type: "button", class: "hint-button", onclick: hint }, t("Hint"));
  const end = h("div", { class: "solo-end" });
  const side = h("section", { class: "side enemy" }, h("div", { class: "side-head" }, h("h2", {}, t("Hidden fleet")), toggle(t("Heat map"), false, (on) => heat.switch(on))), board.element, caption.element, fleet);
  fitSide(side, rules);
  main.append(
    h("div", { class: "status" }, h("div", {}, turn, last), h("div", { class: "actions" }, salvo.fireButton, salvo.clearButton, hintButton, analyse, h("button", { type: "button", onclick: () => savePicture(board, rulesText(rules)) }, t("Save as PNG")), h("a", { class: "button", href: "#/solo" }, t("New game")))),
    h("div", { class: "boards single" }, side),
    end,
  );
  const cells = [...board.cells.keys()];
  board.focusOn(cells[Math.floor(cells.length / 2)], !view.shots.length);
  update(false);

  function update(fresh = true) {
    const { shots, state } = view;
    const over = state === "over";
    board.setShots(shots, fresh);
    board.enable(!over);
    board.setRings({});
    const hits = hitCells(shots);
    if (over) {
      const ships = shipsUnderFire(rules, view.ships, hits);
      board.setShips(ships, true);
      board.setSunk(sunkCells(ships));
      showFleet(fleet, rules, (k) => ships[k].cells.map((cell) => hits.has(cell)));
    } else {
      board.setShips(sunkHulls(view.sunk));
      board.setSunk(view.sunk.cells);
      showFleet(fleet, rules, (k) => damage(rules, k, shots), stillToFind(rules, shots));
    }
    heat.update(shots);
    analyse.href = analyseLink(rules, shots);
    hintButton.hidden = over;
    salvo.fireButton.hidden = salvo.clearButton.hidden = over || !salvo.used;
    if (salvo.used) salvo.allow(view.salvo);
    turn.textContent = over ? tn(shots.length, "You found the whole fleet with {n} shot.", "You found the whole fleet with {n} shots.") : shotCount(shots.length);
    last.textContent = shots.length ? shots.slice(-latest).map(toldText).join(", ") : salvo.used ? t("Choose the cells of your salvo, then fire.") : t("Choose a cell.");
    document.title = `${turn.textContent} · seabattle`;
    if (over) finish();
  }

  /** Fire at the cells of a turn: one, or a salvo. */
  async function fire(cells) {
    if (view.state === "over" || firing) return;
    const known = cells.find((cell) => board.marks.has(cell));
    if (known) {
      toast(t("You have already shot at {cell}.", { cell: known }));
      return;
    }
    firing = true;
    for (const cell of cells) board.pending(cell);
    try {
      view = await post(`/solo/${id}/shots`, { cells }, token);
      latest = cells.length;
      const shots = view.shots.slice(-latest);
      playSound(shots.findLast(({ told }) => told !== "miss")?.told ?? "miss");
      announce(`${shots.map((shot) => toldText(shot).replace(":", "")).join(", ")}. ${shotCount(view.shots.length)}`);
    } catch (error) {
      toast(error.message, "bad");
    }
    firing = false;
    update();
  }

  async function hint() {
    if (view.state === "over") return;
    try {
      const found = await belief(rules, view.shots);
      const chance = (cell) => {
        const [row, column] = cellAt(cell);
        return found.probability[row][column];
      };
      // A cell that is already in the salvo is no advice.
      const open = [...board.cells.keys()].filter((cell) => !board.marks.has(cell) && !salvo.cells.includes(cell));
      const cell = salvo.cells.length ? open.reduce((best, each) => (chance(each) > chance(best) ? each : best), open[0]) : found.suggestion;
      board.setRings({ [cell]: "hint" });
      board.focusOn(cell);
      toast(t("Hint: {cell}, {chance} to hit", { cell, chance: percent(chance(cell)) }));
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  async function finish() {
    const game = { id, rules: rulesText(rules), result: "solo", shots: view.shots.length, complete: true };
    myGames.keep(game);
    const again = h("button", { type: "button", class: "main", onclick: () => begin(rulesText(rules)).catch((error) => toast(error.message, "bad")) }, t("Again"));
    const card = h("div", {}, h("p", { class: "quiet", role: "status" }, t("Reviewing the shots …")));
    end.replaceChildren(h("div", { class: "columns" }, card, await averages()), h("div", { class: "actions" }, again));
    const record = await get(`/solo/${id}/record`, token);
    const link = (number) => `#/replay?${new URLSearchParams({ record, move: number })}`;
    end.lastChild.append(h("a", { class: "button", href: link(view.shots.length) }, t("Replay")));
    const shots = [];
    try {
      const found = await review(record, (shot) => shots.push(shot), stop.signal);
      if (!found) return;
      myGames.keep({ ...game, accuracy: found.sides[0].accuracy });
      card.replaceChildren(endCard(t("Your shots"), found.sides[0], shots, link));
    } catch (error) {
      card.replaceChildren(h("p", {}, error.message));
    }
  }
  return () => stop.abort();
}
