/** The stones of a board: they stay the same elements from one position to the next, so that they can glide. */

import { fragment, svg } from "./dom.js";

/** @typedef {import("./geometry.js").Point} Point */
/** @typedef {{element: SVGGElement, stone: string}} Man */

export class Stones {
  /**
   * @param {Record<string, string>} shapes the drawing of each stone
   * @param {number} box the side of the square that holds a drawing
   * @param {(cell: number) => Point} locate
   */
  constructor(shapes, box, locate) {
    this.shapes = shapes;
    this.box = box;
    this.locate = locate;
    this.layer = svg("g", { class: "stones", "aria-hidden": "true" });
    /** @type {Map<number, Man>} */
    this.men = new Map();
  }

  /** @param {readonly string[]} stones by cell */
  show(stones) {
    const left = new Map([...this.men].filter(([cell, man]) => stones[cell] !== man.stone));
    const men = new Map([...this.men].filter(([cell]) => !left.has(cell)));
    stones.forEach((stone, cell) => {
      if (!stone || men.has(cell)) return;
      const man = this.take(left, stone, cell) ?? this.make(stone);
      men.set(cell, man);
    });
    for (const man of left.values()) man.element.remove();
    this.men = men;
    for (const [cell, man] of men) this.put(man, this.locate(cell));
  }

  /**
   * Take the nearest of the equal stones that left their cells: it is the one that moved.
   * @param {Map<number, Man>} left @param {string} stone @param {number} to
   */
  take(left, stone, to) {
    const end = this.locate(to);
    const far = (/** @type {number} */ cell) => Math.hypot(this.locate(cell).x - end.x, this.locate(cell).y - end.y);
    const equal = [...left].filter(([, man]) => man.stone === stone).sort(([a], [b]) => far(a) - far(b));
    if (!equal.length) return null;
    left.delete(equal[0][0]);
    return equal[0][1];
  }

  /** @param {string} stone @returns {Man} */
  make(stone) {
    const element = svg("g", { class: "man" }, fragment(this.shapes[stone] ?? ""));
    this.layer.append(element);
    return { element, stone };
  }

  /** @param {Man} man @param {Point} point its middle */
  put(man, point) {
    const half = this.box / 2;
    man.element.style.transform = `translate(${point.x - half}px, ${point.y - half}px)`;
  }

  /**
   * Let a stone follow the pointer, or stand in its cell again.
   * @param {number} cell @param {Point|null} point
   */
  carry(cell, point) {
    const man = this.men.get(cell);
    if (!man) return;
    man.element.classList.toggle("carried", point !== null);
    if (point && man.element !== this.layer.lastChild) this.layer.append(man.element); // above the others
    this.put(man, point ?? this.locate(cell));
  }
}
