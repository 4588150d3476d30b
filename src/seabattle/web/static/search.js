// What a search found at its root: on a board, and in words.

import { h, percent } from "./dom.js";
import { cellAt, cellName } from "./notation.js";
import { language, t, tn } from "./texts.js";

/** Four significant digits: 0.1505, −47.65. */
const figure = (value) => Number(value.toPrecision(4)).toString().replace("-", "\u2212");

/** A search in the form that a board shows; `what` is "visits" or "value". */
function readings(search, what) {
  const total = search.visits.flat().reduce((sum, visits) => sum + visits, 0) || 1;
  const tried = search.values.flat().filter((value) => value !== null);
  const [low, high] = [Math.min(...tried), Math.max(...tried)];
  const scaled = (value) => (high > low ? (value - low) / (high - low) : 1);
  const words = (row, column) => {
    const visits = search.visits[row][column];
    if (!visits) return t("not tried");
    const value = search.values[row][column];
    const share = t("visited {share}", { share: percent(visits / total) });
    return value === null ? share : `${share}, ${t("value {value}", { value: figure(value) })}`;
  };
  if (what === "visits") {
    const grid = search.visits.map((line) => line.map((visits) => (visits ? visits / total : null)));
    return { grid, words, text: (share) => percent(share).replace("%", ""), ends: ["0%", percent(Math.max(...grid.flat()))] };
  }
  const grid = search.values.map((line) => line.map((value) => (value === null ? null : scaled(value))));
  return { grid, words, text: (share) => String(Math.round(99 * share)), ends: tried.length ? [figure(low), figure(high)] : ["", ""] };
}

/** Colour a board by a search's visits or values. */
export function showSearch(board, caption, search, what, numbers) {
  const { grid, words, text, ends } = readings(search, what);
  board.setHeat(grid, numbers, { text, words });
  caption.scale(what === "visits" ? t("share of visits") : t("value: {unit}", search), ...ends);
}

/** Its choice first, then the most visited cells. */
function bestCells(search, most = 5) {
  const cells = search.visits.flatMap((line, row) => line.map((visits, column) => ({ cell: cellName(row, column), visits, value: search.values[row][column] })));
  const order = cells.filter(({ visits, cell }) => visits > 0 || cell === search.suggestion).sort((a, b) => (b.cell === search.suggestion) - (a.cell === search.suggestion) || b.visits - a.visits || b.value - a.value);
  return order.slice(0, most);
}

/** The best cells as a table, with the probability of a hit where it is known. */
export function bestTable(search, probability) {
  const total = search.visits.flat().reduce((sum, visits) => sum + visits, 0) || 1;
  const rows = bestCells(search).map(({ cell, visits, value }) => {
    const [row, column] = cellAt(cell);
    return h("tr", {}, h("th", { scope: "row" }, cell), h("td", {}, visits.toLocaleString(language)), h("td", {}, percent(visits / total)), h("td", {}, value === null ? "–" : figure(value)), h("td", {}, probability ? percent(probability[row][column]) : "–"));
  });
  const head = [t("Cell"), t("Visits"), t("Share"), t("Value"), t("Hit chance")].map((title) => h("th", { scope: "col" }, title));
  return h("table", { class: "best" }, h("caption", { class: "unseen" }, t("The best cells according to {player}", search)), h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows));
}

export function workText({ simulations, seconds }) {
  const time = seconds < 0.1 ? t("{time} ms", { time: Math.max(1, Math.round(seconds * 1000)) }) : t("{time} s", { time: seconds.toFixed(1) });
  return tn(simulations, "{n} simulation in {time}", "{n} simulations in {time}", { time });
}
