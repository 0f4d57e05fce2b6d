/** The socket: topics that are followed, thoughts that are awaited. It comes back by itself and asks again. */

/** @typedef {import("./types.js").Ask} Ask */
/** @typedef {import("./types.js").Thought} Thought */
/** @typedef {{topic?: string, id?: string, event: string, state?: any, thought?: Thought, error?: string}} Message */
/** @typedef {(message: Message) => void} Handler */
/** @typedef {{ask: Ask, tick?: (thought: Thought) => void, resolve: (thought: Thought) => void, reject: (error: Error) => void}} Wish */

/** A server beyond this machine asks for a token, which is in the page's own address. */
export const TOKEN = new URLSearchParams(location.search).get("token") ?? "";

/** The first pause before the socket is opened again, and the longest, in milliseconds. */
const SHORT = 300;
const LONG = 10000;

/** @type {WebSocket|null} */
let socket = null;
let pause = SHORT;
let count = 0;
/** @type {Map<string, Set<Handler>>} */
const topics = new Map();
/** @type {Map<string, Wish>} */
const wishes = new Map();
/** @type {Set<(open: boolean) => void>} */
const watchers = new Set();

/**
 * Hear of a topic (`play/ID`, `tournaments/ID`, `runs/NAME`) until the returned function is called.
 * @param {string} topic @param {Handler} handler
 * @returns {() => void}
 */
export function follow(topic, handler) {
  const handlers = topics.get(topic) ?? new Set();
  handlers.add(handler);
  topics.set(topic, handlers);
  if (socket?.readyState === WebSocket.OPEN) send({ do: "follow", topic });
  else open();
  return () => leave(topic, handler);
}

/** @param {string} topic @param {Handler} handler */
function leave(topic, handler) {
  const handlers = topics.get(topic);
  if (!handlers?.delete(handler) || handlers.size) return;
  topics.delete(topic);
  send({ do: "leave", topic });
}

/**
 * Ask what a player thinks; `tick` hears it while it is still thinking.
 * @param {Ask} ask @param {{tick?: (thought: Thought) => void}} [options]
 * @returns {{done: Promise<Thought>, stop: () => void}} after `stop`, `done` never comes
 */
export function think(ask, { tick } = {}) {
  const id = `t${++count}`;
  /** @type {Promise<Thought>} */
  const done = new Promise((resolve, reject) => wishes.set(id, { ask, tick, resolve, reject }));
  if (socket?.readyState === WebSocket.OPEN) send({ do: "think", id, ask });
  else open();
  return { done, stop: () => void (wishes.delete(id) && send({ do: "stop", id })) };
}

/**
 * Hear whether the socket is open.
 * @param {(open: boolean) => void} watcher
 * @returns {() => void} to hear no more
 */
export function onConnection(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function open() {
  if (socket && socket.readyState <= WebSocket.OPEN) return;
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const token = TOKEN ? `?token=${encodeURIComponent(TOKEN)}` : "";
  socket = new WebSocket(`${scheme}//${location.host}/api/live${token}`);
  socket.onopen = greet;
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = retry;
}

/** Ask again for all that somebody waits for: the server forgot it when the socket closed. */
function greet() {
  pause = SHORT;
  for (const watcher of watchers) watcher(true);
  for (const topic of topics.keys()) send({ do: "follow", topic });
  for (const [id, { ask }] of wishes) send({ do: "think", id, ask });
}

function retry() {
  if (!topics.size && !wishes.size) return; // nobody waits; whoever asks next opens it
  for (const watcher of watchers) watcher(false);
  setTimeout(open, pause);
  pause = Math.min(pause * 2, LONG);
}

/** @param {object} message */
function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

/** @param {Message} message */
function hear(message) {
  if (message.topic) for (const handler of [...(topics.get(message.topic) ?? [])]) handler(message);
  else if (message.id) hearThought(message.id, message);
}

/** @param {string} id @param {Message} message */
function hearThought(id, message) {
  const wish = wishes.get(id);
  if (!wish) return;
  if (message.event === "thinking" && message.thought) return wish.tick?.(message.thought);
  wishes.delete(id);
  if (message.event === "thought" && message.thought) wish.resolve(message.thought);
  else wish.reject(new Error(message.error ?? "The server stopped thinking without a word."));
}
