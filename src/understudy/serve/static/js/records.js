/** Positions and games as text: to the clipboard, to a file, and back. */

import { get } from "./api.js";
import { showText } from "./dialogs.js";
import { announce, button, h } from "./dom.js";

/** @typedef {import("./game.js").Game} Game */

/** How files of each form end. */
const ENDINGS = /** @type {Record<string, string>} */ ({ json: "json", moves: "txt", pgn: "pgn" });

/**
 * Buttons that take the position or the game away.
 * @param {Game} game
 */
export function makeRecords(game) {
  const said = h("p", { class: "small quiet", role: "status" });
  const say = (/** @type {unknown} */ sentence) =>
    (said.textContent = sentence instanceof Error ? sentence.message : String(sentence));
  const forms = game.description.forms ?? ["json", "moves"];
  const copyMoves = async () => copy("The moves", (await fetchRecord(game, "moves")).text);
  const from = `#/play/setup?game=${game.state.game}&size=${game.state.size}`;
  const setUp = () =>
    (location.hash = `${from}&position=${encodeURIComponent(game.shown.position)}&turn=${game.shown.turn}${writeRules(game)}`);
  return h(
    "details",
    { class: "records" },
    h("summary", null, "Position and record"),
    h(
      "div",
      { class: "actions" },
      button("Copy position", () => copy("The position", game.shown.position).then(say, say)),
      button("Copy moves", () => copyMoves().then(say, say)),
      forms.map((form) =>
        button(`Save as ${form === "moves" ? "list of moves" : form.toUpperCase()}`, () =>
          save(game, form).then(say, say),
        ),
      ),
      button("Set up, paste or import", setUp),
    ),
    said,
  );
}

/** @param {Game} game */
function writeRules({ state }) {
  return Object.entries(state.rules)
    .map(([name, value]) => `&rule=${encodeURIComponent(`${name}=${value}`)}`)
    .join("");
}

/** @param {Game} game @param {string} form @returns {Promise<{form: string, text: string}>} */
function fetchRecord({ state }, form) {
  return get(`/api/play/${state.id}/record?form=${form}`);
}

/** Copy a text; a browser that does not allow it shows it instead. @param {string} what @param {string} text */
async function copy(what, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    showText(`${what}, to be copied`, text);
    return "";
  }
  announce(`${what} is copied.`);
  return `${what}: copied.`;
}

/** @param {Game} game @param {string} form */
async function save(game, form) {
  const { text } = await fetchRecord(game, form);
  const address = URL.createObjectURL(new Blob([text], { type: form === "json" ? "application/json" : "text/plain" }));
  const link = h("a", {
    href: address,
    download: `${game.state.game}_${game.state.id.slice(0, 6)}.${ENDINGS[form] ?? form}`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000); // the browser needs it until the file is written
  return `Saved as ${link.download}.`;
}
