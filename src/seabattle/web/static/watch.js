// Watch: two computer players against each other.

import { get, post, seats } from "./api.js";
import { Board, fitSide } from "./board.js";
import { playerChooser, savedRulesChooser } from "./choosers.js";
import { h, memory, notice, onSubmit, sleep, toast, toggle } from "./dom.js";
import { Heat, legend, searchToggle } from "./heat.js";
import { followPreparation } from "./preparation.js";
import { analyseLink, hitCells, hitCount, shipsUnderFire, shotCount, sunkCells, toldText } from "./notation.js";
import { t, tn } from "./texts.js";
import { WatchedAverage } from "./watched_average.js";

export async function watch(main, [id]) {
  if (id) return show(main, id);
  const last = memory.get("watch", {});
  const first = await playerChooser(t("First player"), last.players?.[0]);
  const second = await playerChooser(t("Second player"), last.players?.[1] ?? "random");
  const suit = (chosen) => [first, second].map((player) => player.suit(chosen));
  const rules = await savedRulesChooser(last.rules, suit);
  suit(rules.rules);
  const problem = notice("bad");
  const go = h("button", { type: "submit", class: "main" }, t("Watch them play"));
  const form = h("form", { class: "card setup" }, rules.element, h("div", { class: "pair" }, first.element, second.element), h("div", { class: "actions" }, go), problem);
  onSubmit(form, go, problem, async () => {
    const players = [first.player, second.player];
    const made = await post("/games", { kind: "watch", rules: await rules.valid(), players });
    memory.set("watch", { rules: rules.rules, players });
    seats.keep(made.id, made.token, { kind: "watch" });
    followPreparation();
    location.hash = `#/watch/${made.id}`;
  });
  main.replaceChildren(h("div", { class: "intro" }, h("h1", {}, t("Watch")), h("p", { class: "lead" }, t("Let two players play each other, and see what each of them knows."))), form);
}

const SPEEDS = [0.5, 1, 2, 4, 8, 16, Infinity];

