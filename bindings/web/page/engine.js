// Calls functions of the worker. Each call returns a promise.

/** An error that the worker reports. */
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
  // The worker stopped, for example because memory ran out. Its pending calls fail.
  worker.onerror = (event) => {
    event.preventDefault();
    worker.terminate();
    const text = event.message || "the worker stopped without a message";
    for (const { reject } of waiting.values()) reject(new EngineError({ kind: "crash", text }));
    waiting.clear();
    // If the worker never started, starting it again would fail, too.
    if (ready) start().catch(() => {});
  };
  ready = false;
  return call("start", [source]).then(() => (ready = true));
}

/** Starts the worker. `module` is the engine's WebAssembly module; by default, the worker loads its own copy. */
export function startEngine(module) {
  source = module;
  return start();
}

/** Calls a function of the worker. Buffers in `transfer` are moved to the worker and cannot be used here any more. */
export function call(name, args, transfer = []) {
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, call: name, args }, transfer);
  });
}
