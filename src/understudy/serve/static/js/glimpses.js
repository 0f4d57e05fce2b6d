/** Six boards with what a student chooses on them, and a slider over the moments at which it was looked at. */

import { describe } from "./api.js";
import { Board } from "./board.js";
import { button, fill, h, still } from "./dom.js";
import { field, select } from "./forms.js";
import { writeShare, writeValue } from "./words.js";

/** @typedef {import("./labtypes.js").RunView} RunView */
/** @typedef {import("./labtypes.js").SeenStudent} SeenStudent */
/** @typedef {import("./labtypes.js").SeenChoice} SeenChoice */
/** @typedef {import("./labtypes.js").Scene} Scene */

/** Milliseconds between moments where they are shown one after another. */
const PACE = 450;

export class Glimpses {
  constructor() {
    this.boards = h("div", { class: "scenes" });
    this.label = h("output", { class: "moment" });
    this.slider = h("input", { type: "range", min: "0", max: "0", value: "0" });
    this.slider.addEventListener("input", () => (this.halt(), this.show()));
    this.play = button("Show all in turn", () => this.run(), { class: "plain" });
    this.who = h("div");
    this.about = h("p", { class: "small quiet" });
    this.element = h("section", { class: "glimpses", hidden: true }, h("h2", null, "What it would choose"), this.about,
      h("div", { class: "row moments" }, this.who, field("moment", this.slider), this.play, this.label), this.boards);
    this.student = "";
    /** @type {SeenStudent[]} */
    this.seen = [];
    /** @type {{board: Board, caption: HTMLElement, item: HTMLElement}[]} */
    this.cards = [];
    this.drawn = "";
    /** @type {ReturnType<typeof setInterval>|undefined} */
    this.timer = undefined;
  }

  /** Show what a run has by now; a slider at its end stays at the end. @param {RunView} view */
  async update(view) {
    this.seen = view.glimpses.filter((one) => one.frames.length);
    this.element.hidden = !this.seen.length;
    if (!this.seen.length) return;
    if (!this.seen.some((one) => one.student === this.student)) this.student = this.newest();
    const own = this.current();
    const last = Number(this.slider.max);
    const atEnd = Number(this.slider.value) >= last && this.timer === undefined;
    this.slider.max = String(own.frames.length - 1);
    if (atEnd) this.slider.value = this.slider.max;
    this.nameStudents(view);
    await this.lay(view, own);
    this.show();
  }

  /** The student that was looked at last is the one that learns. */
  newest() {
    return this.seen[this.seen.length - 1].student;
  }

  current() {
    return this.seen.find((one) => one.student === this.student) ?? this.seen[0];
  }

  /** @param {RunView} view */
  nameStudents(view) {
    const names = this.seen.map((one) => one.student);
    if (this.who.dataset.names === names.join()) return;
    this.who.dataset.names = names.join();
    const choose = (/** @type {string} */ name) => ((this.student = name), (this.slider.value = "9999"), void this.update(view));
    fill(this.who, names.length > 1 && field("student", select(names, this.student, choose)));
  }

  /** Lay the boards out, once for each student. @param {RunView} view @param {SeenStudent} own */
  async lay(view, own) {
    const drawn = JSON.stringify([view.name, own.student, own.scenes.map((scene) => scene.position)]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const description = await describe(view.game, view.size || own.scenes[0]?.size);
    const teacher = own.scenes.some((scene) => scene.teacher !== null);
    this.about.textContent = `Six positions that nobody learns from, the same all along${teacher ? "; below each what the teacher chose" : ""}.${own.frames[0].legal === null ? "" : " Red and hatched: what the rules forbid."}`;
    this.cards = own.scenes.map((scene, place) => {
      const board = new Board(description, { label: `position ${place + 1}, ${scene.turn} to move`, picture: true });
      board.show({ stones: scene.stones });
      const caption = h("figcaption", { class: "small" });
      return { board, caption, item: h("figure", { class: "scene" }, board.element, caption) };
    });
    fill(this.boards, this.cards.map((card) => card.item));
  }

  show() {
    const own = this.current();
    const frame = own?.frames[Math.min(Number(this.slider.value), own.frames.length - 1)];
    if (!frame) return;
    const shares = frame.legal === null ? "" : `: ${writeExactly(frame.legal)} of its first choices are legal, ${writeExactly(frame.right ?? 0)} are the teacher's`;
    this.label.textContent = frame.label + shares;
    this.slider.setAttribute("aria-valuetext", frame.label);
    this.cards.forEach((card, place) => showChoice(card, own.scenes[place], frame.choices[place]));
  }

  run() {
    if (this.timer !== undefined) return this.halt();
    if (Number(this.slider.value) >= Number(this.slider.max)) this.slider.value = "0";
    this.play.textContent = "Stop";
    this.timer = setInterval(() => this.step(), still() ? 4 * PACE : PACE);
    this.show();
  }

  step() {
    this.slider.value = String(Number(this.slider.value) + 1);
    this.show();
    if (Number(this.slider.value) >= Number(this.slider.max)) this.halt();
  }

  halt() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.play.textContent = "Show all in turn";
  }
}

/** A share to a tenth of a per cent: 99.7 is not all. @param {number} share */
function writeExactly(share) {
  return `${(100 * share).toFixed(1)} %`;
}

/** @param {{board: Board, caption: HTMLElement, item: HTMLElement}} card @param {Scene} scene @param {SeenChoice} choice */
function showChoice({ board, caption, item }, scene, choice) {
  board.overlay(choice.picture);
  item.classList.toggle("wrong", !choice.legal);
  const number = choice.share !== null ? ` (${writeShare(choice.share)} sure)` : choice.value !== null ? ` (expects ${writeValue(choice.value)})` : "";
  const verdict = !choice.legal ? h("b", { class: "verdict bad" }, "the rules forbid it") : choice.right ? h("b", { class: "verdict good" }, "as the teacher") : null;
  fill(caption, h("span", null, "chooses ", h("b", null, choice.move), number), verdict,
    scene.teacher !== null && !choice.right && h("span", { class: "quiet" }, `teacher: ${scene.teacher}`));
}