async function show(main, id) {
  const token = seats.token(id);
  main.replaceChildren(h("h1", { class: "unseen" }, t("Watch")));
  let view;
  try {
    view = await get(`/games/${id}`, token ?? "");
  } catch (error) {
    main.append(h("section", { class: "card" }, h("h2", {}, t("You cannot watch this game here")), h("p", {}, error.message), h("p", {}, h("a", { href: "#/watch" }, t("Watch another game")))));
    return undefined;
  }
  const { rules } = view;
  let running = false;
  let runs = 0;
  let closed = false;
  let speed = memory.get("speed", 3);
  const sides = [0, 1].map((side) => {
    // Side 0 shoots at the waters of side 1.
    const board = new Board(rules, t("Waters of player {number}, {name}", { number: 2 - side, name: view.seats[1 - side].name }));
    board.enable(false);
    const caption = legend();
    const heat = new Heat(board, caption, rules);
    heat.on = true;
    const player = view.seats[side].player ?? "";
    const fired = h("p", { class: "quiet count" });
    const analyse = h("a", { class: "button small" }, t("Analyse this position"));
    const element = h("section", { class: "side" }, h("div", { class: "side-head" }, h("div", {}, h("h2", {}, t("{name} shoots", view.seats[side])), fired), h("div", { class: "toggles" }, toggle(t("Heat map"), true, (on) => heat.switch(on)), searchToggle(t("Its search"), heat, player))), board.element, caption.element, h("div", { class: "under-board" }, analyse));
    return { board, heat, fired, analyse, element };
  });
  for (const { element } of sides) fitSide(element, rules);
  const status = h("p", { class: "turn", role: "status" });
  const last = h("p", { class: "last-shot" });
  const go = h("button", { type: "button", class: "main", onclick: () => run(!running) }, t("Play"));
  const one = h("button", { type: "button", onclick: () => step() }, t("Step"));
  const speedText = h("output", { class: "quiet" });
  const slider = h("input", { type: "range", min: 0, max: SPEEDS.length - 1, step: 1, value: speed, "aria-label": t("Speed") });
  const showSpeed = () => {
    speedText.textContent = SPEEDS[speed] === Infinity ? t("maximum speed") : (rules.salvo ?? 1) === 1 ? tn(SPEEDS[speed], "{n} shot per second", "{n} shots per second") : tn(SPEEDS[speed], "{n} salvo per second", "{n} salvos per second");
    slider.setAttribute("aria-valuetext", speedText.textContent);
  };
  slider.addEventListener("input", () => {
    speed = Number(slider.value);
    memory.set("speed", speed);
    showSpeed();
  });
  let shipsShown = true;
  let keepsOn = memory.get("watch on", false);
  const average = new WatchedAverage(view);
  const end = h("div", { class: "end unused" });
  const controls = h("div", { class: "status" }, h("div", {}, status, last), h("div", { class: "actions" }, go, one, h("label", { class: "speed" }, t("Speed"), " ", slider), speedText, toggle(t("Ships"), true, (on) => {
    shipsShown = on;
    update(view);
  }), toggle(t("Keep playing"), keepsOn, (on) => {
    keepsOn = on;
    memory.set("watch on", on);
  })));
  main.append(
    h("div", { class: "stage-head" }, controls, end),
    h("div", { class: "boards even" }, sides.map((side) => side.element)),
    average.element,
  );

  function update(next, fresh = false) {
    view = next;
    const over = view.state === "over";
    seats.note(id, { state: view.state, rules: rules.name ?? `${rules.rows}×${rules.columns}`, against: `${view.seats[0].name} – ${view.seats[1].name}`, winner: view.winner });
    sides.forEach(({ board, heat, fired, analyse }, side) => {
      const shots = view.moves.filter((move) => move.side === side);
      const hits = hitCells(shots);
      analyse.href = analyseLink(rules, shots);
      board.setShots(shots, fresh);
      const ships = shipsUnderFire(rules, view.seats[1 - side].ships, hits);
      board.setShips(shipsShown || over ? ships : []);
      board.setSunk(sunkCells(ships));
      fired.textContent = `${shotCount(shots.length)}, ${hitCount(hits.size)}`;
      if (heat.shots.length !== shots.length || !fresh) heat.update(shots);
    });
    const shot = view.moves.at(-1);
    status.textContent = over ? (view.drawn ? t("A draw") : t("{name} wins (player {number})", { name: view.seats[view.winner].name, number: view.winner + 1 })) : t("{name}’s turn", view.seats[view.to_move]);
    last.textContent = shot ? `${view.seats[shot.side].name} · ${toldText(shot)}` : "";
    if (fresh && shot?.note) toast(shot.note);
    document.title = `${status.textContent} · seabattle`;
    go.textContent = running ? t("Pause") : t("Play");
    if (over && end.classList.contains("unused")) {
      end.replaceChildren(h("div", {}, h("h2", { role: "status" }, status.textContent), h("p", {}, tn(view.moves.length, "{n} shot in total", "{n} shots in total"))), h("div", { class: "actions" }, h("button", { type: "button", class: "main", onclick: again }, t("Rematch, other side first")), h("a", { class: "button", href: `#/replay/${id}` }, t("Replay")), h("a", { class: "button", href: "#/watch" }, t("Choose other players"))));
      end.classList.remove("unused");
      controls.classList.add("unused");
    }
    if (over && fresh) {
      average.add([0, 1].map((side) => {
        const shots = view.moves.filter((move) => move.side === side);
        const cells = rules.fleet.reduce((sum, length) => sum + length, 0);
        return hitCells(shots).size === cells ? shots.length : null;
      }));
      if (keepsOn && running) again().catch((error) => toast(error.message, "bad"));
    }
  }

  async function step() {
    one.disabled = true;
    try {
      update(await post(`/games/${id}/step`, {}, token), true);
      return true;
    } catch (error) {
      toast(error.message, "bad");
      return false;
    } finally {
      one.disabled = false;
    }
  }

  async function run(on) {
    running = on;
    const mine = ++runs;
    go.textContent = running ? t("Pause") : t("Play");
    while (running && mine === runs && !closed && view.state !== "over") {
      const began = performance.now();
      if (!(await step())) running = false;
      const pace = SPEEDS[speed];
      if (pace !== Infinity) await sleep(Math.max(0, 1000 / pace - (performance.now() - began)));
    }
    if (mine !== runs) return;
    running = false;
    if (view.state !== "over") go.textContent = t("Play");
  }

  async function again() {
    const made = await post(`/games/${id}/rematch`, {}, token);
    seats.keep(made.id, made.token, { kind: "watch" });
    if (keepsOn) memory.set("watch next", made.id);
    location.hash = `#/watch/${made.id}`;
  }

  showSpeed();
  update(view);
  if (keepsOn && memory.get("watch next", "") === id) {
    memory.set("watch next", "");
    run(true);
  }
  return () => {
    closed = true;
  };
}
