// Replay: step through a finished game with the probabilities at each move.
//
// Before a shot at a cell that holds a ship with probability p, where the best cell held one
// with probability q: luck is (1 or 0 for hit or miss) - p, and q - p was given away.

import { get, post, seats } from "./api.js";
import { Board, fitSide } from "./board.js";
import { h, notice, percent, plural, say, sleep, svg, toggle } from "./dom.js";
import { Heat, belief, legend } from "./heat.js";
import { cellAt, cellName, hitCells, shipsUnderFire, sunkCells, toldText } from "./notation.js";

export async function replay(main, [id]) {
  if (id) {
    main.replaceChildren(h("h1", {}, "Replay"), h("p", { class: "quiet" }, "Loading the game …"));
    try {
      const record = await get(`/games/${encodeURIComponent(id)}/record`);
      return show(main, await post("/replay", { record }), record, seats.all()[id]?.you);
    } catch (error) {
      main.replaceChildren(h("h1", {}, "Replay"), h("section", { class: "card" }, h("p", {}, error.message), h("p", {}, h("a", { href: "#/replay" }, "Choose another game"))));
      return undefined;
    }
  }
  const text = h("textarea", { rows: 9, id: "record", spellcheck: "false", placeholder: "game: seabattle-game 1\nrules: classic\n…" });
  const file = h("input", { type: "file", accept: ".txt,text/plain", id: "record-file" });
  const problem = notice("bad");
  let stop;
  const form = h(
    "form",
    { class: "card setup" },
    h("div", { class: "field" }, h("label", { for: "record" }, "Game record"), text),
    h("div", { class: "field" }, h("label", { for: "record-file" }, "or a file"), file),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "main" }, "Replay")),
    problem,
  );
  file.addEventListener("change", async () => {
    if (file.files[0]) text.value = (await file.files[0].text()).slice(0, 20000);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const game = await post("/replay", { record: text.value });
      stop = show(main, game, text.value);
    } catch (error) {
      say(problem, error.message);
    }
  });
  const finished = Object.entries(seats.all()).filter(([, seat]) => seat.state === "over").sort((a, b) => b[1].when - a[1].when);
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, "Replay"), h("p", { class: "lead" }, "Step through a finished game and see how much was luck and how much was skill.")),
    h("div", { class: "columns" }, form, h("aside", { class: "card" }, h("h2", {}, "Finished games"), finished.length ? h("ul", { class: "games" }, finished.map(([game, seat]) => h("li", {}, h("a", { href: `#/replay/${game}` }, h("span", {}, `${seat.rules} · ${seat.against}`), h("span", { class: "tag" }, new Date(seat.when).toLocaleDateString()))))) : h("p", { class: "quiet" }, "Games that you finish or watch in this browser are listed here."))),
  );
  return () => stop?.();
}

