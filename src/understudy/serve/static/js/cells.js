/** The cells of a board that a person chooses: what they show, what they are called, and where the keys lead. */

import { svg } from "./dom.js";
import { DIRECTIONS, findNeighbour, leastGap } from "./geometry.js";
import { nameCell } from "./spoken.js";

/** @typedef {import("./types.js").Description} Description */
/** @typedef {import("./chooser.js").Chooser} Chooser */
/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {{stones: readonly string[], marked: readonly number[], chooser: Chooser, open: boolean}} Look */

export class Cells {
  /**
   * @param {Description} description @param {(cell: number) => Point} locate
   * @param {(cell: number) => void} choose
   */
  constructor(description, locate, choose) {
    this.description = description;
    this.locate = locate;
    this.choose = choose;
    /** The one cell in the order of tabs. */
    this.focused = 0;
    this.side = leastGap(description.cells);
    this.elements = description.cells.map((_, cell) => this.make(cell));
    this.layer = svg("g", { class: "cells" }, this.elements);
  }

  /** @param {number} cell */
  make(cell) {
    const half = this.side / 2;
    const press = (/** @type {MouseEvent} */ event) => event.detail === 0 && this.choose(cell); // by a screen reader
    return svg(
      "g",
      { class: "cell", role: "button", tabindex: cell ? -1 : 0, onfocus: () => this.focus(cell), onclick: press },
      svg("rect", { class: "hit", x: -half, y: -half, width: this.side, height: this.side, rx: 6 }),
      svg("circle", { class: "spot", r: this.side * 0.13 }),
      svg("circle", { class: "ring", r: this.side * 0.44 }),
    );
  }

  place() {
    this.elements.forEach((element, cell) => {
      const { x, y } = this.locate(cell);
      element.setAttribute("transform", `translate(${x} ${y})`);
    });
  }

  /** @returns {Point[]} */
  get places() {
    return this.elements.map((_, cell) => this.locate(cell));
  }

  /** @param {Look} look `open`: whether any cell may be chosen */
  draw(look) {
    const { next, firsts } = look.chooser;
    this.elements.forEach((element, cell) => this.drawOne(element, cell, look, next, firsts));
  }

  /**
   * @param {SVGGElement} element @param {number} cell @param {Look} look
   * @param {Map<string, boolean>} next @param {Set<string>} firsts
   */
  drawOne(element, cell, { stones, marked, chooser, open }, next, firsts) {
    const { name } = this.description.cells[cell];
    const full = Boolean(stones[cell]);
    const begun = chooser.chosen.length > 0;
    const marks = {
      can: firsts.has(name),
      chosen: chooser.chosen.includes(name),
      marked: marked.includes(cell),
      next: next.has(name) && (begun || next.get(name) === true || !full),
    };
    const classes = { can: marks.can || marks.next || open, drag: full && chooser.leads(name), full };
    for (const [kind, on] of Object.entries({ ...classes, next: marks.next, chosen: marks.chosen }))
      element.classList.toggle(kind, on);
    element.setAttribute("aria-label", nameCell(this.description, name, stones[cell], marks));
  }

  /**
   * Let arrow keys go to the nearest cell in their direction.
   * @param {string} key
   * @returns {boolean} whether it was such a key
   */
  walk(key) {
    const direction = DIRECTIONS[key];
    if (!direction) return false;
    this.focus(findNeighbour(this.places, this.focused, direction));
    this.elements[this.focused].focus();
    return true;
  }

  /** One cell alone is in the order of tabs; arrows move on from it. @param {number} cell */
  focus(cell) {
    this.elements[this.focused].setAttribute("tabindex", "-1");
    this.focused = cell;
    this.elements[cell].setAttribute("tabindex", "0");
  }
}
