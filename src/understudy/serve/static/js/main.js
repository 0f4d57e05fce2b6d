/** Where the page begins: the hash of the address chooses the view. */

import { onConnection } from "./api.js";
import { fill, h } from "./dom.js";

/** @typedef {import("./types.js").Route} Route */
/** @typedef {{open: (root: HTMLElement, route: Route) => (() => void)|void|Promise<(() => void)|void>}} View */

/** Which module shows which part of the page, what it is called, and the styles that it alone needs. */
/** @type {Record<string, {load: () => Promise<View>, title: string, styles?: string}>} */
const VIEWS = {
  play: { load: () => import("./play.js"), title: "Play" },
  watch: { load: () => import("./watch.js"), title: "Watch" },
  tournament: { load: () => import("./tournament.js"), title: "Tournament" },
  learn: { load: () => load("learn"), title: "Learn", styles: "lab.css" },
  runs: { load: () => load("runs"), title: "Runs", styles: "lab.css" },
  studies: { load: () => load("studies"), title: "Studies", styles: "lab.css" },
};

/** @param {string} name @returns {Promise<View>} */
function load(name) {
  return import(`./${name}.js`);
}

const root = /** @type {HTMLElement} */ (document.getElementById("view"));
/** Which opening of a view counts: a slow one must not fill the page after a later one. */
let turn = 0;
/** @type {(() => void)|void} */
let close;

/** @returns {Route} */
function readRoute() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), search: new URLSearchParams(search ?? "") };
}

async function show() {
  if (location.hash && !location.hash.startsWith("#/")) return; // a place within the page
  const route = readRoute();
  const name = route.path[0] ?? "play";
  const view = Object.hasOwn(VIEWS, name) ? VIEWS[name] : null;
  const mine = ++turn;
  close?.();
  close = undefined;
  markNav(name);
  document.title = view ? `${view.title} – Understudy` : "Understudy";
  const page = h("div", { class: `view ${name}` });
  if (!view)
    fill(
      page,
      h("h1", null, "There is no such page"),
      h("p", null, h("a", { href: "#/play" }, "Play a game instead.")),
    );
  fill(root, page);
  if (view) await fillPage(page, view, route, mine);
}

/** @param {HTMLElement} page @param {typeof VIEWS[string]} view @param {Route} route @param {number} mine */
async function fillPage(page, view, route, mine) {
  try {
    if (view.styles) addStyles(view.styles);
    const { open } = await view.load();
    if (mine !== turn) return;
    const leave = await open(page, route);
    if (mine === turn) close = leave;
    else leave?.();
  } catch (error) {
    const sentence = error instanceof Error ? error.message : String(error);
    const back = h("p", null, h("a", { href: `#/${route.path[0] ?? "play"}` }, `Back to ${view.title}`));
    if (mine === turn)
      fill(page, h("h1", null, view.title), h("p", { role: "alert" }, sentence), route.path.length > 1 && back);
  }
}

/** @param {string} name */
function addStyles(name) {
  const href = `/static/${name}`;
  if (!document.querySelector(`link[href="${href}"]`)) document.head.append(h("link", { rel: "stylesheet", href }));
}

/** @param {string} name */
function markNav(name) {
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

addEventListener("hashchange", () => {
  void show();
  scrollTo(0, 0);
});
document.getElementById("skip")?.addEventListener("click", () => root.focus());
onConnection((open) => {
  const sentence = document.getElementById("connection");
  if (sentence) sentence.hidden = open;
});
void show();
