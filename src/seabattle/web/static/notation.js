// Cells, rules, layouts and shots: their text forms, their words, and legal placement.

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
  any: "ships may touch",
  corners: "ships may touch at corners only",
  none: "ships never touch, not even at corners",
};
export const ANSWERS = {
  "hit-miss": "answers are hit or miss only",
  sunk: "you are told when a ship sinks",
  "sunk-named": "you are told which ship sinks",
  named: "every hit names its ship",
};
export const TURNS = {
  alternate: "one shot each, first to finish wins",
  rounds: "equal shots, a draw is possible",
  again: "a hit earns another shot",
};

/** How many shots a turn has, if not one. */
function salvoText({ salvo, turns }) {
  const order = turns === "rounds" ? "equal turns, a draw is possible" : "first to finish wins";
  const shots = salvo === "ships" ? "as many shots per turn as you have ships afloat" : `${salvo} shots per turn`;
  return `${shots}, answered together; ${order}`;
}

export function describe(rules) {
  const turns = (rules.salvo ?? 1) === 1 ? TURNS[rules.turns] : salvoText(rules);
  return `${rules.rows} × ${rules.columns}, ships of ${rules.fleet.join(", ")}; ${CONTACT[rules.contact]}; ${ANSWERS[rules.answers]}; ${turns}.`;
}

export const shipTitle = (name) => name.replace(/^ship-(\d+)$/, "ship of $1").replace("-", " ");

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
  const name = ship ? ` ${shipTitle(ship)}` : "";
  if (told === "miss") return `${cell}: miss`;
  if (told === "wasted") return `${cell}: wasted move`;
  if (told === "hit") return `${cell}: hit${name && ` the${name}`}`;
  return ship ? `${cell}: sank the${name}` : `${cell}: sank a ship`;
}

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
          if (down + right === 0) why = `Two ships lie on ${cellName(r, c)}.`;
          else if (rules.contact !== "any" && down + right === 1) why = `Ships touch at ${cellName(r, c)} and ${cellName(s, d)}.`;
          else if (rules.contact === "none" && Math.max(down, right) === 1) why = `Ships touch at corners, ${cellName(r, c)} and ${cellName(s, d)}.`;
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
