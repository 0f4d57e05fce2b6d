/**
 * The shapes that the server sends of experiments, runs and studies.
 *
 * @typedef {import("./types.js").Place} Place
 *
 * @typedef {{key: string, about: string, value: number|null, whole: number|null, least: number, most: number}} Knob
 *   A setting of an experiment that a page may change.
 * @typedef {{name: string, title: string, study: string, kind: string, game: string, size: string,
 *   description: string, quick: boolean, quick_minutes: number|null, minutes: number|null, data: string[],
 *   ready: boolean, knobs: Knob[]}} Experiment
 *
 * @typedef {{name: string, title: string, kind: string, game: string, size: string,
 *   state: "running"|"waiting"|"paused"|"done"|"stopped", done: number, note: string, updated: string,
 *   student: string|null, report: boolean, error: string|null, curve: [number, number][]}} RunRow
 *
 * @typedef {{task: string, done: number, note: string}} Task
 * @typedef {{name: string, points: [number, number][]}} CurveLine
 * @typedef {{name: string, axis: string, unit: string, lines: CurveLine[], paper: {name: string, value: number}[],
 *   note: string}} Curve
 *
 * @typedef {Place & {teacher: string|null}} Scene
 * @typedef {{move: string, legal: boolean, right: boolean|null, share: number|null, value: number|null,
 *   illegal: number|null, cells: string[], picture: string}} SeenChoice
 * @typedef {{label: string, student: string, at: number, legal: number|null, right: number|null,
 *   choices: SeenChoice[]}} Frame
 * @typedef {{student: string, scenes: Scene[], frames: Frame[]}} SeenStudent
 *
 * @typedef {{player: string, title: string, generations: number[]}} RunPlayer
 * @typedef {RunRow & {tasks: Task[], toml: string, curves: Curve[], glimpses: SeenStudent[], players: RunPlayer[],
 *   can: string[], command: string}} RunView
 *
 * @typedef {{name: string, title: string, authors: string, year: number, question: string, game: string}} StudyRow
 * @typedef {{game: string, size: string|null, player: string, rival: string|null, about: string,
 *   positions: {name: string, position: string}[]}} Figure
 * @typedef {{who: string, measure: string, ours: number|null, low: number|null, high: number|null,
 *   sample: number|null, paper: number|null, verdict: string, share: boolean}} StudyLine
 * @typedef {{title: string, note: string, command: string, rows: StudyLine[]}} StudyTable
 * @typedef {StudyRow & {reference: string, story: string[], figure: Figure|null, tables: StudyTable[],
 *   differences: string[], commands: {command: string, about: string, cost: string}[]}} Study
 */

export {};
