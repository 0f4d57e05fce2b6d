/** Setting up a position: stones from a palette, or text; or a game from a file. */

import { describe, get, post, query } from "./api.js";
import { GameForm } from "./gameform.js";
import { Board } from "./board.js";
import { button, fill, fragment, h, svg } from "./dom.js";
import { field, number, problem, radios } from "./forms.js";
import { HUMAN, listPlayers, PlayerForm } from "./players.js";
import { nameStone } from "./spoken.js";

/** @typedef {import("./types.js").Description} Description */
/** @typedef {import("./types.js").Place} Place */

/** @param {HTMLElement} root @param {URLSearchParams} search what was shown before: game, size, rule, position, turn */
export async function openSetup(root, search) {
  const game = search.get("game");
  const body = h("div");
  if (!game) {
    const { games } = await get("/api/games");
    const form = new GameForm(games, (description) => makeEditor(body, description, search));
    fill(root, h("h1", null, "Set up a position"), form.element, body);
    return void (await form.ready);
  }
  const rules = Object.fromEntries(search.getAll("rule").map((rule) => rule.split("=", 2)));
  fill(root, h("h1", null, "Set up a position"), body);
  const show = await makeEditor(body, await describe(game, search.get("size") ?? "", rules), search);
  show();
}

/** @param {HTMLElement} body @param {Description} description @param {URLSearchParams} search */
async function makeEditor(body, description, search) {
  const players = await listPlayers(description.name, description.size, description.rules);
  const editor = new Editor(description, new PlayerForm("Opponent", players, description.opponent, { human: true }));
  const position = search.get("game") === description.name ? search.get("position") : null;
  await editor.read(position ?? description.start, search.get("turn"));
  return () => fill(body, editor.element);
}

class Editor {
  /** @param {Description} description @param {PlayerForm} opponent */
  constructor(description, opponent) {
    this.description = description;
    this.opponent = opponent;
    this.stone = description.setup[0] ?? "";
    this.turn = description.colours[0];
    /** @type {string[]} */
    this.stones = description.cells.map(() => "");
    /** @type {Record<string, number>} */
    this.extras = this.usual;
    this.problem = problem();
    this.text = h("textarea", { rows: 2, spellcheck: false });
    this.sides = h("div");
    this.more = h("div");
    this.board = new Board(description, {
      label: `${description.title}: the position`,
      onCell: (cell) => this.put(cell),
    });
    this.element = this.build();
  }

  build() {
    const { setup } = this.description;
    const read = button("Show this position", () => this.read(this.text.value.trim(), null));
    const write = button("Write the stones as text", () => this.attempt(() => this.write()));
    const own = h(
      "fieldset",
      null,
      h("legend", null, "Stones"),
      setup.length ? this.makePalette() : h("p", { class: "quiet" }, "Positions of this game are written as text."),
    );
    const beside = h(
      "div",
      { class: "beside" },
      h("div", { class: "card" }, own, this.sides, this.more),
      h(
        "div",
        { class: "card" },
        field("The position as text", this.text),
        h("div", { class: "actions" }, read, write),
      ),
      h(
        "div",
        { class: "card" },
        this.opponent.element,
        h(
          "div",
          { class: "actions" },
          button("Play from here", () => this.play(), { class: "main" }),
        ),
        this.problem.element,
      ),
      this.makeImport(),
    );
    return h("div", { class: "game" }, h("div", { class: "stage" }, this.board.element), beside);
  }

  /** What a position has besides its stones, unless somebody says otherwise. */
  get usual() {
    return Object.fromEntries(this.description.extras.map((extra) => [extra.name, extra.usual]));
  }

  clear() {
    this.extras = this.usual;
    fill(this.more, this.makeExtras());
    this.change(this.stones.map(() => ""));
  }

