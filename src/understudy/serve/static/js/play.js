/** Playing: a new game, a position that is set up, a game under way. */

import { openBeginning } from "./begin.js";
import { fill } from "./dom.js";

/**
 * @param {HTMLElement} root @param {import("./types.js").Route} route
 * @returns {Promise<(() => void)|void>}
 */
export async function open(root, route) {
  const id = route.path[1];
  if (!id) return openBeginning(root);
  if (id === "setup") return (await import("./setup.js")).openSetup(root, route.search);
  const { makeGameView } = await import("./gameview.js"); // half of all scripts: the form must not wait for it
  const view = await makeGameView(id, "play");
  fill(root, view.element);
  return view.run();
}
