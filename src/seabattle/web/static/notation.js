// Cells, rules, layouts and shots: their text forms, their words, and legal placement.

import { t, tn } from "./texts.js";

export const cellName = (row, column) => `${String.fromCharCode(65 + row)}${column + 1}`;

export function cellAt(name) {
  return [name.charCodeAt(0) - 65, Number(name.slice(1)) - 1];
}

/** The parts of rules that the server accepts; the rest follows from them. */
export function bare({ rows, columns, fleet, contact, answers, turns, salvo = 1 }) {
  return { rows, columns, fleet, contact, answers, turns, salvo };
}

/** The text form of rules: a preset's name, or all parts. */
export function rulesText(rules) {
  return rules.name ?? `${rules.rows}x${rules.columns} fleet=${rules.fleet.join(",")} contact=${rules.contact} answers=${rules.answers} turns=${rules.turns}${(rules.salvo ?? 1) === 1 ? "" : ` salvo=${rules.salvo}`}`;
}

/** The address of a position in Analyse. */
export function analyseLink(rules, shots) {
  const query = new URLSearchParams({ rules: rulesText(rules) });
  if (shots.length) query.set("shots", shotsText(shots));
  return `#/analyse?${query}`;
}

export const CONTACT = {
  any: t("ships may touch"),
  corners: t("ships may touch at corners only"),
  none: t("ships never touch, not even at corners"),
};
export const ANSWERS = {
  "hit-miss": t("answers are hit or miss only"),
  sunk: t("you are told when a ship sinks"),
  "sunk-named": t("you are told which ship sinks"),
  named: t("every hit names its ship"),
};
export const TURNS = {
  alternate: t("one shot each, first to finish wins"),
  rounds: t("equal shots, a draw is possible"),
  again: t("a hit earns another shot"),
};

/** How many shots a turn has, if not one. */
function salvoText({ salvo, turns }) {
  const order = turns === "rounds" ? t("equal turns, a draw is possible") : t("first to finish wins");
  const shots = salvo === "ships" ? t("as many shots per turn as you have ships afloat") : tn(salvo, "{n} shot per turn", "{n} shots per turn");
  return t("{shots}, answered together; {order}", { shots, order });
}

export function describe(rules) {
  const turns = (rules.salvo ?? 1) === 1 ? TURNS[rules.turns] : salvoText(rules);
  return t("{rows} × {columns}, ships of {fleet}; {contact}; {answers}; {turns}.", { rows: rules.rows, columns: rules.columns, fleet: rules.fleet.join(", "), contact: CONTACT[rules.contact], answers: ANSWERS[rules.answers], turns });
}

const SHIPS = { carrier: t("carrier"), battleship: t("battleship"), cruiser: t("cruiser"), submarine: t("submarine"), destroyer: t("destroyer"), boat: t("boat") };
/** The name of a ship in words: destroyer, destroyer 2, ship of 6. */
export function shipTitle(name) {
  const [, kind, length, number] = /^(ship-(\d+)|\D+?)(?:-(\d+))?$/.exec(name) ?? [null, name];
  const ship = length ? t("ship of {length}", { length }) : SHIPS[kind] ?? kind;
  return number ? t("{ship} {number}", { ship, number }) : ship;
}

/** The cells of a placed ship. */
export function shipCells({ cell, direction }, length) {
  const [row, column] = cellAt(cell);
  return Array.from({ length }, (_, k) => (direction === "across" ? cellName(row, column + k) : cellName(row + k, column)));
}

/** The answered shots of one side. A move wasted on a known cell is none: it was told nothing. */
export const shotsOf = (moves, side) => moves.filter((move) => move.side === side && move.told !== "wasted");

/** The cells that some shots hit. */
export const hitCells = (shots) => new Set(shots.filter((shot) => shot.told !== "miss").map((shot) => shot.cell));

/** The ships of a layout with their lengths and cells, and whether these hits have sunk them. */
export function shipsUnderFire(rules, ships, hits) {
  return ships.map((ship, k) => {
    const cells = shipCells(ship, rules.fleet[k]);
    return { ...ship, length: rules.fleet[k], cells, sunk: cells.every((cell) => hits.has(cell)) };
  });
}

/** The cells of the sunk ones of these ships. */
export const sunkCells = (ships) => ships.filter((ship) => ship.sunk).flatMap((ship) => ship.cells);

/** Sunk ships that are known whole, as a board draws them. */
export const sunkHulls = ({ hulls }) => hulls.map((hull) => ({ ...hull, cells: shipCells(hull, hull.length), sunk: true }));

/** A shot as `E6 sunk cruiser`. */
export const shotText = ({ cell, told, ship }) => [cell, told, ship].filter(Boolean).join(" ");
export const shotsText = (shots) => shots.map(shotText).join(", ");

export function readShots(text) {
  return text
    .split(",")
    .map((entry) => entry.trim().split(/\s+/))
    .filter((words) => words.length >= 2)
    .map(([cell, told, ship]) => ({ cell: cell.toUpperCase(), told, ship: ship ?? null }));
}

/** A shot and its answer in words. */
export function toldText({ cell, told, ship }) {
  const known = { cell, ship: ship && shipTitle(ship) };
  if (told === "miss") return t("{cell}: miss", known);
  if (told === "wasted") return t("{cell}: wasted move", known);
  if (told === "hit") return ship ? t("{cell}: hit the {ship}", known) : t("{cell}: hit", known);
  return ship ? t("{cell}: sank the {ship}", known) : t("{cell}: sank a ship", known);
}

/** An answer in as few words as a list or a cell has room for. */
export function answerText({ told, ship }) {
  if (told === "miss") return t("miss");
  const known = { ship: ship && shipTitle(ship) };
  if (told === "hit") return ship ? t("hit {ship}", known) : t("hit");
  return ship ? t("sunk {ship}", known) : t("sunk");
}

/** Where a ship lies: cruiser B3 across. */
export function placeText({ ship, cell, direction }) {
  const known = { ship: shipTitle(ship), cell };
  return direction === "across" ? t("{ship} {cell} across", known) : t("{ship} {cell} down", known);
}

export const shotCount = (number) => tn(number, "{n} shot", "{n} shots");
export const hitCount = (number) => tn(number, "{n} hit", "{n} hits");

/** Why a layout is not legal: ship index -> sentence, for the ships at fault. */
export function conflicts(rules, ships) {
  const cells = ships.map((ship, k) => shipCells(ship, rules.fleet[k]).map(cellAt));
  const found = new Map();
  for (let one = 0; one < ships.length; one++) {
    for (let other = 0; other < one; other++) {
      for (const [r, c] of cells[one]) {
        for (const [s, d] of cells[other]) {
          const down = Math.abs(r - s);
          const right = Math.abs(c - d);
          let why;
          if (down + right === 0) why = t("Two ships lie on {cell}.", { cell: cellName(r, c) });
          else if (rules.contact !== "any" && down + right === 1) why = t("Ships touch at {one} and {other}.", { one: cellName(r, c), other: cellName(s, d) });
          else if (rules.contact === "none" && Math.max(down, right) === 1) why = t("Ships touch at corners, {one} and {other}.", { one: cellName(r, c), other: cellName(s, d) });
          if (why) {
            if (!found.has(one)) found.set(one, why);
            if (!found.has(other)) found.set(other, why);
          }
        }
      }
    }
  }
  return found;
}
