/** Choosing what is played: a game, its size and its rules. */

import { describe } from "./api.js";
import { fill, h } from "./dom.js";
import { field, problem, radios, select } from "./forms.js";
import { recall, remember } from "./kept.js";

/** @typedef {import("./types.js").Kind} Kind */
/** @typedef {import("./types.js").Description} Description */

export class GameForm {
  /**
   * @param {Kind[]} kinds
   * @param {(description: Description) => Promise<() => void>} onchange fetches what it needs and returns what shows it
   */
  constructor(kinds, onchange) {
    this.kinds = kinds;
    this.onchange = onchange;
    this.kind = kinds.find((kind) => kind.name === recall("game", "")) ?? kinds[0];
    this.size = "";
    this.updates = 0;
    /** @type {Record<string, string>} */
    this.rules = {};
    this.problem = problem();
    this.more = h("div", { class: "fields" });
    const titles = kinds.map((kind) => /** @type {[string, string]} */ ([kind.name, kind.title]));
    this.element = h(
      "div",
      null,
      radios("Game", titles, this.kind.name, (name) => this.choose(name), "kinds"),
      this.more,
      this.problem.element,
    );
    this.ready = this.choose(this.kind.name);
  }

  /** @param {string} name */
  choose(name) {
    this.kind = this.kinds.find((kind) => kind.name === name) ?? this.kinds[0];
    [this.size, this.rules] = ["", {}];
    remember("game", this.kind.name);
    fill(
      this.more,
      this.makeSize(),
      Object.entries(this.kind.rules).map(([rule, settings]) => this.makeRule(rule, settings)),
    );
    return this.update();
  }

  /** Where a game has one size only there is nothing to choose. */
  makeSize() {
    const { size, sizes, boards } = this.kind;
    if (boards.length < 2) return null;
    const input = h("input", {
      type: "text",
      value: size,
      size: 6,
      list: "boards",
      onchange: () => ((this.size = input.value.trim()), this.update()),
    });
    const offered = boards.map((board) => h("option", { value: board }));
    return [field("Size", input, sizes), h("datalist", { id: "boards" }, ...offered)];
  }

  /** @param {string} rule @param {string[]} settings */
  makeRule(rule, settings) {
    const change = (/** @type {string} */ value) => ((this.rules[rule] = value), this.update());
    const words = settings.map((one) => /** @type {[string, string]} */ ([one, one.replaceAll("_", " ")]));
    return field(rule.replaceAll("_", " "), select(words, settings[0], change));
  }

  async update() {
    const update = ++this.updates;
    this.problem.clear();
    try {
      const description = await describe(this.kind.name, this.size, this.rules);
      const show = await this.onchange(description);
      if (update !== this.updates) return; // another game was chosen meanwhile
      this.description = description;
      show();
    } catch (error) {
      if (update === this.updates) this.problem.tell(error);
    }
  }

  /** What names this game in a request. */
  get fields() {
    return { game: this.kind.name, ...(this.size && { size: this.size }), rules: this.rules };
  }
}
