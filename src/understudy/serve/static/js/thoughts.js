/** The panel "What it thinks": who is asked, when it is shown, and what lies on the board meanwhile. */

import { post, think } from "./api.js";
import { Covers } from "./covers.js";
import { button, fill, h } from "./dom.js";
import { field, select } from "./forms.js";
import { recall, remember } from "./kept.js";
import { PlayerForm } from "./players.js";
import { Steps } from "./steps.js";
import { writeCourse, writeHead, writeInputs, writeLines } from "./thought.js";
import { writeTable } from "./weighed.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./types.js").Thought} Thought */
/** @typedef {import("./types.js").Truth} Truth */
/** @typedef {import("./types.js").Players} Players */

const MODES = /** @type {[string, string][]} */ ([
  ["off", "never"],
  ["after", "after my move"],
  ["always", "always"],
]);

export class Thoughts {
  /** @param {Game} game @param {Board} board @param {Players} players @param {{usual?: string}} [wishes] `usual`: when it is shown */
  constructor(game, board, players, { usual } = {}) {
    this.game = game;
    this.board = board;
    this.memory = usual ? "" : "thoughts";
    this.mode = usual ?? recall("thoughts", "after");
    this.covers = new Covers(game, board);
    /** The question that is shown or awaited; a position shown by wish; what was tried instead of a student's choices. */
    this.key = this.revealed = "";
    /** @type {Record<string, string>} */
    this.given = {};
    /** @type {(() => void)[]} */
    this.stops = [];
    this.thinker = new PlayerForm("Who thinks", players, "", {
      none: usual ? "whoever moves" : "the opponent",
      onchange: () => this.update(),
    });
    this.second = new PlayerForm("Beside it", players, "", { none: "nobody", onchange: () => this.update() });
    this.body = h("div", { class: "body" });
    this.element = h(
      "section",
      { class: "card thoughts", "aria-label": "What it thinks" },
      h("h2", null, "What it thinks"),
      this.makeControls(),
      this.body,
    );
  }

  makeControls() {
    const mode = select(MODES, this.mode, (value) => {
      this.mode = value;
      if (this.memory) remember(this.memory, value);
      this.update();
    });
    return h("div", { class: "fields" }, field("Show it", mode), this.thinker.element, this.second.element);
  }

  /** Who is asked about what is on the board: the machine to move there, else the other one. */
  get asked() {
    if (this.thinker.value) return this.thinker.value;
    const { game } = this;
    const mover = game.colourAt(game.ply);
    const colour = game.machines.includes(mover) ? mover : game.machines[0];
    return colour ? game.state.players[colour] : "";
  }

  /** Why nothing is shown; empty if something is. */
  get silence() {
    const { game } = this;
    if (this.mode === "off") return "off";
    if (game.shown.over || (game.state.over && !game.past)) return "over";
    if (!this.asked) return "nobody";
    const waiting = this.mode === "after" && !game.past && game.ownTurn;
    return waiting && this.revealed !== this.place ? "hidden" : "";
  }

  get place() {
    return `${this.game.state.id} ${this.game.ply} ${this.game.shown.position}`;
  }

  /** Whether the machine that is asked is just thinking about its move: then its own ticks are shown. */
  get live() {
    const { state, past } = this.game;
    return !past && state.thinking !== null && state.thinking.player === this.asked && !this.second.value;
  }

  update() {
    const where = this.place;
    if (!this.key.startsWith(where)) this.given = {};
    const key = [where, this.silence, this.asked, this.second.value, JSON.stringify(this.given), this.live].join("|");
    if (key !== this.key) this.begin(key);
    if (this.live && !this.silence && this.game.tick) this.showTick(this.game.tick);
  }

  /** @param {string} key */
  begin(key) {
    this.body.style.minHeight = `${this.body.offsetHeight}px`; // what follows must not jump while it thinks
    this.clear();
    this.key = key;
    if (this.silence) this.body.style.minHeight = "";
    if (this.silence) return fill(this.body, this.explain(this.silence));
    fill(this.body, h("p", { class: "quiet" }, "It thinks."));
    if (!this.live) void this.ask(key);
  }

  /** Take away what was thought of another position. */
  clear() {
    for (const stop of this.stops) stop();
    this.stops = [];
    this.steps?.stop();
    this.steps = null;
    this.board.wishes.onCell = undefined;
    this.covers.take(null);
    /** @type {Thought|null} */
    this.thought = null;
  }

