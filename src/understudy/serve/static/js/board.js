/** One board for all games: drawn from what the server says of a game, played by pointer or keyboard. */

import { Cells } from "./cells.js";
import { Chooser } from "./chooser.js";
import { fill, fragment, h, svg } from "./dom.js";
import { Layers } from "./layers.js";
import { listenToPointer } from "./pointer.js";
import { askOption } from "./promotion.js";
import { sideOf } from "./spoken.js";
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
    const locate = (/** @type {number} */ cell) => this.locate(cell);
    this.cells = new Cells(description, locate, (cell) => this.choose(cell));
    this.stones = new Stones(description.stones, description.box, locate);
    this.layers = new Layers(description);
    this.marks = svg("g", { class: "marks", "aria-hidden": "true" });
    this.svg = this.build();
    this.element = h("div", { class: "board" }, this.svg);
    if (!wishes.picture) this.listen();
    this.layers.drawGround(this.flipped);
    this.cells.place();
  }

  build() {
    const { width, height, lined, title } = this.description;
    const { ground, below, above } = this.layers;
    const { picture } = this.wishes;
    const press = (/** @type {KeyboardEvent} */ event) => this.press(event);
    return svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${height}`,
        class: `us-board${lined ? " us-lined" : ""}`,
        role: picture ? "img" : "group",
        "aria-label": this.wishes.label ?? title,
        onkeydown: press,
      },
      ground,
      this.marks,
      below,
      this.stones.layer,
      above,
      !picture && this.cells.layer,
    );
  }

  listen() {
    listenToPointer({
      element: this.svg,
      reach: this.cells.side * 0.6, // a little more than half a cell, so that no gap is left between neighbours
      places: () => this.cells.places,
      canDrag: (cell) => this.canDrag(cell),
      onClick: (cell) => (this.cells.focus(cell), this.choose(cell)),
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
    this.cells.place();
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

  draw() {
    this.stones.show(this.preview());
    const { stones, marked = [] } = this.shown;
    const marks = marked.map((cell) => this.makeMark(cell));
    fill(this.marks, marks);
    this.cells.draw({ stones, marked, chooser: this.chooser, open: Boolean(this.wishes.onCell) });
    this.svg.classList.toggle("waiting", !this.chooser.chosen.length);
    this.say(this.chooser.next);
    this.wishes.onChosen?.(this.chooser.chosen);
  }

  /** @param {number} cell */
  makeMark(cell) {
    const { x, y } = this.locate(cell);
    const half = this.description.box / 2;
    return svg("g", { transform: `translate(${x - half} ${y - half})` }, fragment(this.description.mark));
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
    return Boolean(this.shown.stones[cell]) && this.chooser.leads(this.names[cell]);
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
    this.cells.focus(to);
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
    const takes =
      chosen.length > 0 &&
      [...next.keys()].every((cell) => {
        const side = sideOf(this.description, this.shown.stones[this.names.indexOf(cell)]);
        return side !== null && side !== mover;
      });
    if (next.size && takes && this.chooser.half) this.wishes.onSay?.("Choose a stone to take.");
    else if (next.size && complete.length)
      this.wishes.onSay?.(`Go on, or choose ${chosen.at(-1)} again to stop there.`);
    else this.wishes.onSay?.("");
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.key === "Enter" || event.key === " ") this.choose(this.cells.focused);
    else if (event.key === "Escape" && this.chooser.chosen.length) this.reset();
    else if (!this.cells.walk(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
