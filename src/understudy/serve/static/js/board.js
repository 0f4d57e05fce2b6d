/** One board for all games: drawn from what the server says of a game, played by pointer or keyboard. */

import { askOption } from "./promotion.js";
import { Chooser } from "./chooser.js";
import { fill, fragment, h, svg } from "./dom.js";
import { DIRECTIONS, findNeighbour, leastGap } from "./geometry.js";
import { Layers } from "./layers.js";
import { listenToPointer } from "./pointer.js";
import { nameCell, sideOf } from "./spoken.js";
import { Stones } from "./stones.js";

/** @typedef {import("./types.js").Description} Description */
/** @typedef {import("./types.js").Legal} Legal */
/** @typedef {{stones: readonly string[], marked?: readonly number[], legal?: Legal[], turn?: string}} Shown */
/**
 * @typedef {object} Wishes
 * @property {string} [label] what the board is called
 * @property {(move: Legal) => void} [onMove] a move is made
 * @property {(cell: string) => void} [onCell] any cell is chosen, where no moves are made
 * @property {(sentence: string) => void} [onSay] what a person is to do next
 * @property {(cells: string[]) => void} [onChosen] the cells chosen so far
 * @property {boolean} [flipped]
 * @property {boolean} [picture] it is only looked at
 */

export class Board {
  /** @param {Description} description @param {Wishes} [wishes] */
  constructor(description, wishes = {}) {
    this.description = description;
    this.wishes = wishes;
    this.flipped = wishes.flipped ?? false;
    this.names = description.cells.map((cell) => cell.name);
    /** @type {Shown} */
    this.shown = { stones: this.names.map(() => "") };
    this.chooser = new Chooser([]);
    this.focused = 0;
    this.side = leastGap(description.cells);
    this.stones = new Stones(description.stones, description.box, (cell) => this.locate(cell));
    this.layers = new Layers(description);
    this.marks = svg("g", { class: "marks", "aria-hidden": "true" });
    this.cells = this.names.map((_, cell) => this.makeCell(cell));
    this.svg = this.build();
    this.element = h("div", { class: "board" }, this.svg);
    if (!wishes.picture) this.listen();
    this.layers.drawGround(this.flipped);
    this.place();
  }

  build() {
    const { width, height, lined, title } = this.description;
    const { ground, below, above } = this.layers;
    const { picture } = this.wishes;
    const press = (/** @type {KeyboardEvent} */ event) => this.press(event);
    return svg("svg", {
      viewBox: `0 0 ${width} ${height}`, class: `us-board${lined ? " us-lined" : ""}`, role: picture ? "img" : "group",
      "aria-label": this.wishes.label ?? title, onkeydown: press,
    }, ground, this.marks, below, this.stones.layer, above, !picture && svg("g", { class: "cells" }, this.cells));
  }

  listen() {
    listenToPointer({
      element: this.svg,
      reach: this.side * 0.6, // a little more than half a cell, so that no gap is left between neighbours
      places: () => this.names.map((_, cell) => this.locate(cell)),
      canDrag: (cell) => this.canDrag(cell),
      onClick: (cell) => (this.focus(cell, false), this.choose(cell)),
      onDrag: (cell) => (this.chooser.clear(), this.choose(cell)),
      onCarry: (cell, point) => this.stones.carry(cell, point),
      onDrop: (from, to) => this.drop(from, to),
    });
  }

  /**
   * Show a position; a choice half made stays if it is still the same position.
   * @param {Shown} shown
   */
  show(shown) {
    const same = JSON.stringify([shown.stones, shown.legal]) === JSON.stringify([this.shown.stones, this.shown.legal]);
    this.shown = shown;
    if (!same || !this.chooser.chosen.length) this.chooser = this.makeChooser();
    this.draw();
  }

  /** Show the position again as it was told, a move that was refused taken back. */
  reset() {
    this.chooser = this.makeChooser();
    this.draw();
  }

  makeChooser() {
    const { stones, legal } = this.shown;
    return new Chooser(legal ?? [], (cell) => !stones[this.names.indexOf(cell)]);
  }

  /**
   * Lay a drawing over the board: heat and hatching under the stones, arrows and numbers above.
   * @param {string} text a fragment of SVG made by the server; empty takes it away
   */
  overlay(text) {
    this.svg.classList.toggle("us-quiet", this.layers.cover(text, this.flipped));
  }

  flip() {
    this.flipped = !this.flipped;
    this.layers.drawGround(this.flipped);
    this.layers.turn(this.flipped);
    this.place();
    this.draw();
  }

  destroy() {
    this.element.remove();
  }

  /** The middle of a cell, as the board is turned. @param {number} cell */
  locate(cell) {
    const { x, y } = this.description.cells[cell];
    const { width, height } = this.description;
    return this.flipped ? { x: width - x, y: height - y } : { x, y };
  }

