// The worker, as functions that give promises.

/** What the worker could not do. */
export class EngineError extends Error {
  constructor({ kind, text, path, offset }) {
    super(text);
    Object.assign(this, { kind, path, offset });
  }
}

const waiting = new Map();
let last = 0;
let worker;
let source;
let ready = false;

function start() {
  worker = globalThis.makeWorker?.() ?? new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data: { id, result, error } }) => {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new EngineError(error));
    else resolve?.(result);
  };
  // If a worker ends, for lack of memory, its calls fail.
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    const text = event.message || "the worker ended";
    for (const { reject } of waiting.values()) reject(new EngineError({ kind: "crash", text }));
    waiting.clear();
    // A worker that never started would not start now.
    if (ready) start().catch(() => {});
  };
  ready = false;
  return call("start", [source]).then(() => (ready = true));
}

/** Starts the worker; `module` is the engine, if it is not beside the page. */
export function startEngine(module) {
  source = module;
  return start();
}

/** Calls a function of the worker. What is in `transfer` goes along and is gone here. */
export function call(name, args, transfer = []) {
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, call: name, args }, transfer);
  });
}
