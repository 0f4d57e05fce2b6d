/** All runs, and one of them with another laid over it. */

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { field, select } from "./forms.js";
import { drawSmall } from "./curves.js";
import { RunPage, STATES } from "./runview.js";

/** @typedef {import("./labtypes.js").RunRow} RunRow */

/** Milliseconds between two looks at the list. */
const OFTEN = 4000;

/**
 * @param {HTMLElement} root @param {import("./types.js").Route} route
 * @returns {Promise<(() => void)|void>}
 */
export async function open(root, route) {
  const name = route.path[1];
  return name ? openRun(root, name, route.search.get("with") ?? "") : openList(root);
}

/** @param {HTMLElement} root */
async function openList(root) {
  const list = h("ul", { class: "run-list" });
  const empty = h("p", { class: "quiet", hidden: true }, "There are no runs yet: ", h("a", { href: "#/learn" }, "train a network"), ".");
  let written = "";
  const update = async () => {
    const { runs } = /** @type {{runs: RunRow[]}} */ (await get("/api/runs"));
    if (JSON.stringify(runs) === written) return;
    written = JSON.stringify(runs);
    empty.hidden = runs.length > 0;
    fill(list, runs.map(makeRow));
  };
  await update();
  fill(root, h("h1", null, "Runs"), empty, list);
  const timer = setInterval(() => void update().catch(() => undefined), OFTEN);
  return () => clearInterval(timer);
}

/** @param {RunRow} run */
function makeRow(run) {
  const board = `${run.game.replaceAll("_", " ")}${run.size ? ` ${run.size}` : ""}`;
  const when = new Date(run.updated);
  return h("li", null,
    h("a", { href: `#/runs/${encodeURIComponent(run.name)}` }, h("b", null, run.title), h("small", null, `${run.name} · ${board} · ${run.kind}`)),
    drawSmall(run.curve),
    h("span", { class: "run-state" }, h("span", { class: `badge ${run.state}` }, STATES[run.state] ?? run.state),
      run.error ? h("small", { class: "warning" }, run.error) : h("small", { class: "quiet" }, run.note || when.toLocaleString())));
}

/** @param {HTMLElement} root @param {string} name @param {string} other */
async function openRun(root, name, other) {
  const page = new RunPage(name);
  const close = await page.open();
  const { runs } = /** @type {{runs: RunRow[]}} */ (await get("/api/runs"));
  const rivals = runs.filter((run) => run.name !== name && run.kind === page.view?.kind);
  const lay = async (/** @type {string} */ chosen) => {
    const view = chosen ? await get(`/api/runs/${encodeURIComponent(chosen)}`) : null;
    page.compare(view && { name: chosen, curves: view.curves });
  };
  if (rivals.length) {
    const choices = /** @type {[string, string][]} */ ([["", "none"], ...rivals.map((run) => [run.name, run.name])]);
    const list = select(choices, other, (chosen) => void lay(chosen).catch(page.problem.tell));
    page.element.querySelector(".charts-title")?.after(h("div", { class: "rival" }, field("laid over it", list)));
    if (other) await lay(other).catch(page.problem.tell);
  }
  fill(root, h("p", { class: "small" }, h("a", { href: "#/runs" }, "All runs")), page.element);
  return close;
}
