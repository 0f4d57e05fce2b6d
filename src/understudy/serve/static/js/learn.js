/** Learning: choose a small experiment, start it, and see a student learn. */

import { get, post } from "./api.js";
import { fill, h } from "./dom.js";
import { field, number, problem, radios } from "./forms.js";
import { RunPage } from "./runview.js";

/** @typedef {import("./labtypes.js").Experiment} Experiment */

/** Minutes up to which an experiment is offered first. */
const SHORT = 10;
/** What is offered first: from nothing, with boards that change before one's eyes. */
const FIRST = "morris_quick";
/** What the kinds of experiments do, in a few words. */
const KINDS = /** @type {Record<string, string>} */ ({
  imitation: "a student watches a teacher and imitates its moves", online: "a pupil plays and hears from a teacher what boards are worth",
  values: "a student learns from perfect play what boards are worth", evolution: "networks play tournaments, and the better ones have children",
  offline: "networks learn a table of positions", labels: "networks learn an engine's judgement", evaluators: "evaluators meet each other",
});

/**
 * @param {HTMLElement} root @param {import("./types.js").Route} route
 * @returns {Promise<(() => void)|void>}
 */
export async function open(root, route) {
  const name = route.path[1];
  if (!name) return openForm(root, route);
  const page = new RunPage(name);
  const close = await page.open();
  fill(root, page.element, h("p", null, h("a", { href: `#/runs/${encodeURIComponent(name)}` }, "Compare it with another run"), " · ", h("a", { href: "#/learn" }, "Train another")));
  return close;
}

/** @param {HTMLElement} root @param {import("./types.js").Route} route */
async function openForm(root, route) {
  /** @type {{experiments: Experiment[]}} */
  const { experiments } = await get("/api/experiments");
  const form = new Form(experiments, route.search.get("experiment") ?? FIRST);
  fill(root, h("h1", null, "Watch a network learn"),
    h("p", null, "A training is a folder like any other run: it goes on in a terminal, survives a stop, and ends in a report. One trains at a time; others wait for their turn."),
    form.element);
}

class Form {
  /** @param {Experiment[]} experiments @param {string} first */
  constructor(experiments, first) {
    this.experiments = experiments.filter((one) => one.kind !== "evaluators");
    this.problem = problem();
    this.about = h("div", { class: "about" });
    this.knobs = h("div", { class: "fields" });
    this.form = h("div");
    this.name = h("input", { type: "text", maxLength: 60, placeholder: "chosen for you", pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]*" });
    this.quick = true;
    /** @type {Map<string, HTMLInputElement>} */
    this.inputs = new Map();
    this.list = this.makeList(first);
    this.start = h("button", { type: "submit", class: "main" }, "Start");
    const submit = (/** @type {Event} */ event) => (event.preventDefault(), void this.begin());
    this.element = h("form", { class: "stacked learn-form", onsubmit: submit }, field("Experiment", this.list), this.about, this.form, this.knobs,
      h("details", null, h("summary", null, "name of the folder"), field("runs/", this.name)), h("div", { class: "row" }, this.start), this.problem.element);
    this.update();
  }

  /** @param {string} first */
  makeList(first) {
    const add = (/** @type {Experiment} */ one) => h("option", { value: one.name, selected: one.name === first, disabled: !one.ready }, one.title || one.name);
    const brief = this.experiments.filter((one) => one.ready && minutesOf(one) <= SHORT);
    const others = this.experiments.filter((one) => one.ready && !brief.includes(one));
    const missing = this.experiments.filter((one) => !one.ready);
    const list = h("select", null, h("optgroup", { label: "minutes" }, brief.map(add)), others.length > 0 && h("optgroup", { label: "longer, or not measured" }, others.map(add)),
      missing.length > 0 && h("optgroup", { label: "need data that are not here" }, missing.map(add)));
    list.addEventListener("change", () => this.update());
    return list;
  }

  get chosen() {
    return this.experiments.find((one) => one.name === this.list.value) ?? this.experiments[0];
  }

  update() {
    const one = this.chosen;
    this.problem.clear();
    this.quick = one.quick;
    const board = `${one.game.replaceAll("_", " ")}${one.size ? ` ${one.size}` : ""}`;
    fill(this.about, h("p", null, h("b", null, `${board}: ${KINDS[one.kind] ?? one.kind}.`), " ", one.description), one.data.length > 0 && h("p", { class: "small quiet" }, `Learns from ${one.data.join(", ")}.`));
    const forms = /** @type {[string, string][]} */ ([["short", `short${writeMinutes(one.quick_minutes)}`], ["whole", `as the source did it${writeMinutes(one.minutes)}`]]);
    fill(this.form, one.quick ? radios("Length", forms, "short", (value) => ((this.quick = value === "short"), this.showKnobs())) : h("p", { class: "small quiet" }, `Takes ${writeMinutes(one.minutes).replace(", ", "") || "a time that nobody has measured"} on two cores.`));
    this.showKnobs();
  }

  showKnobs() {
    const { knobs } = this.chosen;
    this.inputs = new Map(knobs.map((knob) => [knob.key, number(this.usual(knob) ?? "", { min: knob.least, max: Math.max(knob.most, this.usual(knob) ?? 0), step: 1 })]));
    fill(this.knobs, knobs.map((knob) => field(nameKnob(knob.key), /** @type {HTMLInputElement} */ (this.inputs.get(knob.key)), knob.about)));
  }

  /** What a setting is in the form that is chosen. @param {import("./labtypes.js").Knob} knob */
  usual(knob) {
    return this.quick ? knob.value : knob.whole;
  }

  /** The settings that the person has changed. */
  get changes() {
    /** @type {Record<string, number>} */
    const changes = {};
    for (const knob of this.chosen.knobs) {
      const text = this.inputs.get(knob.key)?.value.trim() ?? "";
      if (text !== "" && Number(text) !== this.usual(knob)) changes[knob.key] = Number(text);
    }
    return changes;
  }

  async begin() {
    this.problem.clear();
    this.start.disabled = true;
    try {
      const name = this.name.value.trim();
      const view = await post("/api/runs", { experiment: this.chosen.name, quick: this.quick, changes: this.changes, ...(name && { name }) });
      location.hash = `#/learn/${encodeURIComponent(view.name)}`;
    } catch (error) {
      this.problem.tell(error);
    }
    this.start.disabled = false;
  }
}

/** @param {Experiment} one */
function minutesOf(one) {
  return (one.quick ? one.quick_minutes : one.minutes) ?? Infinity;
}

/** @param {number|null} minutes */
function writeMinutes(minutes) {
  if (minutes === null) return "";
  if (minutes < 1) return `, about ${Math.max(5, Math.round((60 * minutes) / 5) * 5)} seconds`;
  return minutes > 120 ? `, about ${Math.round(minutes / 60)} hours` : `, about ${Math.round(minutes)} minutes`;
}

/** A setting as people read it. @param {string} key */
function nameKnob(key) {
  const [section, name] = key.split(".");
  return section === "watch" && name !== "seed" ? `games watched, ${name}` : name;
}
