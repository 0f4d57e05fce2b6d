/** Choosing a player: students first, then the others, each with its options as a form. */

import { get, query } from "./api.js";
import { fill, h } from "./dom.js";
import { field, number, select } from "./forms.js";

/** @typedef {import("./types.js").Players} Players */
/** @typedef {import("./types.js").Option} Option */

/** What is called human in texts is the person at this page. */
export const HUMAN = "human";

/** A switch that nobody set. */
const USUAL = /** @type {[string, string]} */ (["", "usual"]);

/** @param {string} game @param {string} [size] @param {Record<string, string>} [rules] @returns {Promise<Players>} */
export function listPlayers(game, size, rules) {
  return get(`/api/players${query({ game, size: size || undefined }, rules)}`);
}

/**
 * Call a player by a name for people.
 * @param {string} player @param {Players} [players]
 */
export function callPlayer(player, players) {
  if (player === HUMAN) return "You";
  return players?.students.find((student) => student.player === player)?.title ?? player;
}

/** A form in which a player is chosen. */
export class PlayerForm {
  /**
   * @param {string} label @param {Players} players @param {string} value
   * @param {{human?: boolean, none?: string, onchange?: (player: string) => void}} [wishes] `none`: what nobody is called
   */
  constructor(label, players, value, { human = false, none, onchange } = {}) {
    this.players = players;
    this.onchange = onchange;
    /** @type {Map<string, string>} what was changed from the usual */
    this.options = new Map();
    this.generation = "";
    this.list = this.makeList(value, human, none);
    this.details = h("div", { class: "options" });
    this.element = h("div", { class: "player" }, field(label, this.list), this.details);
    this.showOptions();
  }

  /** @param {string} value @param {boolean} human @param {string} [none] */
  makeList(value, human, none) {
    const { players, students } = this.players;
    const add = (/** @type {string} */ text, /** @type {string} */ title) =>
      h("option", { value: text, selected: text === value }, title);
    const known = [HUMAN, "", ...players.map((kind) => kind.name), ...students.map((student) => student.player)];
    const list = h(
      "select",
      null,
      none !== undefined && add("", none),
      human && add(HUMAN, "a person, here"),
      !known.includes(value) && add(value, value),
      students.length > 0 &&
        h(
          "optgroup",
          { label: "Students" },
          students.map((student) => add(student.player, student.title)),
        ),
      h(
        "optgroup",
        { label: "Others" },
        players.map((kind) => add(kind.name, kind.name)),
      ),
    );
    list.addEventListener(
      "change",
      () => (this.options.clear(), (this.generation = ""), this.showOptions(), this.tell()),
    );
    return list;
  }

  /** The player as text, such as `searcher:depth=3`. */
  get value() {
    const options = [...this.options].map(([name, value]) => `${name}=${value}`);
    if (this.generation) options.push(`generation=${this.generation}`);
    if (!options.length) return this.list.value;
    return this.list.value + (this.list.value.includes(":") ? "," : ":") + options.join(",");
  }

  tell() {
    this.onchange?.(this.value);
  }

  showOptions() {
    const kind = this.players.players.find((one) => one.name === this.list.value);
    const student = this.players.students.find((one) => one.player === this.list.value);
    const about = kind?.about ?? student?.about ?? "";
    fill(
      this.details,
      about && h("small", { class: "quiet" }, about),
      student?.generations?.length ? this.makeSlider(student.generations) : null,
      kind?.options.length ? this.makeFields(kind.options) : null,
    );
  }

  /** @param {Option[]} options */
  makeFields(options) {
    const fields = options.map((option) => field(option.name, this.makeControl(option), option.about));
    return h("details", null, h("summary", null, "options"), h("div", { class: "fields" }, fields));
  }

  /** @param {Option} option */
  makeControl(option) {
    const usual = option.default === null || option.default === undefined ? "" : String(option.default);
    const change = (/** @type {string} */ value) => {
      if (value === usual || value === "") this.options.delete(option.name);
      else this.options.set(option.name, value);
      this.tell();
    };
    if (option.kind === "switch")
      return select([...(usual ? [] : [USUAL]), ["true", "yes"], ["false", "no"]], usual, change);
    if (option.kind === "choice")
      return select(
        (option.choices ?? []).map((one) => [one, one || "usual"]),
        usual,
        change,
      );
    const input =
      option.kind === "text"
        ? h("input", { type: "text", value: usual })
        : number(usual, { step: option.kind === "integer" ? 1 : "any" });
    input.addEventListener("change", () => change(input.value.trim()));
    return input;
  }

  /** Let a person choose how far a student had evolved. @param {number[]} generations */
  makeSlider(generations) {
    const last = generations.length - 1;
    const output = h("output", null, `generation ${generations[last]}`);
    const slider = h("input", { type: "range", max: String(last), value: String(last) });
    slider.addEventListener("input", () => (output.textContent = `generation ${generations[Number(slider.value)]}`));
    slider.addEventListener("change", () => {
      this.generation = Number(slider.value) === last ? "" : String(generations[Number(slider.value)]);
      this.tell();
    });
    return h("div", { class: "row" }, field("how far evolved", slider), output);
  }
}
