// Replay: step through a finished game, with the probabilities, the evaluation and the mistakes.
//
// The server reviews every shot (`review.js`). The evaluation of a side is the hits that it made,
// less those that the best shots could expect: its luck less what it gave away.

import { get, post, seats } from "./api.js";
import { Board, fitSide } from "./board.js";
import { copyText, h, notice, percent, say, sleep, svg, toast, toggle } from "./dom.js";
import { exportButtons } from "./exports.js";
import { Heat, legend } from "./heat.js";
import { analyseLink, hitCells, hitCount, rulesText, shipsUnderFire, shotCount, shotsOf, sunkCells, toldText } from "./notation.js";
import { savePicture } from "./picture.js";
import { costlyShot, judgement, review, signed } from "./review.js";
import { language, t } from "./texts.js";

export async function replay(main, [id], query) {
  const move = query.has("move") ? Number(query.get("move")) : 0;
  if (id || query.has("record")) {
    main.replaceChildren(h("h1", {}, t("Replay")), h("p", { class: "quiet" }, t("Loading the game …")));
    try {
      const record = id ? await get(`/games/${encodeURIComponent(id)}/record`) : query.get("record");
      const address = (at) => (id ? `#/replay/${id}?move=${at}` : `#/replay?${new URLSearchParams({ record, move: at })}`);
      return show(main, await post("/replay", { record }), record, { you: seats.all()[id]?.you, move, address });
    } catch (error) {
      main.replaceChildren(h("h1", {}, t("Replay")), h("section", { class: "card" }, h("p", {}, error.message), h("p", {}, h("a", { href: "#/replay" }, t("Choose another game")))));
      return undefined;
    }
  }
  const text = h("textarea", { rows: 9, id: "record", spellcheck: "false", placeholder: "game: seabattle-game 1\nrules: classic\n…" });
  const file = h("input", { type: "file", accept: ".txt,.json,text/plain,application/json", id: "record-file" });
  const problem = notice("bad");
  const form = h(
    "form",
    { class: "card setup" },
    h("div", { class: "field" }, h("label", { for: "record" }, t("Game record")), text),
    h("div", { class: "field" }, h("label", { for: "record-file" }, t("or a file")), file),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "main" }, t("Replay"))),
    problem,
  );
  file.addEventListener("change", async () => {
    if (file.files[0]) text.value = (await file.files[0].text()).slice(0, 20000);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post("/replay", { record: text.value });
      location.hash = `#/replay?${new URLSearchParams({ record: text.value, move: 0 })}`;
    } catch (error) {
      say(problem, error.message);
    }
  });
  const finished = Object.entries(seats.all()).filter(([, seat]) => seat.state === "over").sort((a, b) => b[1].when - a[1].when);
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, t("Replay")), h("p", { class: "lead" }, t("Step through a finished game and see how much was luck and how much was skill."))),
    h("div", { class: "columns" }, form, h("aside", { class: "card" }, h("h2", {}, t("Finished games")), finished.length ? h("ul", { class: "games" }, finished.map(([game, seat]) => h("li", {}, h("a", { href: `#/replay/${game}` }, h("span", {}, `${seat.rules} · ${seat.against}`), h("span", { class: "tag" }, new Date(seat.when).toLocaleDateString(language)))))) : h("p", { class: "quiet" }, t("Games that you finish or watch in this browser are listed here.")))),
  );
  return undefined;
}