  /** @param {number} cell */
  makeCell(cell) {
    const half = this.side / 2;
    return svg("g", {
      class: "cell", role: "button", tabindex: cell === 0 ? 0 : -1,
      onfocus: () => this.focus(cell, false), onclick: (/** @type {MouseEvent} */ event) => event.detail === 0 && this.choose(cell),
    }, svg("rect", { class: "hit", x: -half, y: -half, width: this.side, height: this.side, rx: 6 }),
      svg("circle", { class: "spot", r: this.side * 0.13 }), svg("circle", { class: "ring", r: this.side * 0.44 }));
  }

  place() {
    this.cells.forEach((element, cell) => {
      const { x, y } = this.locate(cell);
      element.setAttribute("transform", `translate(${x} ${y})`);
    });
  }

  draw() {
    this.stones.show(this.preview());
    fill(this.marks, (this.shown.marked ?? []).map((cell) => this.makeMark(cell)));
    const next = this.chooser.next;
    const firsts = this.chooser.firsts;
    this.cells.forEach((element, cell) => this.drawCell(element, cell, next, firsts));
    this.svg.classList.toggle("waiting", !this.chooser.chosen.length);
    this.say(next);
    this.wishes.onChosen?.(this.chooser.chosen);
  }

  /** @param {number} cell */
  makeMark(cell) {
    const { x, y } = this.locate(cell);
    const half = this.description.box / 2;
    return svg("g", { transform: `translate(${x - half} ${y - half})` }, fragment(this.description.mark));
  }

  /** @param {SVGGElement} element @param {number} cell @param {Map<string, boolean>} next @param {Set<string>} firsts */
  drawCell(element, cell, next, firsts) {
    const name = this.names[cell];
    const stone = this.shown.stones[cell];
    const begun = this.chooser.chosen.length > 0;
    const marks = {
      can: firsts.has(name), chosen: this.chooser.chosen.includes(name), marked: (this.shown.marked ?? []).includes(cell),
      next: next.has(name) && (begun || next.get(name) === true || !stone),
    };
    element.classList.toggle("can", marks.can || marks.next || Boolean(this.wishes.onCell));
    element.classList.toggle("drag", this.canDrag(cell));
    element.classList.toggle("next", marks.next);
    element.classList.toggle("full", Boolean(stone));
    element.classList.toggle("chosen", marks.chosen);
    element.setAttribute("aria-label", nameCell(this.description, name, stone, marks));
  }

  /** The stones as they stand with the cells chosen so far. */
  preview() {
    const stones = [...this.shown.stones];
    const [first, second] = this.chooser.chosen.map((cell) => this.names.indexOf(cell));
    if (second !== undefined) [stones[first], stones[second]] = ["", stones[first] || this.own()];
    else if (first !== undefined && !stones[first]) stones[first] = this.own();
    return stones;
  }

  /** The stone that the side to move puts. */
  own() {
    const turn = this.shown.turn ?? "";
    return turn in this.description.stones ? turn : "";
  }

  /** @param {number} cell */
  canDrag(cell) {
    const name = this.names[cell];
    return Boolean(this.shown.stones[cell]) && this.chooser.legal.some((move) => move.cells.length > 1 && move.cells[0] === name);
  }

  /** @param {number} cell */
  choose(cell) {
    if (this.wishes.onCell && !this.chooser.legal.length) return this.wishes.onCell(this.names[cell]);
    this.finish(this.chooser.choose(this.names[cell]));
  }

  /** @param {number} from @param {number} to */
  drop(from, to) {
    this.stones.carry(from, null);
    if (to < 0 || to === from || !this.chooser.next.has(this.names[to])) return this.reset();
    this.focus(to, false);
    this.choose(to);
  }

  /** @param {Legal[]} moves */
  async finish(moves) {
    this.draw();
    if (!moves.length) return;
    const move = moves.length === 1 ? moves[0] : await askOption(this.description, this.shown.turn ?? "", moves);
    if (move) this.wishes.onMove?.(move);
    else this.reset();
  }

  /** Say what is to be done next, where the board alone does not. @param {Map<string, boolean>} next */
  say(next) {
    const { chosen, complete } = this.chooser;
    const mover = this.shown.turn;
    const takes = chosen.length > 0 && [...next.keys()].every((cell) => {
      const side = sideOf(this.description, this.shown.stones[this.names.indexOf(cell)]);
      return side !== null && side !== mover;
    });
    if (next.size && takes && this.chooser.half) this.wishes.onSay?.("Choose a stone to take.");
    else if (next.size && complete.length) this.wishes.onSay?.(`Go on, or choose ${chosen.at(-1)} again to stop there.`);
    else this.wishes.onSay?.("");
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const direction = DIRECTIONS[event.key];
    if (direction) this.focus(findNeighbour(this.names.map((_, cell) => this.locate(cell)), this.focused, direction), true);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.focused);
    else if (event.key === "Escape" && this.chooser.chosen.length) this.reset();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** One cell alone is in the order of tabs; arrows move on from it. @param {number} cell @param {boolean} move */
  focus(cell, move) {
    const { cells } = this;
    cells[this.focused].setAttribute("tabindex", "-1");
    this.focused = cell;
    cells[cell].setAttribute("tabindex", "0");
    if (move) cells[cell].focus();
  }
}
