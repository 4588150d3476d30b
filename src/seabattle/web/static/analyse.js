// Analyse: set up a position, and see where the ships are likely.

import { about, post } from "./api.js";
import { Board, fitSide } from "./board.js";
import { cannotPlay, playerChooser, rulesChooser } from "./choosers.js";
import { announce, copyText, count, debounced, h, notice, percent, say, toggle } from "./dom.js";
import { legend } from "./heat.js";
import { analyseLink, answerText, bare, cellAt, cellName, readShots, rulesText, shotCount, shotsText, sunkHulls, toldText } from "./notation.js";
import { mapChoices, showNumbers } from "./numbers.js";
import { savePicture } from "./picture.js";
import { followPreparation, isBeingPrepared } from "./preparation.js";
import { bestTable, showSearch, workText } from "./search.js";
import { t } from "./texts.js";

const LAYERS = [["probability", t("Probability")], ["visits", t("Visits")], ["value", t("Value")]];

export async function analyse(main, parts, query) {
  const text = query.get("rules") ?? "classic";
  let shots = readShots(query.get("shots") ?? "");
  const start = (rules) => {
    shots = [];
    known = null;
    arrange(rules, true);
  };
  let unreadable = "";
  const chooser = await rulesChooser(text, start).catch((error) => {
    unreadable = `${error.message} ${t("These are the classic rules instead.")}`;
    shots = [];
    return rulesChooser("classic", start);
  });
  let rules = chooser.rules;
  let board;
  /** the probabilities of the position, and what a search found */
  let known = null;
  let search = null;
  /** the numbers that a player goes by, its choice, and which of its maps is shown */
  let own = null;
  let shown = "probability";
  let numbers = true;
  let closed = false;
  let asked = 0;
  /** the place of this position in the browser's history, and the last one to go forward to */
  let place = history.state?.analyse ?? 0;
  let furthest = history.state?.analyse === undefined ? 0 : Math.max(place, Number(sessionStorage.getItem("seabattle.furthest") ?? 0));
  /** where Undo and Redo are going: the browser follows a moment later */
  let heading = place;
  /** the shots of each of them, where the browser has forgotten it */
  const visited = new Map();
  /** the cell under the pointer or the focus */
  let under = null;
  const caption = legend();
  const boardPlace = h("div", { class: "analyse-board" });
  const figures = h("dl", { class: "figures" });
  const problem = notice("bad");
  const unread = notice("bad");
  const list = h("ol", { class: "entries" });
  const empty = h("p", { class: "quiet" }, t("No shots yet. Click a cell to cycle through miss, hit, sunk and unknown. On the keyboard: Enter, or M, H, S and U."));
  const others = h("ul", { class: "others" });
  const hovered = h("p", { class: "hovered quiet", "aria-hidden": "true" });
  const layers = h("fieldset", { class: "layers", hidden: true }, h("legend", { class: "unseen" }, t("What the colours show")), LAYERS.map(([name, title]) => h("label", { "data-layer": name }, h("input", { type: "radio", name: "layer", value: name, checked: name === "probability", onchange: () => {
    shown = name;
    paint();
  } }), title)));
  const ownLayers = h("span", { class: "layer-group" });
  layers.append(ownLayers);
  const { players: all, think_seconds: longest } = await about();
  const searchers = all.filter((player) => player.searches);
  const searcher = searchers.length ? await playerChooser(t("Player"), searchers.find(({ name }) => name === "pomcp")?.name ?? searchers[0].name, ({ searches }) => searches) : null;
  const found = h("div", { class: "found", hidden: true });
  const searchNote = notice();
  const searchProblem = notice("bad");
  const go = h("button", { type: "button", onclick: () => runSearch() }, t("Search"));
  const numbered = all.some((player) => player.numbers) ? await playerChooser(t("Show the numbers of"), all.find((player) => player.numbers).name, ({ numbers }) => numbers) : null;
  const showOwn = h("button", { type: "button", onclick: () => askNumbers() }, t("Show numbers"));
  const ownNote = notice();
  const ownProblem = notice("bad");
  const copied = h("span", { role: "status", class: "quiet" });
  const share = h("button", { type: "button", onclick: async () => {
    copied.textContent = (await copyText(location.href)) ? t("Link copied.") : t("Copy the URL of this page instead.");
  } }, t("Copy link"));
  const undo = h("button", { type: "button", class: "quiet-button", onclick: () => travel(-1) }, t("Undo"));
  const redo = h("button", { type: "button", class: "quiet-button", onclick: () => travel(1) }, t("Redo"));
  main.replaceChildren(
    h("div", { class: "intro" }, h("h1", {}, t("Analyse")), h("p", { class: "lead" }, t("Set up any position and see how likely a ship is on each cell. The URL saves the position.")), unread),
    h(
      "div",
      { class: "analyse" },
      h("section", { class: "side" }, h("div", { class: "side-head" }, h("h2", {}, t("Position")), toggle(t("Numbers"), true, (on) => {
        numbers = on;
        paint();
      })), boardPlace, caption.element, layers, hovered, h("div", { class: "card under" }, chooser.element)),
      h(
        "div",
        { class: "panel" },
        h("section", { class: "card" }, h("h2", {}, t("Analysis")), figures, problem),
        h("section", { class: "card" }, h("div", { class: "side-head" }, h("h2", {}, t("Shots")), h("div", { class: "toggles" }, undo, redo, h("button", { type: "button", class: "quiet-button", onclick: () => become([]) }, t("Clear")))), empty, list, h("div", { class: "actions" }, share, h("button", { type: "button", onclick: () => savePicture(board, [rulesText(rules), shotCount(shots.length)].join(", ")) }, t("Save as PNG")), copied)),
        searcher ? h("section", { class: "card searching" }, h("h2", {}, t("Search")), searcher.element, h("div", { class: "actions" }, go, h("span", { class: "quiet" }, t("up to {seconds} s; longer the first time, while it compiles", { seconds: longest }))), found, searchNote, searchProblem) : null,
        numbered ? h("section", { class: "card numbered" }, h("h2", {}, t("A player’s own numbers")), h("p", { class: "hint" }, t("What it counts on each cell: for each ship, and summed.")), numbered.element, h("div", { class: "actions" }, showOwn), ownNote, ownProblem) : null,
        h("section", { class: "card" }, h("h2", {}, t("What other players would shoot at")), others),
      ),
    ),
  );

  /** Every answer that these rules can give to a shot at a cell, in the order of the cycle. */
  function answersFor(cell) {
    const rest = shots.filter((shot) => shot.cell !== cell);
    const sunk = new Set(rest.filter((shot) => shot.told === "sunk").map((shot) => shot.ship));
    const afloat = rules.ships.filter((name) => !sunk.has(name));
    switch (rules.answers) {
      case "hit-miss":
        return [{ told: "miss" }, { told: "hit" }];
      case "sunk":
        return [{ told: "miss" }, { told: "hit" }, { told: "sunk" }];
      case "sunk-named":
        return [{ told: "miss" }, { told: "hit" }, ...afloat.map((ship) => ({ told: "sunk", ship }))];
      default:
        return [
          { told: "miss" },
          ...afloat.map((ship) => {
            const before = rest.filter((shot) => shot.ship === ship).length;
            return { told: before + 1 === rules.fleet[rules.ships.indexOf(ship)] ? "sunk" : "hit", ship };
          }),
        ];
    }
  }

  const same = (one, other) => one.told === other.told && (one.ship ?? null) === (other.ship ?? null);
  /** A click cycles through miss, hit, sunk and unknown; the list of shots chooses the ship. */
  function cycle(cell) {
    const now = shots.find((shot) => shot.cell === cell);
    const possible = answersFor(cell);
    if (!now) return set(cell, possible[0]);
    const next = possible.find((answer) => ({ miss: ["hit", "sunk"], hit: ["sunk"], sunk: [] })[now.told].includes(answer.told));
    return set(cell, rules.answers === "named" && now.told !== "miss" ? null : bestFitting(cell, next));
  }

  /** Of several ships that may have sunk here, the one whose length fits the run of hits. */
  function bestFitting(cell, answer) {
    if (answer?.told !== "sunk" || rules.answers !== "sunk-named") return answer;
    const hits = new Set(shots.filter((shot) => shot.told !== "miss").map((shot) => shot.cell));
    const [row, column] = cellAt(cell);
    const run = (down, right) => {
      let length = 1;
      for (const sign of [1, -1]) {
        for (let k = sign; hits.has(cellName(row + k * down, column + k * right)); k += sign) length++;
      }
      return length;
    };
    const longest = Math.max(run(0, 1), run(1, 0));
    const fitting = answersFor(cell).filter((each) => each.told === "sunk");
    return fitting.find((each) => rules.fleet[rules.ships.indexOf(each.ship)] === longest) ?? answer;
  }

  function set(cell, answer) {
    const index = shots.findIndex((shot) => shot.cell === cell);
    const next = { cell, ship: null, ...answer };
    announce(answer ? toldText({ cell, ...answer }) : t("{cell}: unknown", { cell }));
    if (!answer) become(shots.filter((shot) => shot.cell !== cell));
    else become(index < 0 ? [...shots, next] : shots.map((shot, k) => (k === index ? next : shot)));
  }

  /** Change the position; Undo comes back to the one before. */
  function become(next) {
    shots = next;
    changed(true);
  }

  /** Undo (−1) or redo (1): the positions are in the browser's history, so that Back undoes too. */
  function travel(step) {
    const from = place;
    const to = heading + step;
    if (to < 0 || to > furthest) return;
    heading = to;
    announce(step < 0 ? t("Undone.") : t("Redone."));
    history.go(step);
    // Browsers forget the oldest entries; this page remembers their shots.
    setTimeout(() => {
      if (closed || place !== from || heading !== to || !visited.has(to)) return;
      place = to;
      shots = visited.get(to);
      changed();
    }, 1000);
  }

  function press(cell, key) {
    const possible = answersFor(cell);
    const wanted = { m: "miss", h: "hit", s: "sunk" }[key.toLowerCase()];
    if (key.toLowerCase() === "u" || key === "Delete" || key === "Backspace") set(cell, null);
    else if (wanted && possible.some((answer) => answer.told === wanted)) set(cell, bestFitting(cell, possible.find((answer) => answer.told === wanted)));
    else return false;
    return true;
  }

  function arrange(next, isNew = false) {
    rules = next;
    known = null;
    searcher?.suit(rules);
    numbered?.suit(rules);
    board = new Board(rules, t("Position"), { chosen: cycle, pressed: press, looked: (cell) => look(cell) });
    board.enable(true);
    boardPlace.replaceChildren(board.element);
    fitSide(boardPlace.parentElement, rules);
    changed(isNew);
  }

  function look(cell) {
    under = cell;
    if (!cell || !known) {
      hovered.textContent = "";
      return;
    }
    const [row, column] = cellAt(cell);
    const thought = board.words && !board.marks.has(cell) ? `, ${board.words(row, column)}` : "";
    hovered.textContent = `${cell}: ${(known.probability[row][column] * 100).toFixed(2)}%${thought}`;
  }

  /** Colour the board by the chosen layer, and ring the best shots. */
  function paint() {
    look(under);
    if (!known) {
      board.setHeat(null);
      caption.show(null);
      board.setRings({});
      return;
    }
    if (own && shown === "numbers") showNumbers(board, caption, own.maps[own.chosen], numbers);
    else if (search && shown !== "probability") showSearch(board, caption, search, shown, numbers);
    else caption.show(known, board.setHeat(known.probability, numbers));
    ring();
  }

  /** Ring the best shot, and another player's. */
  function ring(other = search?.suggestion ?? own?.cell) {
    board.setRings({ ...(other ? { [other]: "other" } : {}), ...(known?.suggestion ? { [known.suggestion]: other === known.suggestion ? "both" : "hint" } : {}) });
  }

  function forgetSearch() {
    search = own = null;
    ownLayers.replaceChildren();
    say(ownNote, "");
    say(ownProblem, "");
    shown = "probability";
    layers.hidden = true;
    layers.querySelector("[value=probability]").checked = true;
    found.hidden = true;
    say(searchNote, "");
    say(searchProblem, "");
  }

  /** Show the layers that there are: those of a search, or the maps of a player. */
  function offerLayers() {
    layers.hidden = false;
    for (const label of layers.querySelectorAll("[data-layer=visits], [data-layer=value]")) label.hidden = !search;
    ownLayers.replaceChildren(...(own ? mapChoices(own.maps, own.chosen, (k) => {
      own.chosen = k;
      shown = "numbers";
      paint();
    }) : []));
  }

  async function askNumbers() {
    const now = asked;
    const player = numbered.player;
    forgetSearch();
    paint();
    showOwn.disabled = true;
    try {
      const { cell, numbers: found } = await post("/choice", { rules: bare(rules), shots: shotsText(shots), player });
      if (now !== asked || closed) return;
      own = { cell, maps: found.maps, chosen: found.maps.length - 1 };
      shown = "numbers";
      offerLayers();
      const words = t("{player} would shoot at {cell}.", { player, cell });
      say(ownNote, words);
      announce(words);
      paint();
    } catch (error) {
      if (now === asked && !closed) say(ownProblem, error.message);
    } finally {
      showOwn.disabled = !known?.suggestion;
    }
  }

  async function runSearch() {
    const now = asked;
    const player = searcher.player;
    forgetSearch();
    paint();
    go.disabled = true;
    say(searchNote, t("{player} is searching …", { player }));
    try {
      const answer = await post("/choice", { rules: bare(rules), shots: shotsText(shots), player });
      if (now !== asked || closed) return;
      search = answer.search;
      shown = "visits";
      offerLayers();
      layers.querySelector("[value=visits]").checked = true;
      found.replaceChildren(h("dl", { class: "figures" }, figure(t("Best shot"), search.suggestion, workText(search)), figure(t("Value"), h("span", { class: "unit" }, search.unit), t("higher is better"))), bestTable(search, known?.probability));
      found.hidden = false;
      say(searchNote, search.note);
      announce(t("{player} would shoot at {cell}.", { player, cell: search.suggestion }));
      paint();
    } catch (error) {
      if (now !== asked || closed) return;
      say(searchNote, "");
      say(searchProblem, error.message);
    } finally {
      go.disabled = !known?.suggestion;
    }
  }

  /** Where every hit names its ship, the last hit on a ship sinks it. */
  function markSunk() {
    const hits = new Map();
    shots = shots.map((shot) => {
      if (!shot.ship) return shot;
      hits.set(shot.ship, (hits.get(shot.ship) ?? 0) + 1);
      const last = hits.get(shot.ship) === rules.fleet[rules.ships.indexOf(shot.ship)];
      return { ...shot, told: last ? "sunk" : "hit" };
    });
  }

  function changed(isNew = false) {
    if (rules.answers === "named") markSunk();
    if (isNew) furthest = ++place;
    heading = place;
    visited.set(place, shots);
    sessionStorage.setItem("seabattle.furthest", furthest);
    history[isNew ? "pushState" : "replaceState"]({ analyse: place }, "", analyseLink(rules, shots));
    board.setShots(shots);
    showSunk();
    undo.disabled = place === 0;
    redo.disabled = place >= furthest;
    known = null;
    look(under);
    forgetSearch();
    board.setRings({});
    // Answers about an earlier position are ignored from here on.
    asked++;
    go.disabled = showOwn.disabled = true;
    empty.hidden = shots.length > 0;
    list.replaceChildren(
      ...shots.map((shot, number) => {
        const possible = answersFor(shot.cell);
        const select = h("select", { "aria-label": t("Answer at {cell}", shot) }, possible.map((answer, k) => h("option", { value: k, selected: same(answer, shot) }, answerText(answer))));
        select.addEventListener("change", () => set(shot.cell, possible[select.value]));
        const up = h("button", { type: "button", class: "small", "aria-label": t("Move {cell} up", shot), disabled: number === 0, onclick: () => {
          become(shots.toSpliced(number - 1, 2, shot, shots[number - 1]));
        } }, "↑");
        const remove = h("button", { type: "button", class: "small", "aria-label": t("Remove {cell}", shot), onclick: () => set(shot.cell, null) }, "×");
        return h("li", {}, h("b", {}, shot.cell), select, up, remove);
      }),
    );
    infer();
  }

  /** Draw the sunk ships, as far as they are known. */
  async function showSunk() {
    const now = shots;
    const sunk = shots.some((shot) => shot.told === "sunk") ? await post("/sunk-ships", { rules: bare(rules), shots: shotsText(shots) }).catch(() => null) : null;
    if (now !== shots || closed) return;
    board.setShips(sunk ? sunkHulls(sunk) : []);
    board.setSunk(sunk?.cells ?? []);
  }

  const infer = debounced(async () => {
    const now = ++asked;
    const [forRules, forShots] = [rules, shots];
    board.element.classList.add("stale");
    followPreparation();
    const slow = setTimeout(() => now === asked && caption.say(isBeingPrepared("heat maps") ? t("The heat map is being prepared for its first use …") : t("Computing …")), 1500);
    try {
      const found = await post("/belief", { rules: bare(forRules), shots: shotsText(forShots) });
      if (now !== asked || closed) return;
      say(problem, "");
      known = found;
      go.disabled = showOwn.disabled = !found.suggestion;
      const [row, column] = found.suggestion ? cellAt(found.suggestion) : [];
      figures.replaceChildren(
        ...figure(t("Layouts left"), found.layouts === null ? t("not counted") : count(found.layouts), found.method === "exact" ? t("exact") : t("sampled")),
        ...figure(t("Best shot"), found.suggestion ?? t("none"), found.suggestion ? t("{chance} to hit", { chance: percent(found.probability[row][column]) }) : t("the whole fleet is found")),
        ...figure(t("Time"), t("{time} ms", { time: found.milliseconds < 10 ? found.milliseconds.toFixed(1) : Math.round(found.milliseconds) }), found.standard_error ? t("± {points} points", { points: (100 * found.standard_error).toFixed(2) }) : ""),
      );
      paint();
      askOthers(now, forRules, forShots, found);
    } catch (error) {
      if (now !== asked || closed) return;
      known = null;
      go.disabled = showOwn.disabled = true;
      paint();
      figures.replaceChildren();
      others.replaceChildren();
      say(problem, error.message);
    } finally {
      clearTimeout(slow);
      if (now === asked) board.element.classList.remove("stale");
    }
  }, 60);

  const figure = (name, value, small) => [h("div", {}, h("dt", {}, name), h("dd", {}, value, h("small", {}, small)))];

  async function askOthers(now, forRules, forShots, found) {
    if (!found.suggestion) {
      others.replaceChildren();
      return;
    }
    const [{ players }, cannot] = await Promise.all([about(), cannotPlay(forRules).catch(() => ({}))]);
    if (now !== asked || closed) return;
    const rows = players.map((player) => {
      const reason = cannot[player.name];
      const answer = reason ? h("span", { class: "answer", title: reason }, t("cannot play these rules")) : h("span", { class: "answer" }, player.slow ? h("button", { type: "button", class: "small", onclick: () => ask(player, answer) }, t("Ask")) : "…");
      return { player, answer, row: h("li", {}, h("span", { title: player.summary }, player.name), answer) };
    });
    others.replaceChildren(...rows.map(({ row }) => row));
    async function ask(player, answer) {
      answer.textContent = "…";
      try {
        const { cell } = await post("/choice", { rules: bare(forRules), shots: shotsText(forShots), player: player.name });
        if (now !== asked || closed) return;
        const [row, column] = cellAt(cell);
        const point = () => ring(cell);
        const still = () => ring();
        answer.replaceChildren(h("button", { type: "button", class: "small", onpointerenter: point, onfocus: point, onpointerleave: still, onblur: still, onclick: point }, cell), ` ${percent(found.probability[row][column])}`);
      } catch (error) {
        answer.textContent = "–";
        answer.title = error.message;
      }
    }
    // Three at a time: a player that compiles first does not keep the others waiting.
    const waiting = rows.filter(({ player }) => !player.slow && !cannot[player.name]);
    const line = async () => {
      while (waiting.length && now === asked && !closed) {
        const { player, answer } = waiting.shift();
        await ask(player, answer);
      }
    };
    await Promise.all([line(), line(), line()]);
  }

  const keys = (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("input, textarea")) return;
    const key = event.key.toLowerCase();
    if (key === "z") travel(event.shiftKey ? 1 : -1);
    else if (key === "y") travel(1);
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", keys);
  arrange(rules);
  say(unread, unreadable);
  const leave = () => {
    closed = true;
    document.removeEventListener("keydown", keys);
  };
  // The browser went back or forward among the positions.
  leave.goTo = (parts, query) => {
    if (history.state?.analyse === undefined || (query.get("rules") ?? "classic") !== rulesText(rules)) return false;
    place = history.state.analyse;
    shots = readShots(query.get("shots") ?? "");
    changed();
    return true;
  };
  return leave;
}
