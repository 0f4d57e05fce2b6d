/** One run: what it is doing, what its student chooses, its curves, its students to play against. */

import { describe, follow, get, post } from "./api.js";
import { Chart } from "./curves.js";
import { button, fill, h } from "./dom.js";
import { field, problem } from "./forms.js";
import { Glimpses } from "./glimpses.js";
import { TOKEN } from "./live.js";

/** @typedef {import("./labtypes.js").RunView} RunView */
/** @typedef {import("./labtypes.js").RunPlayer} RunPlayer */
/** @typedef {import("./labtypes.js").Curve} Curve */

/** What the states of a run are called. */
export const STATES = { running: "learning", waiting: "waiting for its turn", paused: "paused", done: "done", stopped: "stopped" };
/** What the buttons of a run are called. */
const REQUESTS = /** @type {Record<string, string>} */ ({ pause: "Pause", go: "Go on" });

export class RunPage {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    this.problem = problem();
    this.title = h("h1", null, name);
    this.state = h("p", { class: "state", role: "status" });
    this.tasks = h("ul", { class: "tasks" });
    this.buttons = h("div", { class: "row" });
    this.players = h("section", { class: "card players", hidden: true });
    this.glimpses = new Glimpses();
    this.charts = h("div", { class: "charts" });
    this.paper = h("section", { class: "details" });
    /** @type {Map<string, Chart>} */
    this.drawn = new Map();
    /** @type {{name: string, curves: Curve[]}|null} */
    this.other = null;
    this.busy = false;
    this.element = h("div", { class: "run" }, this.title, this.state, this.tasks, this.buttons, this.problem.element, this.glimpses.element,
      h("section", null, h("h2", { class: "charts-title" }, "How it goes"), this.charts), this.players, this.paper);
  }

  /** Show the run and follow it. @returns {Promise<() => void>} */
  async open() {
    await this.update(await get(`/api/runs/${encodeURIComponent(this.name)}`));
    const leave = follow(`runs/${this.name}`, (message) => message.state && void this.update(message.state));
    return () => (leave(), this.glimpses.halt());
  }

  /** @param {RunView} view */
  async update(view) {
    this.view = view;
    this.title.textContent = view.title;
    fill(this.state, h("span", { class: `badge ${view.state}` }, STATES[view.state] ?? view.state), ` ${view.name}`, view.error && h("span", { class: "warning" }, ` ${view.error}`));
    fill(this.tasks, view.tasks.map((task) => h("li", null, h("span", null, task.task), h("progress", { max: 1, value: task.done, "aria-label": task.task }), h("span", { class: "quiet small" }, task.note))));
    this.showButtons(view);
    this.showCharts(view);
    this.showPlayers(view);
    this.showPaper(view);
    await this.glimpses.update(view);
  }

  /** @param {RunView} view */
  showButtons(view) {
    const asked = view.can.filter((one) => one in REQUESTS);
    const playable = view.players[0];
    const written = JSON.stringify([asked, playable, view.can, view.report, this.busy]);
    if (this.buttons.dataset.written === written) return;
    this.buttons.dataset.written = written;
    const now = view.can.includes("student");
    fill(this.buttons, asked.map((one) => button(REQUESTS[one], () => this.ask(one), { disabled: this.busy, class: one === "go" ? "main" : "" })),
      playable && !now && button("Play against it", () => this.play(playable.player), { class: "main" }),
      now && button("Play it now", () => this.playNow(), { class: "main", disabled: this.busy }),
      view.report && h("a", { class: "button", href: `/api/runs/${encodeURIComponent(this.name)}/report${TOKEN ? `?token=${encodeURIComponent(TOKEN)}` : ""}`, target: "_blank", rel: "noopener" }, "The report"));
  }

  /** @param {string} request */
  async ask(request) {
    await this.attempt(async () => this.update(await post(`/api/runs/${encodeURIComponent(this.name)}/${request}`)));
  }

  async playNow() {
    this.problem.tell("One moment: its networks are written out as they are now.");
    await this.attempt(async () => {
      const { player } = await post(`/api/runs/${encodeURIComponent(this.name)}/student`);
      await this.play(player);
    });
  }

  /** @param {() => Promise<void>} work */
  async attempt(work) {
    this.busy = true;
    if (this.view) this.showButtons(this.view);
    try {
      await work();
      this.problem.clear();
    } catch (error) {
      this.problem.tell(error);
    }
    this.busy = false;
    if (this.view) this.showButtons(this.view);
  }

  /** @param {string} player */
  async play(player) {
    const { game, size } = /** @type {RunView} */ (this.view);
    try {
      location.hash = `#/play/${await beginGame(game, size, player)}`;
    } catch (error) {
      this.problem.tell(error);
    }
  }

  /** @param {RunView} view */
  showCharts(view) {
    const curves = view.curves.map((curve) => this.overlaid(curve));
    const names = curves.map((curve) => curve.name);
    for (const [name, chart] of this.drawn) if (!names.includes(name)) (chart.element.remove(), this.drawn.delete(name));
    for (const curve of curves) {
      const chart = this.drawn.get(curve.name);
      if (chart) chart.update(curve);
      else {
        const fresh = new Chart(curve);
        this.drawn.set(curve.name, fresh);
        this.charts.append(fresh.element);
      }
    }
    if (!curves.length && !this.charts.childElementCount) fill(this.charts, h("p", { class: "quiet" }, "There is nothing to draw yet."));
    else this.charts.querySelector(":scope > p")?.remove();
  }

  /** A curve with the lines of the other run beside its own. @param {Curve} curve @returns {Curve} */
  overlaid(curve) {
    const { other } = this;
    const there = other?.curves.find((one) => one.name === curve.name);
    if (!other || !there) return curve;
    const lines = [...curve.lines.map((line) => ({ ...line, name: `${this.name}: ${line.name}` })), ...there.lines.map((line) => ({ ...line, name: `${other.name}: ${line.name}` }))];
    return { ...curve, lines };
  }

  /** Lay another run over this one. @param {{name: string, curves: Curve[]}|null} other */
  compare(other) {
    this.other = other;
    if (this.view) this.showCharts(this.view);
  }

  /** @param {RunView} view */
  showPlayers(view) {
    const written = JSON.stringify(view.players);
    this.players.hidden = !view.players.length;
    if (this.players.dataset.written === written) return;
    this.players.dataset.written = written;
    fill(this.players, h("h2", null, "Its students"), h("ul", { class: "students" }, view.players.map((player) => this.makePlayer(player))));
  }

  /** @param {RunPlayer} player */
  makePlayer({ player, title, generations }) {
    const base = player.replace(/,generation=\d+/, "");
    const finished = base === player;
    let chosen = player;
    const go = button("Play", () => this.play(chosen));
    const code = h("code", null, player);
    if (!generations.length) return h("li", null, h("b", null, title), code, go);
    const last = finished ? generations.length : generations.length - 1;
    const output = h("output", null);
    const slider = h("input", { type: "range", min: "0", max: String(last), value: String(last) });
    const choose = () => {
      const generation = generations[Number(slider.value)];
      chosen = generation === undefined ? base : `${base},generation=${generation}`;
      output.textContent = generation === undefined ? "as it ended" : `generation ${generation}`;
      slider.setAttribute("aria-valuetext", output.textContent);
      code.textContent = chosen;
    };
    slider.addEventListener("input", choose);
    choose();
    return h("li", null, h("b", null, title), field("how far evolved", slider), output, go, code);
  }

  /** @param {RunView} view */
  showPaper(view) {
    if (this.paper.dataset.written === view.toml) return;
    this.paper.dataset.written = view.toml;
    fill(this.paper, h("h2", null, "The experiment"), h("p", { class: "small" }, "In a terminal: ", h("code", null, view.command)),
      h("details", null, h("summary", null, "experiment.toml"), h("pre", { tabindex: 0 }, view.toml)));
  }
}

/**
 * Begin a game of a person against a student.
 * @param {string} game @param {string} size @param {string} player
 * @returns {Promise<string>} its id
 */
export async function beginGame(game, size, player) {
  const { colours } = await describe(game, size || undefined);
  const body = { game, ...(size && { size }), players: { [colours[0]]: "human", [colours[1]]: player } };
  return (await post("/api/play", body)).id;
}
