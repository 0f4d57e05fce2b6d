/** Mouse, pen and finger on a board: a press and release in one cell is a click, a press that moves away a drag. */

import { findNearest } from "./geometry.js";

/** @typedef {import("./geometry.js").Point} Point */
/**
 * @typedef {object} Touched what the pointer needs of a board
 * @property {SVGSVGElement} element
 * @property {number} reach how far from its middle a cell is still meant
 * @property {() => Point[]} places
 * @property {(cell: number) => boolean} canDrag
 * @property {(cell: number) => void} onClick
 * @property {(cell: number) => void} onDrag a stone is taken up
 * @property {(cell: number, point: Point) => void} onCarry
 * @property {(from: number, to: number) => void} onDrop `to` is -1 beside the board
 */

/** A finger trembles by a few pixels: less than this is a click. */
const TREMBLE = 6;

/**
 * Listen to the pointer.
 * @param {Touched} board
 */
export function listenToPointer(board) {
  /** @type {{cell: number, x: number, y: number, dragging: boolean, id: number}|null} */
  let press = null;
  const { element } = board;
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const cell = findCell(board, event);
    press = cell < 0 ? null : { cell, x: event.clientX, y: event.clientY, dragging: false, id: event.pointerId };
  });
  element.addEventListener("pointermove", (event) => {
    if (press?.id !== event.pointerId) return;
    const far = Math.hypot(event.clientX - press.x, event.clientY - press.y);
    if (!press.dragging && far > TREMBLE && board.canDrag(press.cell)) {
      press.dragging = true;
      element.setPointerCapture(event.pointerId);
      board.onDrag(press.cell);
    }
    if (press.dragging) board.onCarry(press.cell, toBoard(element, event));
  });
  element.addEventListener("pointerup", (event) => {
    if (press?.id !== event.pointerId) return;
    const { cell, dragging } = press;
    press = null;
    const to = findCell(board, event);
    if (dragging) board.onDrop(cell, to);
    else if (to === cell) board.onClick(cell);
  });
  element.addEventListener("pointercancel", () => {
    if (press?.dragging) board.onDrop(press.cell, -1);
    press = null;
  });
}

/** @param {Touched} board @param {PointerEvent} event */
function findCell(board, event) {
  return findNearest(board.places(), toBoard(board.element, event), board.reach);
}

/** @param {SVGSVGElement} element @param {PointerEvent} event @returns {Point} */
function toBoard(element, event) {
  const matrix = element.getScreenCTM();
  return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : { x: 0, y: 0 };
}