function show(main, game, record, you) {
  const { rules, moves } = game;
  const shooters = game.players.length;
  const names = game.players.map((name, side) => name || (side === you ? "You" : `player ${side + 1}`));
  if (shooters === 2 && names[0] === names[1]) names.forEach((name, side) => (names[side] = `${name} (${side + 1})`));
  const spoken = names.map((name) => (name === "You" ? "you" : name));
  const ratings = new Array(moves.length);
  let at = 0;
  let closed = false;
  let running = 0;
  const sides = names.map((name, side) => {
    const board = new Board(rules, `Shots of ${name}`);
    board.enable(false);
    const caption = legend();
    const heat = new Heat(board, caption, rules);
    heat.on = true;
    const fired = h("p", { class: "quiet count" });
    return { board, heat, fired, element: h("section", { class: "side" }, h("div", { class: "side-head" }, h("div", {}, h("h2", {}, name === "You" ? "You shoot" : `${name} shoots`), fired), toggle("Heat map", true, (on) => heat.switch(on))), board.element, caption.element) };
  });
  const slider = h("input", { type: "range", min: 0, max: moves.length, value: 0, "aria-label": "Move" });
  const where = h("output", { class: "quiet" });
  const said = h("p", { class: "turn", role: "status" });
  const detail = h("p", { class: "last-shot" });
  const playing = h("button", { type: "button", onclick: () => run() }, "Play");
  const button = (label, text, to) => h("button", { type: "button", "aria-label": label, onclick: () => go(to()) }, text);
  const chart = h("div", { class: "chart" });
  const verdict = h("p", { class: "verdict", role: "status" }, "Computing the probabilities at each move …");
  const table = h("table", { class: "luck" });
  const download = h("a", { class: "button", download: "game.txt", href: `data:text/plain;charset=utf-8,${encodeURIComponent(record)}` }, "Download record");
  for (const { element } of sides) fitSide(element, rules);
  slider.addEventListener("input", () => go(Number(slider.value)));
  main.replaceChildren(
    h("h1", { class: "unseen" }, "Replay"),
    h("div", { class: "status" }, h("div", {}, said, detail), h("div", { class: "actions" }, download, h("a", { class: "button", href: "#/replay", onclick: () => location.hash === "#/replay" && location.reload() }, "Another game"))),
    h("div", { class: "scrub" }, h("div", { class: "steps" }, button("First move", "«", () => 0), button("Previous move", "‹", () => at - 1), playing, button("Next move", "›", () => at + 1), button("Last move", "»", () => moves.length)), slider, where),
    h("div", { class: `boards ${shooters === 2 ? "even" : "single"}` }, sides.map((side) => side.element)),
    h("section", { class: "card decided" }, h("h2", {}, "Luck and skill"), verdict, chart, table),
  );

  const shotsOf = (side, until) => moves.slice(0, until).filter((move) => move.side === side);

  function go(to) {
    const back = to < at;
    at = Math.min(Math.max(to, 0), moves.length);
    slider.value = at;
    where.textContent = `${at} of ${moves.length}`;
    slider.setAttribute("aria-valuetext", `after ${at} of ${moves.length} shots`);
    sides.forEach(({ board, heat, fired }, side) => {
      const shots = shotsOf(side, at);
      const hits = hitCells(shots);
      board.setShots(shots, !back);
      const ships = shipsUnderFire(rules, game.ships[1 - side], hits);
      board.setShips(ships);
      board.setSunk(sunkCells(ships));
      fired.textContent = `${plural(shots.length, "shot")}, ${plural(hits.size, "hit")}`;
      heat.update(shots);
      const next = moves[at];
      board.setRings(next?.side === side ? { [next.cell]: "other" } : {});
    });
    const last = moves[at - 1];
    if (at === moves.length && shooters === 2) said.textContent = game.drawn ? "A draw" : game.winner === null ? "Unfinished" : `${names[game.winner]} ${names[game.winner] === "You" ? "win" : "wins"}${game.resigned === null ? "" : ": the other side resigned"}`;
    else said.textContent = last ? `${names[last.side]} · ${toldText(last)}` : "Before the first shot";
    showRating();
    mark();
  }

  function showRating() {
    const value = ratings[at - 1];
    detail.textContent = value ? `${percent(value.p)} to hit, best cell ${percent(value.q)}: luck ${signed(value.luck)}, given away ${value.lost.toFixed(2)}` : at < moves.length ? "The ring marks the next shot." : "";
  }

  async function run() {
    const mine = ++running;
    if (playing.textContent === "Pause") {
      playing.textContent = "Play";
      return;
    }
    playing.textContent = "Pause";
    if (at === moves.length) go(0);
    while (mine === running && at < moves.length && !closed) {
      await sleep(450);
      if (mine === running && !closed) go(at + 1);
    }
    if (mine === running) playing.textContent = "Play";
  }

  async function rateMoves() {
    for (let number = 0; number < moves.length && !closed; number++) {
      const move = moves[number];
      try {
        const found = await belief(rules, shotsOf(move.side, number));
        const [row, column] = cellAt(move.cell);
        const p = found.probability[row][column];
        const fired = new Set(shotsOf(move.side, number).map((shot) => shot.cell));
        let q = 0;
        found.probability.forEach((line, r) => line.forEach((value, c) => {
          if (!fired.has(cellName(r, c))) q = Math.max(q, value);
        }));
        ratings[number] = { p, q, luck: (move.told === "miss" ? 0 : 1) - p, lost: Math.max(0, q - p) };
      } catch (error) {
        verdict.textContent = error.message;
        return;
      }
      if (number === at - 1) showRating();
      if (number % 8 === 7) summarise(false);
    }
    if (!closed) summarise(true);
  }

  function summarise(done) {
    const sums = names.map((_, side) => {
      const own = moves.map((move, number) => (move.side === side ? ratings[number] : null)).filter(Boolean);
      return { shots: own.length, luck: own.reduce((sum, value) => sum + value.luck, 0), lost: own.reduce((sum, value) => sum + value.lost, 0) };
    });
    table.replaceChildren(
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Player"), h("th", { scope: "col" }, "Shots"), h("th", { scope: "col" }, "Luck (hits)"), h("th", { scope: "col" }, "Given away (hits)"))),
      h("tbody", {}, sums.map((sum, side) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: `key side-${side}`, "aria-hidden": "true" }), names[side]), h("td", {}, String(sum.shots)), h("td", {}, signed(sum.luck)), h("td", {}, sum.lost.toFixed(2))))),
    );
    drawChart();
    verdict.textContent = done ? summary(sums) : "Computing the probabilities at each move …";
  }

  function summary(sums) {
    const names = spoken;
    const turning = ratings.map((value, number) => ({ number, ...value })).sort((a, b) => Math.abs(b.luck) - Math.abs(a.luck))[0];
    const point = turning ? ` The ${turning.luck > 0 ? "luckiest" : "unluckiest"} shot was number ${turning.number + 1}, ${moves[turning.number].cell} by ${names[moves[turning.number].side]} (${percent(turning.p)} to hit, ${moves[turning.number].told === "miss" ? "a miss" : "a hit"}).` : "";
    if (shooters === 1) return `Luck was worth ${signed(sums[0].luck)} hits; ${sums[0].lost.toFixed(1)} hits were given away.${point}`;
    const luck = sums[0].luck - sums[1].luck;
    const skill = sums[1].lost - sums[0].lost;
    const for_ = (value) => names[value > 0 ? 0 : 1];
    const parts = `Luck was worth ${Math.abs(luck).toFixed(1)} hits to ${for_(luck)}, better choices ${Math.abs(skill).toFixed(1)} hits to ${for_(skill)}.`;
    if (game.winner === null) return parts + point;
    const sign = game.winner === 0 ? 1 : -1;
    const [byLuck, bySkill] = [sign * luck, sign * skill];
    const decided = game.resigned !== null ? "The game ended by resignation." : byLuck > 0 && byLuck >= 1.5 * bySkill ? "It was mostly luck." : bySkill > 0 && bySkill >= 1.5 * byLuck ? "It was mostly skill." : byLuck > 0 || bySkill > 0 ? "It was both luck and skill." : "Neither explains the result; the order of the shots does.";
    return `${decided} ${parts}${point}`;
  }

  // Cumulative luck, a line for each side; dashed, the hits given away.
  function drawChart() {
    const width = 640;
    const height = 150;
    const series = names.flatMap((_, side) => ["luck", "lost"].map((what) => ({ side, what, points: [[0, 0]] })));
    for (const line of series) {
      let sum = 0;
      moves.forEach((move, number) => {
        if (move.side !== line.side || !ratings[number]) return;
        sum += line.what === "luck" ? ratings[number].luck : -ratings[number].lost;
        line.points.push([number + 1, sum]);
      });
    }
    const values = series.flatMap((line) => line.points.map((point) => point[1]));
    const low = Math.min(-1, ...values);
    const high = Math.max(1, ...values);
    const x = (number) => 8 + (number / moves.length) * (width - 16);
    const y = (value) => 10 + ((high - value) / (high - low)) * (height - 20);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Cumulative luck (solid) and hits given away (dashed) for each player" });
    picture.append(svg("line", { class: "axis", x1: x(0), x2: x(moves.length), y1: y(0), y2: y(0) }));
    for (const line of series) picture.append(svg("polyline", { class: `${line.what} side-${line.side}`, points: line.points.map(([n, v]) => `${x(n).toFixed(1)},${y(v).toFixed(1)}`).join(" ") }));
    picture.append(svg("line", { class: "now", y1: 4, y2: height - 4, x1: x(at), x2: x(at) }));
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      go(Math.round((((event.clientX - box.left) / box.width) * width - 8) / (width - 16) * moves.length));
    });
    chart.replaceChildren(picture, h("p", { class: "hint" }, "Solid: luck so far. Dashed: hits given away by not choosing the likeliest cell."));
    mark = () => {
      const now = picture.querySelector(".now");
      now.setAttribute("x1", x(at));
      now.setAttribute("x2", x(at));
    };
  }
  let mark = () => {};

  const keys = (event) => {
    if (event.target.matches("input, textarea, select, .cell")) return;
    if (event.key === "ArrowRight") go(at + 1);
    if (event.key === "ArrowLeft") go(at - 1);
  };
  document.addEventListener("keydown", keys);
  go(0);
  summarise(false);
  rateMoves();
  return () => {
    closed = true;
    document.removeEventListener("keydown", keys);
  };
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
