/** What lies under and over the stones of a board: the ground, and drawings of what somebody thinks. */

import { fill, fragment, svg } from "./dom.js";

/** @typedef {import("./types.js").Description} Description */

export class Layers {
  /** @param {Description} description */
  constructor(description) {
    this.description = description;
    this.ground = svg("g", { "aria-hidden": "true" });
    this.below = svg("g", { class: "below", "aria-hidden": "true" });
    this.above = svg("g", { class: "above", "aria-hidden": "true" });
  }

  /**
   * Lay a drawing over the board: what it calls under comes under the stones, the rest above them.
   * @param {string} text @param {boolean} flipped
   * @returns {boolean} whether something is under the stones
   */
  cover(text, flipped) {
    const drawing = fragment(text);
    fill(this.below, [...drawing.querySelectorAll(".us-under")]);
    fill(this.above, drawing);
    this.turn(flipped);
    return this.below.querySelector("rect, path") !== null;
  }

  /** Draw the ground; a turned board keeps the names of rows and columns at its left and lower edge. @param {boolean} flipped */
  drawGround(flipped) {
    const { width, height, ground } = this.description;
    const drawing = fragment(ground);
    const names = [...drawing.querySelectorAll("text")];
    fill(this.ground, svg("g", flipped ? { transform: this.rotation } : {}, drawing), names);
    if (flipped) for (const name of names) turnName(name, width, height);
  }

  /** Turn what lies over the board, but not its texts. @param {boolean} flipped */
  turn(flipped) {
    for (const layer of [this.below, this.above]) {
      layer.setAttribute("transform", flipped ? this.rotation : "");
      for (const text of layer.querySelectorAll("text")) {
        const [x, y] = ["x", "y"].map((name) => Number(text.getAttribute(name)));
        text.setAttribute("transform", flipped ? `rotate(180 ${x} ${y - FOOT})` : "");
      }
    }
  }

  get rotation() {
    return `rotate(180 ${this.description.width / 2} ${this.description.height / 2})`;
  }
}

/** How far the foot of a text lies below its middle, as the server draws texts. */
const FOOT = 4;

/** @param {SVGTextElement} name @param {number} width @param {number} height */
function turnName(name, width, height) {
  const [x, y] = ["x", "y"].map((key) => Number(name.getAttribute(key)));
  const row = x < width / 8 && y < height - 3 * FOOT; // at the left edge, and not below the board
  if (row) name.setAttribute("y", String(height - (y - FOOT) + FOOT));
  else name.setAttribute("x", String(width - x));
}
