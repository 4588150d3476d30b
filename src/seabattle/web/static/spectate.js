// Spectate: watch two people, as far as both have been told.

import { follow } from "./api.js";
import { Board, fitSide } from "./board.js";
import { announce, h } from "./dom.js";
import { damage, showFleet, stillToFind } from "./fleet.js";
import { hitCells, hitCount, shipsUnderFire, shotCount, shotsOf, sunkCells, sunkHulls, toldText } from "./notation.js";
import { t } from "./texts.js";

export async function spectate(main, [id]) {
  const line = h("p", { class: "line", role: "status", hidden: true }, t("Connection lost; reconnecting …"));
  const body = h("div", {}, h("p", { class: "quiet" }, t("Loading the game …")));
  main.replaceChildren(h("h1", { class: "unseen" }, t("Spectate")), line, body);
  let sides;
  const status = h("p", { class: "turn", role: "status" });
  const last = h("p", { class: "last-shot" });
  const actions = h("div", { class: "actions" });
  const name = (view, side) => view.seats[side].name || t("Player {number}", { number: side + 1 });

  function arrange(view) {
    const { rules } = view;
    sides = [0, 1].map((side) => {
      const board = new Board(rules, t("Shots of {name}", { name: name(view, side) }));
      board.enable(false);
      const fired = h("p", { class: "quiet count" });
      const title = h("h2", {});
      const fleet = h("ul", { class: "fleet", "aria-label": t("Fleet of {name}", { name: name(view, 1 - side) }) });
      const element = h("section", { class: "side" }, h("div", { class: "side-head" }, h("div", {}, title, fired)), board.element, fleet);
      fitSide(element, rules);
      return { board, fired, title, fleet, element };
    });
    body.replaceChildren(h("div", { class: "status" }, h("div", {}, status, last), actions), h("div", { class: "boards even" }, sides.map(({ element }) => element)), h("p", { class: "hint" }, t("Spectators see the shots and their answers. The fleets are shown when the game is over.")));
  }

  const stop = follow(
    `${encodeURIComponent(id ?? "")}/public`,
    "",
    (view) => {
      if (!sides) arrange(view);
      const { rules } = view;
      const over = view.state === "over";
      sides.forEach(({ board, fired, title, fleet }, side) => {
        const shots = shotsOf(view.moves, side);
        const hits = hitCells(shots);
        title.textContent = t("{name} shoots", { name: name(view, side) });
        board.setShots(shots, true);
        const ships = view.seats[1 - side].ships;
        if (over && ships) {
          const known = shipsUnderFire(rules, ships, hits);
          board.setShips(known, true);
          board.setSunk(sunkCells(known));
          showFleet(fleet, rules, (k) => known[k].cells.map((cell) => hits.has(cell)));
        } else {
          board.setShips(sunkHulls(view.sunk[side]));
          board.setSunk(view.sunk[side].cells);
          showFleet(fleet, rules, (k) => damage(rules, k, shots), stillToFind(rules, shots));
        }
        fired.textContent = `${shotCount(shots.length)}, ${hitCount(hits.size)}`;
      });
      const shot = view.moves.at(-1);
      status.textContent = over ? (view.drawn ? t("A draw") : t("{name} wins", { name: name(view, view.winner) })) : view.state === "placing" ? t("The fleets are being placed.") : t("{name} to shoot", { name: name(view, view.to_move) });
      last.textContent = shot ? `${name(view, shot.side)} · ${toldText(shot)}` : "";
      if (shot) announce(last.textContent);
      document.title = `${status.textContent} · seabattle`;
      actions.replaceChildren(...(over ? [h("a", { class: "button", href: `#/replay/${id}` }, t("Replay"))] : []));
    },
    (up) => (line.hidden = up),
    (code) => body.replaceChildren(h("section", { class: "card" }, h("h2", {}, t("You cannot watch this game")), h("p", {}, code === 404 ? t("There is no such game; it may have expired.") : t("Its players do not allow spectators.")))),
  );
  return stop;
}
