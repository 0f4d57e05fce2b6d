/**
 * The shapes that the server sends, as `GET /api/openapi.json` describes them.
 *
 * @typedef {{name: string, title: string, size: string, sizes: string, colours: string[],
 *   rules: Record<string, string[]>, opponent: string, solvable: boolean, boards: string[]}} Kind
 *   A game that can be played, its sizes in words, and the settings of each switch of its rules.
 *
 * @typedef {{name: string, x: number, y: number}} Cell
 *
 * @typedef {{name: string, title: string, size: string, colours: string[], rules: Record<string, string>,
 *   opponent: string, width: number, height: number, cells: Cell[], columns: number, rows: number, ground: string,
 *   stones: Record<string, string>, spoken?: Record<string, string>, mark: string, box: number, lined: boolean,
 *   start: string, setup: string[],
 *   extras: {name: string, least: number, most: number, usual: number}[], tells_turn: boolean, conventions: string, solvable: boolean, forms?: string[]}} Description
 *   All that is needed to draw a game's board; `ground`, `stones` and `mark` are fragments of SVG.
 *
 * @typedef {{move: string, cells: string[], option: string}} Legal
 *   A move, the cells that a person chooses one after another to make it, and what else it needs (a promotion).
 *
 * @typedef {{name: string, kind: "number"|"integer"|"text"|"choice"|"switch", default: unknown,
 *   choices?: string[], about: string}} Option
 * @typedef {{name: string, about: string, options: Option[]}} PlayerKind
 * @typedef {{player: string, title: string, place: string, about: string, generations?: number[]}} Student
 * @typedef {{players: PlayerKind[], students: Student[]}} Players
 *
 * @typedef {{seconds: number, increment: number, left: Record<string, number>, running: string|null}} Clock
 *
 * @typedef {{id: string, version: number, game: string, size: string, rules: Record<string, string>, title: string,
 *   start: string|null, colours: string[], players: Record<string, string>, ply: number, turn: string,
 *   position: string, stones: string[], marked: number[], status: string, legal: Legal[],
 *   moves: {move: string, value: number|null}[], thinking: {player: string, since: string}|null, paused: boolean,
 *   pace: number|null, clock: Clock|null, result: number|null, reason: string|null, ending: string|null,
 *   over: boolean}} State
 *   A game in play.
 *
 * @typedef {{game: string, size: string, position: string, turn: string, ply: number, stones: string[],
 *   marked: number[], status: string, legal: Legal[], over: boolean, ending: string|null, move?: string|null,
 *   extras?: Record<string, number>}} Place
 *   A position that can be shown.
 *
 * @typedef {{move: string, number: number|null, legal: boolean, note: string, truth: string}} Weighed
 * @typedef {{part: string, cells: Record<string, number>, illegal: number, choice: string}} PartThought
 * @typedef {{moves: string[], value: number|null, depth: number, plies: number|null}} Line
 * @typedef {{parts: string[], moves: string, lines: string[], values: Record<string, string>, changed: string}} Pictures
 *   Overlays of a board, as fragments of SVG.
 *
 * @typedef {{player: string, game: string, position: string, kind: "probability"|"value"|"order", meaning: string,
 *   choice: string, legal: boolean, value: number|null, moves: Weighed[], parts: PartThought[], illegal: number|null,
 *   line: string[], lines: Line[], course: Line[], inputs: Record<string, number>, depth: number|null,
 *   nodes: number|null, seconds: number|null, note: string, pictures?: Pictures}} Thought
 *
 * @typedef {{game: string, size?: string, rules?: Record<string, string>, position?: string, turn?: string,
 *   moves?: string[], player: string, seed?: number, given?: Record<string, string>, pictures?: boolean}} Ask
 *   What `/api/think` is asked.
 *
 * @typedef {{known: boolean, moves?: {move: string, number: number|null, note: string}[], note: string}} Truth
 *
 * @typedef {{player: string, points: number, games: number, different: number, elo: number|null,
 *   elo_low: number|null, elo_high: number|null, against: Record<string, number>}} Standing
 * @typedef {{id: string, game: string, size: string, players: string[], games: number, played: number, total: number,
 *   over: boolean, error: string|null, table: Standing[]}} Contest
 *
 * @typedef {{path: string[], search: URLSearchParams}} Route
 *   Where the page is: the parts of the hash, and what follows its question mark.
 */

export {};
