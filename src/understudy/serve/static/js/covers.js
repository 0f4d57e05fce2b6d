/** What lies on the board of what somebody thinks: numbers, arrows, a line that is looked at, a hint. */

import { button, h } from "./dom.js";
import { recall, remember } from "./kept.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./types.js").Thought} Thought */

const LAYERS = { values: "numbers", moves: "arrows", none: "nothing" };
/** @typedef {keyof typeof LAYERS} Layer */

export class Covers {
  /** @param {Game} game @param {Board} board */
  constructor(game, board) {
    this.game = game;
    this.board = board;
    this.layer = /** @type {Layer} */ (recall("layer", "values"));
    /** @type {Thought|null} */
    this.thought = null;
  }

  /** Take another thought, or none. @param {Thought|null} thought */
  take(thought) {
    this.thought = thought;
    if (!thought) this.board.overlay("");
  }

  /** Buttons that choose what lies on the board. @param {Thought} thought */
  makeChoice(thought) {
    const { values = {}, moves = "" } = thought.pictures ?? {};
    const there = { values: Boolean(values[""]), moves: Boolean(moves), none: true };
    const names = /** @type {Layer[]} */ (Object.keys(LAYERS)).filter((name) => there[name]);
    if (!names.includes(this.layer)) this.layer = names[0];
    const buttons = names.map((name) =>
      button(LAYERS[name], () => choose(name), { "aria-pressed": String(name === this.layer) }),
    );
    const choose = (/** @type {Layer} */ name) => {
      this.layer = name;
      remember("layer", name);
      buttons.forEach((one, place) => one.setAttribute("aria-pressed", String(names[place] === name)));
      this.show();
    };
    return h("div", { class: "row layers" }, h("span", { class: "quiet small" }, "On the board:"), buttons);
  }

  /** Lay on the board a hint, or what was chosen: numbers of the piece that is chosen, if one is. */
  show() {
    if (this.game.hint) return this.board.overlay(this.game.hint);
    const pictures = this.thought?.pictures;
    if (!pictures) return;
    const [from] = this.board.chooser.chosen;
    if (this.layer === "values") this.board.overlay(pictures.values[from ?? ""] ?? pictures.values[""] ?? "");
    else this.board.overlay(this.layer === "moves" ? pictures.moves : "");
  }
}
