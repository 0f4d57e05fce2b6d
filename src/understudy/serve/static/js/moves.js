/** The moves of a game in two columns: each is a button that looks back. */

import { button, fill, h } from "./dom.js";

/** @typedef {import("./game.js").Game} Game */

export class MoveList {
  /** @param {Game} game */
  constructor(game) {
    this.game = game;
    this.list = h("div", { class: "plies" });
    this.where = h("span", { class: "where" });
    this.written = "";
    this.element = h(
      "section",
      { class: "card", "aria-label": "Moves" },
      h("h2", null, "Moves"),
      this.list,
      this.makeSteps(),
    );
  }

  makeSteps() {
    const { game } = this;
    const steps = /** @type {[string, string, () => number][]} */ ([
      ["«", "to the start", () => 0],
      ["‹", "one move back", () => game.ply - 1],
      ["›", "one move on", () => game.ply + 1],
      ["»", "to the present", () => game.state.ply],
    ]);
    const buttons = steps.map(([sign, label, ply]) =>
      button(sign, () => game.look(ply()), { "aria-label": label, title: label }),
    );
    return h("div", { class: "row" }, buttons, this.where);
  }

  update() {
    const { state } = this.game;
    const written = state.moves.map(({ move }) => move).join(" ");
    if (written !== this.written || !this.list.childElementCount) this.write();
    this.written = written;
    for (const item of this.list.querySelectorAll("button")) {
      const now = Number(item.dataset.ply) === this.game.ply;
      if (now) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
      if (now) this.reveal(item);
    }
    this.where.textContent = this.game.past ? `after ${this.game.ply} of ${state.ply} plies` : "";
  }

  write() {
    const { game } = this;
    const first = game.state.colours.indexOf(game.colourAt(0)); // 1 where the second colour began a position that was set up
    const cells = game.state.moves.map(({ move }, place) =>
      button(move, () => game.look(place + 1), { dataset: { ply: String(place + 1) } }),
    );
    /** @type {(Element|null)[]} */
    const all = first ? [h("span", null, "…"), ...cells] : cells;
    const rows = [];
    for (let at = 0; at < all.length; at += 2)
      rows.push(h("span", { class: "number" }, `${at / 2 + 1}.`), all[at], all[at + 1] ?? h("span"));
    fill(this.list, rows.length ? rows : h("span", { class: "quiet nothing" }, "None yet."));
  }

  /** Scroll the list alone: scrollIntoView would move the page under the reader. @param {HTMLElement} item */
  reveal(item) {
    const { list } = this;
    const above = item.offsetTop < list.scrollTop;
    const below = item.offsetTop + item.offsetHeight > list.scrollTop + list.clientHeight;
    if (above || below) list.scrollTop = item.offsetTop - list.clientHeight / 2;
  }
}

/**
 * Let arrow keys look back and on, wherever no control needs them.
 * @param {Game} game
 * @returns {() => void} to stop listening
 */
export function listenToArrows(game) {
  const steps = /** @type {Record<string, () => number>} */ ({
    ArrowLeft: () => game.ply - 1,
    ArrowRight: () => game.ply + 1,
    Home: () => 0,
    End: () => game.state.ply,
  });
  const hear = (/** @type {KeyboardEvent} */ event) => {
    const busy =
      event.target instanceof Element && event.target.closest("input, select, textarea, .cell, [role=tablist], dialog");
    if (busy || !(event.key in steps) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    void game.look(steps[event.key]());
  };
  addEventListener("keydown", hear);
  return () => removeEventListener("keydown", hear);
}
