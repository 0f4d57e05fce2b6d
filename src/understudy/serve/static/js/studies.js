/** The papers: the question, the story, a figure to touch, ours beside theirs, the commands. */

import { describe, get, post, query, think } from "./api.js";
import { Board } from "./board.js";
import { button, fill, h } from "./dom.js";
import { problem, radios } from "./forms.js";
import { writeCount, writeShare, writeValue } from "./words.js";

/** @typedef {import("./labtypes.js").Study} Study */
/** @typedef {import("./labtypes.js").StudyRow} StudyRow */
/** @typedef {import("./labtypes.js").StudyLine} StudyLine */
/** @typedef {import("./labtypes.js").StudyTable} StudyTable */
/** @typedef {import("./labtypes.js").Figure} FigureForm */
/** @typedef {import("./types.js").Thought} Thought */

/** Moves that are listed of a thought. */
const LISTED = 5;

/**
 * @param {HTMLElement} root @param {import("./types.js").Route} route
 * @returns {Promise<(() => void)|void>}
 */
export async function open(root, route) {
  const name = route.path[1];
  if (!name) {
    const { studies } = /** @type {{studies: StudyRow[]}} */ (await get("/api/studies"));
    fill(root, h("h1", null, "Four papers, done again"), h("ul", { class: "studies-list" }, studies.map(makeRow)));
    return undefined;
  }
  /** @type {Study} */
  const study = await get(`/api/studies/${encodeURIComponent(name)}`);
  const figure = study.figure ? new Figure(study.figure) : null;
  fill(root, h("p", { class: "small" }, h("a", { href: "#/studies" }, "All studies")), h("h1", null, study.title),
    h("p", { class: "quiet" }, `${study.authors}, ${study.year}`), h("p", { class: "question" }, study.question),
    h("div", { class: "study" }, h("section", { class: "story" }, study.story.map((paragraph) => h("p", null, paragraph))), figure?.element),
    study.tables.map(makeTable), makeDifferences(study), makeCommands(study), h("p", { class: "small quiet" }, study.reference));
  await figure?.open();
  return () => figure?.close();
}

/** @param {StudyRow} study */
function makeRow(study) {
  return h("li", { class: "card" }, h("h2", null, h("a", { href: `#/studies/${study.name}` }, study.title)), h("p", { class: "question" }, study.question),
    h("p", { class: "small quiet" }, `${study.authors}, ${study.year}`));
}

/** @param {StudyTable} table */
function makeTable(table) {
  const ours = table.rows.some((row) => row.ours !== null);
  const theirs = table.rows.some((row) => row.paper !== null);
  const verdicts = table.rows.some((row) => row.verdict);
  const heads = ["", "measure", ...(ours ? ["ours", "95 % interval"] : []), ...(theirs ? ["paper"] : []), ...(verdicts ? ["verdict"] : [])];
  const rows = table.rows.map((row) => h("tr", null, h("th", { scope: "row" }, row.who), h("td", null, row.measure),
    ours && [h("td", { class: "count" }, write(row, row.ours)), h("td", { class: "count" }, writeInterval(row))],
    theirs && h("td", { class: "count" }, write(row, row.paper)), verdicts && h("td", { class: row.verdict === "met" ? "good" : "" }, row.verdict)));
  return h("section", { class: "beside-theirs" }, h("h2", null, table.title), h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": table.title },
    h("table", null, h("thead", null, h("tr", null, heads.map((head) => (head ? h("th", { scope: "col" }, head) : h("td"))))), h("tbody", null, rows))),
    h("p", { class: "small quiet" }, table.note, " ", h("code", null, table.command)));
}

/** @param {StudyLine} row @param {number|null} value */
function write(row, value) {
  if (value === null) return "";
  return row.share ? `${(100 * value).toFixed(1)} %` : String(Number(value.toPrecision(3)));
}

/** @param {StudyLine} row */
function writeInterval(row) {
  if (row.low === null || row.high === null) return "";
  const sample = row.sample === null ? "" : `, n = ${writeCount(row.sample)}`;
  return `${write(row, row.low)} to ${write(row, row.high)}${sample}`;
}

/** @param {Study} study */
function makeDifferences(study) {
  return h("section", null, h("h2", null, "What differs, and why"), h("ul", { class: "plain-list" }, study.differences.map((one) => h("li", null, one))));
}

/** @param {Study} study */
function makeCommands(study) {
  const rows = study.commands.map((one) => {
    const name = one.command.split(" ")[2];
    return h("li", null, h("code", null, one.command), h("span", null, one.about), h("span", { class: "quiet small" }, one.cost),
      h("a", { href: `#/learn?experiment=${encodeURIComponent(name)}` }, "in the browser"));
  });
  return h("section", null, h("h2", null, "Do it again"), h("ul", { class: "commands" }, rows));
}

/** The first part of a choice that is a cell; "none" shows nothing on a board. @param {Thought} thought */
function tellingPart(thought) {
  return Math.max(0, thought.parts.findIndex((part) => part.choice !== "none"));
}

