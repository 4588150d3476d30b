// The numbers that a player goes by, such as placements per cell: of each ship, and summed.

import { h } from "./dom.js";
import { language, t } from "./texts.js";

/** Whole numbers as they are, others with four digits. */
const figure = (value) => (Number.isInteger(value) ? value.toLocaleString(language) : Number(value.toPrecision(4)).toString());

/** Colour a board by one of the maps. The numbers are written on the cells as they are. */
export function showNumbers(board, caption, { title, values }, numbers) {
  const most = Math.max(0, ...values.flat().filter((value) => value !== null));
  const share = values.map((line) => line.map((value) => (value === null ? null : value / (most || 1))));
  board.setHeat(share, numbers, {
    text: (part) => short(part * most),
    words: (row, column) => (values[row][column] === null ? t("no number") : figure(values[row][column])),
  });
  caption.scale(title, "0", figure(most));
}

/** A number that fits on a cell: 74, 1.2k. */
function short(value) {
  const whole = Math.round(value);
  if (whole < 1000) return String(whole);
  return whole < 10_000 ? `${(whole / 1000).toFixed(1)}k` : whole < 1e6 ? `${Math.round(whole / 1000)}k` : `${Math.round(whole / 1e6)}M`;
}

/** One radio button per map; what decides comes first. */
export function mapChoices(maps, chosen, changed) {
  return maps.map((map, k) => h("label", {}, h("input", { type: "radio", name: "layer", value: `map-${k}`, checked: k === chosen, onchange: () => changed(k) }), map.title)).reverse();
}
