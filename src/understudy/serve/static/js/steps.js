/** Students that choose part by part: one step for each part, as heat on the board; another cell may be tried. */

import { button, fill, h, still } from "./dom.js";
import { writeShare } from "./words.js";

/** @typedef {import("./types.js").Thought} Thought */
/** @typedef {import("./types.js").PartThought} PartThought */

/** Cells that are offered in a step, likely or not, and if they are likely. */
const LEAST = 3;
const MOST = 6;
/** A smaller share is next to nothing. */
const NOTICED = 0.001;
/** What the server calls a part that a move lacks. */
const NOTHING = "none";
/** Milliseconds for each step when all are shown one after another. */
const PACE = 1400;

export class Steps {
  /**
   * @param {Thought} thought @param {Record<string, string>} given what was tried instead of its choices
   * @param {{onstep: (step: number) => void, ontry: (given: Record<string, string>) => void, step?: number}} wishes
   */
  constructor(thought, given, wishes) {
    this.thought = thought;
    this.given = given;
    this.wishes = wishes;
    // Which stone moves is no question while none does: the first step that chooses something is shown first.
    const first = Math.max(
      0,
      thought.parts.findIndex((part) => part.choice !== NOTHING),
    );
    this.step = Math.min(wishes.step ?? first, thought.parts.length - 1);
    this.timer = 0;
    this.tabs = thought.parts.map((part, step) =>
      button(`${step + 1}. ${part.part}`, () => (this.stop(), this.show(step)), { "aria-pressed": "false" }),
    );
    this.player = button("Step by step", () => this.play());
    this.body = h("div");
    this.element = h(
      "section",
      { "aria-label": "Part by part" },
      h("h3", null, "Part by part, in its own order"),
      h("div", { class: "steps" }, this.tabs, thought.parts.length > 1 && this.player),
      this.body,
    );
  }

  /** @param {number} step */
  show(step) {
    this.step = step;
    this.tabs.forEach((tab, number) => tab.setAttribute("aria-pressed", String(number === step)));
    fill(this.body, this.write(this.thought.parts[step]));
    this.wishes.onstep(step);
  }

  /** @param {PartThought} part */
  write(part) {
    const ranked = Object.entries(part.cells).sort(([, a], [, b]) => b - a);
    const likely = ranked.filter(([, share], rank) => rank < LEAST || (rank < MOST && share >= NOTICED));
    const offers = likely.map(([cell, share]) =>
      button(`${cell} ${writeShare(share)}`, () => this.try(cell), {
        "aria-pressed": String(part.choice === cell),
        title: `what if it had chosen ${cell}?`,
      }),
    );
    const tried = Object.entries(this.given)
      .map(([name, cell]) => `${name} ${cell}`)
      .join(", ");
    return h(
      "div",
      null,
      h(
        "p",
        null,
        h("b", null, `${part.part}: ${part.choice}`),
        `. ${part.illegal < NOTICED / 10 ? "Nothing" : writeShare(part.illegal)} of this step is on what the rules forbid (hatched).`,
      ),
      h("p", { class: "quiet small" }, "Try another cell, here or on the board: later parts answer to it."),
      h("div", { class: "cells-list" }, offers),
      tried &&
        h(
          "p",
          { class: "small" },
          `Given: ${tried}. `,
          button("Its own choice again", () => this.wishes.ontry({})),
        ),
    );
  }

  /** Ask what follows if it had chosen another cell for this part; what was given for later parts no longer counts. @param {string} cell */
  try(cell) {
    this.stop();
    const { parts } = this.thought;
    const earlier = parts.slice(0, this.step).map(({ part }) => part);
    const kept = Object.fromEntries(Object.entries(this.given).filter(([part]) => earlier.includes(part)));
    this.wishes.ontry({ ...kept, [parts[this.step].part]: cell });
  }

  play() {
    if (this.timer) return this.stop();
    this.player.textContent = "Stop";
    this.show(0);
    const next = () =>
      this.step + 1 < this.tabs.length && this.body.isConnected ? this.show(this.step + 1) : this.stop();
    this.timer = setInterval(next, still() ? 2 * PACE : PACE);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.player.textContent = "Step by step";
  }
}
