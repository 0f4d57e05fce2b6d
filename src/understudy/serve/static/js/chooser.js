/** How a person makes a move: one cell after another, until only one move is meant. Knows no board and no game. */

/** @typedef {import("./types.js").Legal} Legal */

export class Chooser {
  /** @param {Legal[]} legal @param {(cell: string) => boolean} isEmpty */
  constructor(legal, isEmpty = () => false) {
    this.legal = legal;
    this.isEmpty = isEmpty;
    /** @type {string[]} the cells chosen so far */
    this.chosen = [];
  }

  /** The moves that begin with the cells chosen so far. */
  get open() {
    return this.legal.filter((move) => this.chosen.every((cell, place) => move.cells[place] === cell));
  }

  /** The moves that are complete with the cells chosen so far. */
  get complete() {
    return this.chosen.length ? this.open.filter((move) => move.cells.length === this.chosen.length) : [];
  }

  /** The cells that may be chosen next; true where that completes a move. @returns {Map<string, boolean>} */
  get next() {
    const place = this.chosen.length;
    const cells = new Map();
    for (const { cells: path } of this.open)
      if (path.length > place) cells.set(path[place], cells.get(path[place]) || path.length === place + 1);
    return cells;
  }

  /** The cells with which a move may begin. */
  get firsts() {
    return new Set(this.legal.filter((move) => move.cells.length).map((move) => move.cells[0]));
  }

  /** Whether a move begins with this cell and goes on to another. @param {string} cell */
  leads(cell) {
    return this.legal.some((move) => move.cells.length > 1 && move.cells[0] === cell);
  }

  /** Moves without cells, such as a pass. */
  get passes() {
    return this.legal.filter((move) => !move.cells.length);
  }

  /**
   * Choose a cell.
   * @param {string} cell
   * @returns {Legal[]} the moves that are now made: none while more cells are needed, several that differ by option
   */
  choose(cell) {
    if (this.next.has(cell)) return this.extend(cell);
    if (cell === this.chosen.at(-1)) return this.settle();
    if (this.half) return [];
    this.clear();
    return this.next.has(cell) ? this.extend(cell) : [];
  }

  /** Whether a stone is put or moved already and only one to take is missing: a slip must not undo that. */
  get half() {
    return this.chosen.length > 1 || (this.chosen.length === 1 && this.isEmpty(this.chosen[0]));
  }

  /** @param {string} cell @returns {Legal[]} */
  extend(cell) {
    this.chosen.push(cell);
    return this.next.size ? [] : this.complete;
  }

  /** Choose the last cell again: that ends a move which could go on, or takes the choice back. @returns {Legal[]} */
  settle() {
    const complete = this.complete;
    return complete.length ? complete : this.clear();
  }

  /** @returns {Legal[]} none */
  clear() {
    this.chosen = [];
    return [];
  }
}