  makePalette() {
    const { setup, stones, box } = this.description;
    const buttons = ["", ...setup].map((stone) => {
      const drawing = svg(
        "svg",
        { viewBox: `0 0 ${box} ${box}`, width: 40, height: 40, "aria-hidden": "true" },
        stone && fragment(stones[stone]),
      );
      const name = stone ? nameStone(this.description, stone) : "take a stone away";
      return h(
        "button",
        {
          type: "button",
          title: name,
          "aria-label": name,
          "aria-pressed": String(stone === this.stone),
          onclick: () => choose(stone),
        },
        stone ? drawing : "✕",
      );
    });
    const choose = (/** @type {string} */ stone) => {
      this.stone = stone;
      buttons.forEach((one, place) => one.setAttribute("aria-pressed", String(["", ...setup][place] === stone)));
    };
    const clear = button("Clear the board", () => this.clear());
    return h("div", null, h("div", { class: "palette" }, buttons), clear);
  }

  makeExtras() {
    const fields = this.description.extras.map(({ name, least, most }) => {
      const now = this.extras[name];
      const set = (/** @type {number} */ value) => ((this.extras[name] = value), this.change(this.stones));
      if (least !== 0 || most !== 1) return field(name, number(now, { min: least, max: most, step: 1, onchange: set }));
      return h(
        "label",
        { class: "choice" },
        h("input", {
          type: "checkbox",
          checked: now === 1,
          onchange: (/** @type {Event} */ event) => set(/** @type {HTMLInputElement} */ (event.target).checked ? 1 : 0),
        }),
        name,
      );
    });
    return fields.length ? h("div", { class: "extras" }, fields) : null;
  }

  makeImport() {
    const area = h("textarea", { rows: 4, spellcheck: false });
    const file = h("input", { type: "file", accept: ".json,.txt,.pgn,text/plain,application/json" });
    file.addEventListener("change", async () => void (area.value = (await file.files?.[0]?.text()) ?? ""));
    const open = button("Open this game", () => this.attempt(() => this.start({ record: area.value })));
    return h(
      "details",
      { class: "card" },
      h("summary", null, "Open a saved game"),
      field("A record: saved JSON, or a list of moves", area),
      field("or from a file", file),
      h("div", { class: "actions" }, open),
    );
  }

  /** Show a position that is written as text. @param {string} position @param {string|null} turn */
  async read(position, turn) {
    const { name, size, rules } = this.description;
    await this.attempt(async () =>
      this.show(await get(`/api/place${query({ game: name, size, position, turn }, rules)}`)),
    );
  }

  /** @param {Place} place */
  show(place) {
    this.stones = place.stones;
    this.turn = place.turn;
    Object.assign(this.extras, place.extras ?? {});
    this.text.value = place.position;
    this.draw();
    fill(this.more, this.makeExtras());
  }

  draw() {
    this.board.show({ stones: this.stones });
    const { colours } = this.description;
    fill(
      this.sides,
      radios("To move", colours, this.turn, (colour) => ((this.turn = colour), this.change(this.stones))),
    );
  }

  /** @param {string} cell */
  put(cell) {
    const place = this.board.names.indexOf(cell);
    const stones = [...this.stones];
    stones[place] = stones[place] === this.stone ? "" : this.stone;
    this.change(stones);
  }

  /** Show other stones; whether that is a position the server says when it is wanted, not while half of them stand. @param {string[]} stones */
  change(stones) {
    this.stones = stones;
    this.text.value = "";
    this.problem.clear();
    this.draw();
  }

  /** Write the stones as text, unless the text is what was shown. */
  async write() {
    if (this.text.value) return;
    const { name, size, rules } = this.description;
    const named = Object.fromEntries(
      this.stones.flatMap((stone, cell) => (stone ? [[this.board.names[cell], stone]] : [])),
    );
    const body = { game: name, size, rules, stones: named, turn: this.turn, extras: this.extras };
    this.text.value = (await post("/api/setup", body)).position;
  }

  play() {
    return this.attempt(async () => {
      await this.write();
      await this.start({ position: this.text.value.trim(), turn: this.turn });
    });
  }

  /** @param {Record<string, unknown>} from */
  async start(from) {
    const { name, size, rules, colours } = this.description;
    const other = colours.find((colour) => colour !== this.turn) ?? "";
    const players = { [this.turn]: HUMAN, [other]: this.opponent.value };
    const state = await post("/api/play", { game: name, size, rules, players, ...from });
    location.hash = `#/play/${state.id}`;
  }

  /** @param {() => Promise<unknown>} action */
  async attempt(action) {
    this.problem.clear();
    try {
      await action();
    } catch (error) {
      this.problem.tell(error);
    }
  }
}
