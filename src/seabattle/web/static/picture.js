// A position as a PNG: drawn on a canvas from what a board shows.

import { saveFile } from "./dom.js";
import { cellName } from "./notation.js";

const CELL = 48;
const EDGE = 34;

/** Save what a board shows as a PNG file. */
export async function savePicture(board, title) {
  const { rows, columns } = board.rules;
  const canvas = document.createElement("canvas");
  const scale = 2;
  canvas.width = scale * (EDGE + columns * CELL + 16);
  canvas.height = scale * (EDGE + rows * CELL + 16 + 28);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const style = getComputedStyle(document.documentElement);
  const colour = (name, fallback) => style.getPropertyValue(name).trim() || fallback;
  pen.fillStyle = colour("--surface", getComputedStyle(document.body).backgroundColor);
  pen.fillRect(0, 0, canvas.width, canvas.height);
  const ink = getComputedStyle(document.body).color;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = "15px system-ui, sans-serif";
  pen.fillStyle = ink;
  for (let column = 0; column < columns; column++) pen.fillText(String(column + 1), EDGE + (column + 0.5) * CELL, EDGE / 2);
  for (let row = 0; row < rows; row++) pen.fillText(cellName(row, 0)[0], EDGE / 2, EDGE + (row + 0.5) * CELL);
  for (const [name, cell] of board.cells) {
    const row = name.charCodeAt(0) - 65;
    const column = Number(name.slice(1)) - 1;
    const [x, y] = [EDGE + column * CELL, EDGE + row * CELL];
    pen.fillStyle = getComputedStyle(cell).backgroundColor;
    pen.fillRect(x + 1, y + 1, CELL - 2, CELL - 2);
    if (board.covered?.has(name)) {
      pen.fillStyle = "rgba(110, 120, 135, 0.75)";
      pen.fillRect(x + 6, y + 6, CELL - 12, CELL - 12);
    }
    if (cell.dataset.ring) {
      pen.strokeStyle = ink;
      pen.lineWidth = 3;
      pen.strokeRect(x + 3, y + 3, CELL - 6, CELL - 6);
    }
    drawMark(pen, cell, x, y, ink, board.sunk?.has(name));
  }
  pen.fillStyle = ink;
  pen.font = "13px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.fillText(title, EDGE, EDGE + rows * CELL + 20, columns * CELL);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  saveFile("seabattle-position.png", blob, "image/png");
}

function drawMark(pen, cell, x, y, ink, sunk) {
  const [middleX, middleY] = [x + CELL / 2, y + CELL / 2];
  if (cell.dataset.told === "miss") {
    pen.fillStyle = ink;
    pen.beginPath();
    pen.arc(middleX, middleY, 6, 0, 2 * Math.PI);
    pen.fill();
  } else if (cell.dataset.told) {
    pen.fillStyle = sunk ? "#7a1f1f" : "#d1383d";
    pen.fillRect(x + 5, y + 5, CELL - 10, CELL - 10);
    pen.strokeStyle = "#fff";
    pen.lineWidth = 4;
    pen.beginPath();
    pen.moveTo(x + 15, y + 15);
    pen.lineTo(x + CELL - 15, y + CELL - 15);
    pen.moveTo(x + CELL - 15, y + 15);
    pen.lineTo(x + 15, y + CELL - 15);
    pen.stroke();
  } else if (cell.dataset.percent) {
    pen.fillStyle = getComputedStyle(cell).color;
    pen.font = "14px system-ui, sans-serif";
    pen.fillText(cell.dataset.percent, middleX, middleY);
  }
}