function show(main, game, record, { you, move: start, address }) {
  const { rules, moves } = game;
  const shooters = game.players.length;
  const names = game.players.map((name, side) => name || (side === you ? t("You") : t("player {number}", { number: side + 1 })));
  if (shooters === 2 && names[0] === names[1]) names.forEach((name, side) => (names[side] = `${name} (${side + 1})`));
  const isYou = (side) => side === you && !game.players[side];
  /** The name of a side within a sentence. */
  const within = (side) => (isYou(side) ? t("you") : names[side]);
  const ratings = new Array(moves.length);
  const stop = new AbortController();
  let at = 0;
  let closed = false;
  let running = 0;
  const sides = names.map((name, side) => {
    const board = new Board(rules, t("Shots of {name}", { name }));
    board.enable(false);
    const caption = legend();
    const heat = new Heat(board, caption, rules);
    heat.on = true;
    const fired = h("p", { class: "quiet count" });
    const analyse = h("a", { class: "button small" }, t("Analyse this position"));
    return { board, heat, fired, analyse, element: h("section", { class: "side" }, h("div", { class: "side-head" }, h("div", {}, h("h2", {}, isYou(side) ? t("You shoot") : t("{name} shoots", { name })), fired), toggle(t("Heat map"), true, (on) => heat.switch(on))), board.element, caption.element, h("div", { class: "under-board" }, analyse)) };
  });
  const slider = h("input", { type: "range", min: 0, max: moves.length, value: 0, "aria-label": t("Move") });
  const where = h("output", { class: "quiet" });
  const said = h("p", { class: "turn", role: "status" });
  const detail = h("p", { class: "last-shot" });
  const playing = h("button", { type: "button", onclick: () => run() }, t("Play"));
  const button = (label, text, to) => h("button", { type: "button", "aria-label": label, onclick: () => go(to()) }, text);
  const chart = h("div", { class: "chart" });
  const verdict = h("p", { class: "verdict", role: "status" }, t("Computing the probabilities at each move …"));
  const table = h("table", { class: "luck" });
  const mistakes = h("ol", { class: "mistakes" });
  const link = h("button", { type: "button", onclick: async () => toast((await copyText(location.href)) ? t("Link copied.") : t("Copy the URL of this page instead.")) }, t("Copy link"));
  const png = h("button", { type: "button", onclick: () => savePicture(sides[moves[Math.max(at, 1) - 1]?.side ?? 0].board, `${rulesText(rules)}, ${where.textContent}`) }, t("Save as PNG"));
  for (const { element } of sides) fitSide(element, rules);
  slider.addEventListener("input", () => go(Number(slider.value)));
  main.replaceChildren(
    h("h1", { class: "unseen" }, t("Replay")),
    h("div", { class: "status" }, h("div", {}, said, detail), h("div", { class: "actions" }, link, h("details", { class: "menu" }, h("summary", { class: "button" }, t("Save")), h("div", { class: "popover card" }, exportButtons(async () => record), png)), h("a", { class: "button", href: "#/replay" }, t("Another game")))),
    h("div", { class: "scrub" }, h("div", { class: "steps" }, button(t("First move"), "«", () => 0), button(t("Previous move"), "‹", () => at - 1), playing, button(t("Next move"), "›", () => at + 1), button(t("Last move"), "»", () => moves.length)), slider, where),
    h("div", { class: `boards ${shooters === 2 ? "even" : "single"}` }, sides.map((side) => side.element)),
    h("section", { class: "card decided" }, h("h2", {}, t("Luck and skill")), verdict, chart, table),
    h("section", { class: "card" }, h("h2", {}, t("Mistakes")), mistakes),
  );

  function go(to, remember = true) {
    const back = to < at;
    at = Math.min(Math.max(Math.round(to) || 0, 0), moves.length);
    slider.value = at;
    where.textContent = t("{at} of {all}", { at, all: moves.length });
    slider.setAttribute("aria-valuetext", t("after {at} of {all} shots", { at, all: moves.length }));
    sides.forEach(({ board, heat, fired, analyse }, side) => {
      const made = moves.slice(0, at).filter((move) => move.side === side);
      const shots = shotsOf(made, side);
      const hits = hitCells(shots);
      board.setShots(shots, !back);
      const ships = shipsUnderFire(rules, game.ships[1 - side], hits);
      board.setShips(ships);
      board.setSunk(sunkCells(ships));
      fired.textContent = `${shotCount(made.length)}, ${hitCount(hits.size)}`;
      heat.update(shots);
      analyse.href = analyseLink(rules, shots);
      const next = moves[at];
      board.setRings(next?.side === side ? { [next.cell]: "other" } : {});
    });
    const last = moves[at - 1];
    if (at === moves.length && shooters === 2) said.textContent = result();
    else said.textContent = last ? `${names[last.side]} · ${toldText(last)}` : t("Before the first shot");
    showRating();
    mark();
    if (remember) history.replaceState(null, "", address(at));
  }

  function result() {
    if (game.drawn) return t("A draw");
    if (game.winner === null) return t("Unfinished");
    const won = isYou(game.winner) ? t("You win") : t("{name} wins", { name: names[game.winner] });
    return game.resigned === null ? won : `${won}: ${t("the other side resigned")}`;
  }

  function showRating() {
    const shot = ratings[at - 1];
    if (!shot) {
      detail.textContent = at < moves.length ? t("The ring marks the next shot.") : "";
      return;
    }
    const better = shot.judgement === "best" ? "" : t("; {best} had {bestChance}", { best: shot.best_cell, bestChance: percent(shot.best_chance) });
    const chance = shot.judgement === "wasted" ? t("A known cell: nothing to hit") : t("{chance} to hit", { chance: percent(shot.chance) });
    detail.textContent = `${chance}${better} · ${judgement(shot)} · ${t("luck {luck}", { luck: signed(shot.luck, 2) })}`;
  }

  async function run() {
    const mine = ++running;
    if (playing.textContent === t("Pause")) {
      playing.textContent = t("Play");
      return;
    }
    playing.textContent = t("Pause");
    if (at === moves.length) go(0);
    while (mine === running && at < moves.length && !closed) {
      await sleep(450);
      if (mine === running && !closed) go(at + 1);
    }
    if (mine === running) playing.textContent = t("Play");
  }

  async function rateMoves() {
    try {
      const found = await review(record, (shot) => {
        ratings[shot.number - 1] = shot;
        if (shot.number === at) showRating();
        if (shot.number % 8 === 0) {
          drawChart();
          verdict.textContent = t("Computing the probabilities at each move: {done} of {all} …", { done: shot.number, all: moves.length });
        }
      }, stop.signal);
      if (found && !closed) summarise(found.sides);
    } catch (error) {
      if (!closed) verdict.textContent = error.message;
    }
  }

  function summarise(found) {
    table.replaceChildren(
      h("thead", {}, h("tr", {}, [t("Player"), t("Shots"), t("Accuracy"), t("Luck (hits)"), t("Given away (hits)")].map((title) => h("th", { scope: "col" }, title)))),
      h("tbody", {}, found.map((side) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: `key side-${side.side}`, "aria-hidden": "true" }), names[side.side]), h("td", {}, String(side.shots)), h("td", {}, side.accuracy === null ? "–" : `${side.accuracy.toFixed(0)}%`), h("td", {}, signed(side.luck, 2)), h("td", {}, side.given_away.toFixed(2))))),
    );
    drawChart();
    verdict.textContent = decided(found);
    const wrong = found.flatMap((side) => side.mistakes).sort((a, b) => a - b).map((number) => ratings[number - 1]);
    mistakes.replaceChildren(...(wrong.length ? wrong.map((shot) => costlyShot(shot, address(shot.number))) : [h("li", { class: "plain" }, t("None: every shot was good."))]));
    if (shooters === 2) [...mistakes.children].forEach((item, k) => wrong[k] && item.prepend(h("span", { class: `key side-${wrong[k].side}`, "aria-hidden": "true" }), `${names[wrong[k].side]} · `));
  }

  function decided(found) {
    const known = ratings.filter(Boolean);
    const turning = known.toSorted((a, b) => Math.abs(b.luck) - Math.abs(a.luck))[0];
    const point = turning ? ` ${turning.luck > 0 ? t("The luckiest shot was number {number}, {cell} by {name} ({chance} to hit).", { number: turning.number, cell: turning.cell, name: within(turning.side), chance: percent(turning.chance) }) : t("The unluckiest shot was number {number}, {cell} by {name} ({chance} to hit).", { number: turning.number, cell: turning.cell, name: within(turning.side), chance: percent(turning.chance) })}` : "";
    if (shooters === 1) return `${t("Luck was worth {luck} hits; {lost} hits were given away.", { luck: signed(found[0].luck), lost: found[0].given_away.toFixed(1) })}${point}`;
    const luck = found[0].luck - found[1].luck;
    const skill = found[1].given_away - found[0].given_away;
    const to = (value) => within(value > 0 ? 0 : 1);
    const parts = t("Luck was worth {luck} hits to {lucky}, better choices {skill} hits to {skilled}.", { luck: Math.abs(luck).toFixed(1), lucky: to(luck), skill: Math.abs(skill).toFixed(1), skilled: to(skill) });
    if (game.winner === null) return parts + point;
    const sign = game.winner === 0 ? 1 : -1;
    const [byLuck, bySkill] = [sign * luck, sign * skill];
    const what = game.resigned !== null ? t("The game ended by resignation.") : byLuck > 0 && byLuck >= 1.5 * bySkill ? t("It was mostly luck.") : bySkill > 0 && bySkill >= 1.5 * byLuck ? t("It was mostly skill.") : byLuck > 0 || bySkill > 0 ? t("It was both luck and skill.") : t("Neither explains the result; the order of the shots does.");
    return `${what} ${parts}${point}`;
  }

  // The evaluation of each side (solid) and what it gave away (dashed), with axes and a legend.
  function drawChart() {
    const width = Math.min(1040, Math.max(300, chart.clientWidth || 680)); // as it is shown, for words of the usual size
    const [height, left, right, top, bottom] = [240, 46, 12, 12, 40];
    const series = names.flatMap((_, side) => ["evaluation", "lost"].map((what) => ({ side, what, points: [[0, 0]] })));
    for (const line of series) {
      let sum = 0;
      ratings.forEach((shot, k) => {
        if (shot?.side !== line.side) return;
        sum += line.what === "evaluation" ? shot.luck - shot.cost : -shot.cost;
        line.points.push([k + 1, sum]);
      });
    }
    const values = series.flatMap((line) => line.points.map((point) => point[1]));
    const step = Math.max(...values) - Math.min(...values) > 8 ? 4 : Math.max(...values) - Math.min(...values) > 4 ? 2 : 1;
    const low = Math.min(-step, Math.floor(Math.min(...values) / step) * step);
    const high = Math.max(step, Math.ceil(Math.max(...values) / step) * step);
    const x = (number) => left + (number / moves.length) * (width - left - right);
    const y = (value) => top + ((high - value) / (high - low)) * (height - top - bottom);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("Evaluation of each player after each move, in hits") });
    for (let value = low; value <= high; value += step) picture.append(svg("line", { class: value ? "grid" : "axis", x1: left, x2: width - right, y1: y(value), y2: y(value) }), svg("text", { class: "tick", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, value ? signed(value, 0) : "0"));
    const every = moves.length > 60 || (moves.length > 24 && width < 450) ? 20 : moves.length > 24 ? 10 : moves.length > 10 ? 5 : 1;
    for (let number = 0; number <= moves.length; number += every) picture.append(svg("line", { class: "grid", x1: x(number), x2: x(number), y1: height - bottom, y2: height - bottom + 4 }), svg("text", { class: "tick", x: x(number), y: height - bottom + 17, "text-anchor": "middle" }, String(number)));
    picture.append(svg("text", { class: "axis-title", x: left + (width - left - right) / 2, y: height - 4, "text-anchor": "middle" }, t("move")), svg("text", { class: "axis-title", x: 12, y: top + (height - top - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${top + (height - top - bottom) / 2})` }, t("hits")));
    for (const line of series) picture.append(svg("polyline", { class: `${line.what === "lost" ? "lost" : "luck"} side-${line.side}`, points: line.points.map(([n, v]) => `${x(n).toFixed(1)},${y(v).toFixed(1)}`).join(" ") }));
    for (const shot of ratings) {
      if (!shot || ["best", "good", "inaccuracy"].includes(shot.judgement)) continue;
      const place = series.find(({ side, what }) => side === shot.side && what === "evaluation").points.find(([n]) => n === shot.number);
      picture.append(svg("circle", { class: `mistake side-${shot.side}`, cx: x(place[0]), cy: y(place[1]), r: 3.5 }));
    }
    picture.append(svg("line", { class: "now", y1: top, y2: height - bottom, x1: x(at), x2: x(at) }));
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      go((((event.clientX - box.left) / box.width) * width - left) / (width - left - right) * moves.length);
    });
    const key = (side, what, text) => h("li", {}, (() => {
      const sample = svg("svg", { viewBox: "0 0 28 10", "aria-hidden": "true" });
      sample.append(svg("line", { class: `${what} side-${side}`, x1: 1, x2: 27, y1: 5, y2: 5 }));
      return sample;
    })(), text);
    chart.replaceChildren(picture, h("ul", { class: "chart-legend" }, names.flatMap((name, side) => [key(side, "luck", t("{name}: hits minus those expected of the best shots", { name })), key(side, "lost", t("{name}: given away", { name }))]), h("li", {}, h("span", { class: "dot", "aria-hidden": "true" }), t("a mistake"))));
    mark = () => {
      const now = picture.querySelector(".now");
      now.setAttribute("x1", x(at));
      now.setAttribute("x2", x(at));
    };
  }
  let mark = () => {};

  const keys = (event) => {
    if (event.target.matches("input, textarea, select, .cell, dialog *") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowRight") go(at + 1);
    else if (event.key === "ArrowLeft") go(at - 1);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(moves.length);
    else if (event.key === " " && !event.target.matches("button, a, summary")) run();
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", keys);
  go(start);
  drawChart();
  rateMoves();
  const leave = () => {
    closed = true;
    stop.abort();
    document.removeEventListener("keydown", keys);
  };
  // A link to another move of this game needs no reload.
  leave.goTo = (parts, query) => {
    const to = Number(query.get("move") ?? 0);
    if (address(to).split("?")[0] !== location.hash.split("?")[0] || (query.get("record") ?? record) !== record) return false;
    go(to, false);
    main.scrollIntoView({ block: "start" });
    return true;
  };
  return leave;
}