  /** @param {string} silence */
  explain(silence) {
    const sentences = /** @type {Record<string, string>} */ ({
      off: "Nothing is shown.",
      over: "The game is over. Look back at any move to see what it thought.",
      nobody: "Two people play. Choose who thinks.",
      hidden: "Hidden while it is your move, so that you think for yourself.",
    });
    const show = () => ((this.revealed = this.place), this.update());
    const last = this.game.state.moves.at(-1);
    const { ply } = this.game.state;
    return h(
      "div",
      null,
      h("p", { class: "quiet" }, sentences[silence]),
      silence === "hidden" &&
        h(
          "div",
          { class: "row" },
          button("Show it now", show),
          last &&
            this.game.machines.length > 0 &&
            button(`What it thought before ${last.move}`, () => this.game.look(ply - 1)),
        ),
    );
  }

  /** Ask both thinkers and the truth. @param {string} key */
  async ask(key) {
    const { question, shown } = this.game;
    const one = (/** @type {string} */ player, /** @type {Record<string, string>} */ given) => {
      const { done, stop } = think(
        { ...question, player, given, pictures: true },
        { tick: (thought) => this.key === key && this.showTick(thought) },
      );
      this.stops.push(stop);
      return done;
    };
    const { game, size, rules } = question;
    const truth = post("/api/truth", { game, size, rules, position: shown.position, turn: shown.turn }).catch(
      () => null,
    );
    try {
      const [thought, second] = await Promise.all([
        one(this.asked, this.given),
        this.second.value ? one(this.second.value, {}) : null,
      ]);
      const known = await truth;
      if (this.key === key) this.show(thought, second, known);
    } catch (error) {
      if (this.key === key)
        fill(this.body, h("p", { class: "warning" }, error instanceof Error ? error.message : String(error)));
    }
  }

  /** @param {Thought} thought */
  showTick(thought) {
    if (this.thought) return; // the whole thought is there already
    const line = thought.line.length ? h("p", null, thought.line.join(" ")) : null;
    fill(this.body, writeHead(thought, this.game.shown.turn, { thinking: true }), line);
  }

  /** @param {Thought} thought @param {Thought|null} second @param {Truth|null} truth */
  show(thought, second, truth) {
    this.thought = thought;
    this.covers.take(thought);
    this.body.style.minHeight = "";
    const { turn } = this.game.shown;
    const other = second !== null && second.choice !== thought.choice;
    const heads = [writeHead(thought, turn), second && writeHead(second, turn, { other })];
    this.steps = thought.parts.length && thought.pictures?.parts.length ? this.makeSteps(thought) : null;
    fill(
      this.body,
      h("div", { class: second ? "pair" : "" }, heads),
      this.steps?.element,
      this.steps ? null : this.covers.makeChoice(thought),
      writeLines(thought, (line) => this.lookAt(line)),
      writeTable(thought, second, truth),
      writeInputs(thought),
      writeCourse(thought),
      truth && !truth.known && h("p", { class: "quiet small" }, `What is true of it is not known here: ${truth.note}.`),
      thought.note && h("p", { class: "quiet small" }, thought.note),
    );
    this.board.draw(); // cells may now be tried
    if (this.steps) this.steps.show(this.steps.step);
    else this.cover();
  }

  /** @param {Thought} thought */
  makeSteps(thought) {
    const steps = new Steps(thought, this.given, {
      step: findStep(thought, this.given),
      onstep: (step) => this.board.overlay(thought.pictures?.parts[step] ?? ""),
      ontry: (given) => ((this.given = given), this.update()),
    });
    if (!this.board.shown.legal?.length) this.board.wishes.onCell = (cell) => steps.try(cell);
    return steps;
  }

  /** Lay on the board what belongs there now. */
  cover() {
    if (!this.steps || this.game.hint) this.covers.show();
  }

  /** Show the arrows of a line while somebody looks at it. @param {number|null} line */
  lookAt(line) {
    if (line === null) return this.steps ? this.steps.show(this.steps.step) : this.cover();
    this.board.overlay(this.thought?.pictures?.lines[line] ?? "");
  }

  close() {
    this.clear();
    this.key = "closed";
  }
}

/**
 * The step to be shown first: the one after what was tried, whose answer is new.
 * @param {Thought} thought @param {Record<string, string>} given
 */
function findStep(thought, given) {
  const tried = thought.parts.findLastIndex(({ part }) => part in given);
  return tried < 0 ? undefined : tried + 1;
}