/** A board on which a person moves pieces, and who thinks aloud about it. */
class Figure {
  /** @param {FigureForm} form */
  constructor(form) {
    this.form = form;
    this.problem = problem();
    this.stage = h("div", { class: "figure-board" });
    this.thoughts = h("div", { class: "figure-thoughts", "aria-live": "polite" });
    this.players = [form.player, ...(form.rival ? [form.rival] : [])];
    /** @type {{stop: () => void}[]} */
    this.asked = [];
    this.text = form.positions[0].position;
    const choose = (/** @type {string} */ text) => void this.go(text);
    this.choices = radios("Position", form.positions.map((one) => [one.position, one.name]), this.text, choose);
    this.element = h("section", { class: "card figure", "aria-label": "A figure to touch" }, h("h2", null, "Touch it"), h("p", { class: "small quiet" }, form.about),
      this.choices, this.stage, h("div", { class: "row" }, button("Back to the beginning", () => this.go(this.first())), button("Play from here", () => this.play())),
      this.thoughts, this.problem.element);
  }

  first() {
    const checked = /** @type {HTMLInputElement|null} */ (this.choices.querySelector("input:checked"));
    return checked?.value ?? this.form.positions[0].position;
  }

  async open() {
    this.description = await describe(this.form.game, this.form.size ?? undefined);
    this.board = new Board(this.description, { label: "the figure's board", onMove: (move) => void this.move(move.move) });
    fill(this.stage, this.board.element);
    await this.go(this.text);
  }

  close() {
    for (const one of this.asked) one.stop();
    this.asked = [];
  }

  /** @param {string} text @param {string} [turn] */
  async go(text, turn) {
    this.problem.clear();
    try {
      /** @type {import("./types.js").Place} */
      const place = await get(`/api/place${query({ game: this.form.game, size: this.form.size, position: text, turn })}`);
      this.text = place.position;
      this.turn = place.turn;
      this.board?.show(place);
      this.board?.overlay("");
      if (place.over) fill(this.thoughts, h("p", null, place.ending ?? "The game is over."));
      else this.ask(place.position, place.turn);
    } catch (error) {
      this.problem.tell(error);
    }
  }

  /** Make a move of either side: a game of two people shows what comes of it. @param {string} move */
  async move(move) {
    try {
      const colours = this.description?.colours ?? [];
      const game = { game: this.form.game, ...(this.form.size && { size: this.form.size }), position: this.text };
      const people = Object.fromEntries(colours.map((colour) => [colour, "human"]));
      const state = await post("/api/play", { ...game, ...(!this.description?.tells_turn && { turn: this.turn }), players: people });
      const after = await post(`/api/play/${state.id}/move`, { move, ply: state.ply });
      await this.go(after.position, after.turn);
    } catch (error) {
      this.problem.tell(error);
      this.board?.reset();
    }
  }

  /** @param {string} position @param {string} turn */
  ask(position, turn) {
    this.close();
    const cards = this.players.map(() => h("div", null, h("p", { class: "quiet small" }, "It thinks.")));
    fill(this.thoughts, cards);
    const where = { game: this.form.game, ...(this.form.size && { size: this.form.size }), position, ...(!this.description?.tells_turn && { turn }) };
    this.players.forEach((player, place) => {
      const asked = think({ ...where, player, pictures: true });
      this.asked.push(asked);
      asked.done.then((thought) => this.tell(cards[place], thought, place), (error) => fill(cards[place], h("p", { class: "problem" }, error.message)));
    });
  }

  /** @param {HTMLElement} card @param {Thought} thought @param {number} place */
  tell(card, thought, place) {
    const telling = tellingPart(thought);
    if (place === 0) this.board?.overlay(thought.pictures?.parts[telling] ?? (thought.pictures?.values[""] || thought.pictures?.moves || ""));
    const legal = thought.moves.filter((one) => one.legal && one.number !== null).slice(0, LISTED);
    const value = thought.value === null ? "" : `, expects ${writeValue(thought.value)}`;
    fill(card, h("p", null, h("b", null, thought.player), ` chooses ${thought.choice}`, value, !thought.legal && h("b", { class: "verdict bad" }, " the rules forbid it")),
      thought.illegal !== null && h("p", { class: "small" }, `${writeShare(thought.illegal)} of its mind is on moves that the rules forbid.`),
      thought.parts.length > 1 && place === 0 && this.makeSteps(thought),
      h("ol", { class: "small figure-moves" }, legal.map((one) => h("li", null, `${one.move} ${thought.kind === "probability" ? writeShare(one.number ?? 0) : writeValue(one.number)}`))));
  }

  /** The parts of a move one after another, as the networks decide them. @param {Thought} thought */
  makeSteps(thought) {
    const pictures = thought.pictures?.parts ?? [];
    const choices = /** @type {[string, string][]} */ (thought.parts.map((part, place) => [String(place), `${place + 1}. ${part.part}: ${part.choice}`]));
    return radios("Heat on the board", choices, String(tellingPart(thought)), (place) => this.board?.overlay(pictures[Number(place)] ?? ""));
  }

  async play() {
    try {
      const [first, second] = this.description?.colours ?? [];
      const own = this.turn ?? first;
      const game = { game: this.form.game, ...(this.form.size && { size: this.form.size }), position: this.text, ...(!this.description?.tells_turn && { turn: this.turn }) };
      const usual = this.description?.opponent ?? "";
      const opponent = usual.startsWith(this.form.player) ? usual : this.form.player; // the same student, with the rules beside it
      const state = await post("/api/play", { ...game, players: { [own]: "human", [own === first ? second : first]: opponent } });
      location.hash = `#/play/${state.id}`;
    } catch (error) {
      this.problem.tell(error);
    }
  }
}
