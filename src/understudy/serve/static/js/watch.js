/** Watching two machines: who plays, how fast, step by step. */

import { get, post } from "./api.js";
import { GameForm } from "./gameform.js";
import { button, fill, h } from "./dom.js";
import { field, problem, select } from "./forms.js";
import { makeGameView } from "./gameview.js";
import { recall, remember } from "./kept.js";
import { listPlayers, PlayerForm } from "./players.js";

/** Seconds between moves. */
const PACES = /** @type {[string, string][]} */ ([
  ["2", "slow"],
  ["1", "normal"],
  ["0.2", "fast"],
]);

/**
 * @param {HTMLElement} root @param {import("./types.js").Route} route
 * @returns {Promise<(() => void)|void>}
 */
export async function open(root, route) {
  const id = route.path[1];
  if (!id) return openForm(root);
  const view = await makeGameView(id, "watch");
  const pacing = new Pacing(view.game);
  fill(view.controls, pacing.element);
  view.game.watch(() => pacing.update());
  fill(root, view.element);
  const close = view.run();
  pacing.update();
  return close;
}

/** @param {HTMLElement} root */
async function openForm(root) {
  const { games } = await get("/api/games");
  const seats = h("div", { class: "fields" });
  const mistake = problem();
  /** @type {PlayerForm[]} */
  let forms = [];
  const game = new GameForm(games, async (description) => {
    const players = await listPlayers(description.name, description.size, description.rules);
    const usual = [description.opponent, "searcher"];
    return () => {
      forms = description.colours.map((colour, place) => new PlayerForm(colour, players, usual[place]));
      fill(
        seats,
        forms.map((form) => form.element),
      );
    };
  });
  const pace = select(PACES, recall("pace", "1"), (value) => remember("pace", value));
  const start = async () => {
    const [first, second] = game.description?.colours ?? [];
    const players = { [first]: forms[0]?.value, [second]: forms[1]?.value };
    const state = await post("/api/play", { ...game.fields, players, pace: Number(pace.value) });
    location.hash = `#/watch/${state.id}`;
  };
  const submit = (/** @type {Event} */ event) => (event.preventDefault(), mistake.clear(), start().catch(mistake.tell));
  fill(
    root,
    h("h1", null, "Watch two of them play"),
    h(
      "form",
      { onsubmit: submit, class: "stacked" },
      game.element,
      seats,
      h("div", { class: "fields" }, field("Pace", pace)),
      h("div", { class: "row" }, h("button", { type: "submit", class: "main" }, "Watch")),
      mistake.element,
    ),
  );
  await game.ready;
}

/** Pause, step and pace. */
class Pacing {
  /** @param {import("./game.js").Game} game */
  constructor(game) {
    this.game = game;
    this.toggle = button("Pause", () => game.act(game.state.paused ? "go" : "pause"), { class: "main" });
    this.step = button("One move", () => game.act("step"));
    this.pace = select(
      PACES,
      String(game.state.pace ?? 1),
      (value) => (remember("pace", value), game.act("go", { pace: Number(value) })),
    );
    this.pace.setAttribute("aria-label", "pace");
    const fresh = h("a", { class: "button", href: "#/watch" }, "Another pair");
    this.element = h("div", { class: "actions" }, this.toggle, this.step, this.pace, fresh);
  }

  update() {
    const { state } = this.game;
    this.toggle.textContent = state.paused ? "Go on" : "Pause";
    for (const control of [this.toggle, this.step, this.pace]) control.hidden = state.over;
    this.step.disabled = !state.paused;
  }
}
