// The engine's two workers. Calls wait in a queue until their worker is free; the most urgent one is next.

import type { Source } from "./files";
import { host } from "./host";
import type { Calls, Sync } from "./worker";
import workerUrl from "./worker.ts?worker&url";
import firstPart from "../../target/package/engine/rezkit_bg.wasm?url";
import secondPart from "../../target/package/engine/rezkit_part.wasm?url";

export class EngineError extends Error {
  constructor(readonly kind: string, text: string, readonly path = "") {
    super(text);
  }
}

interface Waiting {
  call: string;
  args: any[];
  sources: Source[];
  urgency: number;
  resolve: (result: any) => void;
  reject: (error: any) => void;
  signal?: AbortSignal;
}

const cancelled = () => new EngineError("cancelled", "cancelled");
/** A call that nothing waits for. */
const alone = (call: string, ...args: any[]): Waiting => ({ call, args, sources: [], urgency: 0, resolve() {}, reject() {} });
/** How many files a worker keeps open. */
const OPEN = 6;
/** Calls that wait for the engine's second part; others that need it load it at once. */
const LATER = new Set(["scene", "part", "picture"]);

let siblings = new Map<string, Blob>();

async function compiled(url: string, priority: RequestPriority) {
  const response = await fetch(url, { priority });
  if (!response.ok) throw new EngineError("network", `the engine was not found (${response.status})`);
  const copy = response.clone();
  // Some servers send a wrong media type, which streaming refuses.
  return WebAssembly.compileStreaming(response).catch(async () => WebAssembly.compile(await copy.arrayBuffer()));
}

/** Where the worker's code is. A host's files are of another origin, from which no worker can be started. */
const script = host ? fetch(workerUrl).then(async (response) => URL.createObjectURL(new Blob([await response.text()], { type: "text/javascript" }))) : workerUrl;
let starting: Promise<WebAssembly.Module> | undefined;
/** The engine's second part, which is loaded after the first one. */
let second: WebAssembly.Module | undefined;
let following: Promise<void> | undefined;
let hasFollowed = false;

/** The engine's first part, which is enough to open, query and edit documents. */
function first() {
  starting ??= compiled(firstPart, "high");
  if (following) return starting;
  following = starting.then(async () => void (second = await compiled(secondPart, "low")));
  // Without it, a worker that needs it tries again, and tells why it fails.
  following.catch(() => {}).finally(() => {
    hasFollowed = true;
    for (const engine of engines) void engine.next();
  });
  return starting;
}

export class Engine {
  private worker?: Worker;
  private queue: Waiting[] = [];
  private running?: Waiting;
  /** What the worker has open: the content and the steps that were applied, by key. */
  private held = new Map<number, { base: number; steps: number[] }>();
  private sentSiblings?: Map<string, Blob>;
  private hasSecond = false;

  /** `waits` says whether the worker starts with both parts of the engine. */
  constructor(private readonly waits: boolean) {}

  /** Calls a function about a file. Smaller numbers are more urgent. */
  ask<K extends keyof Calls>(source: Source, call: K, args: any[] = [], urgency = 1, more: Source[] = [], signal?: AbortSignal) {
    return this.add(call, [source.key, ...args], [source, ...more], urgency, signal) as Promise<Awaited<ReturnType<Calls[K]>>>;
  }

  call<K extends keyof Calls>(call: K, args: any[] = [], urgency = 1) {
    return this.add(call, args, [], urgency) as Promise<Awaited<ReturnType<Calls[K]>>>;
  }

  /** Forgets a file that is closed, and what was asked about it. */
  forget(key: number) {
    const isOf = ({ sources: [first] }: Waiting) => first?.key === key;
    for (const { reject } of this.queue.filter(isOf)) reject(cancelled());
    this.queue = this.queue.filter((waiting) => !isOf(waiting));
    if (this.held.delete(key)) void this.call("close", [key], 9).catch(() => {});
  }

  /** Ends the worker, whose memory would never shrink; the next call starts another one. */
  rest() {
    if (this.worker) this.restart(cancelled());
  }

  /** Stops the running call by ending the worker; what waits continues in a new one. */
  stop(why = cancelled()) {
    if (this.running) this.restart(why);
  }

  private add(call: string, args: any[], sources: Source[], urgency: number, signal?: AbortSignal) {
    return new Promise((resolve, reject) => {
      this.queue.push({ call, args, sources, urgency, resolve, reject, signal });
      void this.next();
    });
  }

  private restart(error: EngineError) {
    const { running } = this;
    this.worker?.terminate();
    this.worker = this.running = this.sentSiblings = undefined;
    this.hasSecond = false;
    this.held.clear();
    running?.reject(error);
    void this.next();
  }

  private start(wanted: WebAssembly.Module, code: string) {
    this.worker = new Worker(code, { type: "module" });
    this.worker.onmessage = ({ data: { result, error } }) => {
      const { running } = this;
      this.running = undefined;
      if (error?.kind === "crash") this.held.clear();
      // The next call brings the files to their states again.
      else if (error) for (const { key } of running?.sources ?? []) this.held.delete(key);
      else if (running?.call === "step") this.held.get(running.args[0])?.steps.push(running.args[1].id);
      if (error) running?.reject(new EngineError(error.kind, error.text, error.path));
      else running?.resolve(result);
      void this.next();
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.restart(new EngineError("crash", event.message || "the engine stopped"));
    };
    this.send(alone("start", wanted, new URL(secondPart, location.href).href));
  }

  /** What brings the worker's copy of a file to a state. */
  private sync({ key, file, base, name, path, steps }: Source): Sync | undefined {
    const held = this.held.get(key);
    const ids = steps.map(({ id }) => id);
    const fits = held?.base === base && held.steps.length <= ids.length && held.steps.every((id, at) => id === ids[at]);
    // The last used file is the last of the map.
    this.held.delete(key);
    this.held.set(key, { base, steps: ids });
    if (!fits) return { key, open: { file, base, name, path }, steps };
    return held.steps.length < ids.length ? { key, steps: steps.slice(held.steps.length) } : undefined;
  }

  private send(waiting: Waiting) {
    this.running = waiting;
    const syncs = waiting.sources.map((source) => this.sync(source)).filter((sync) => sync !== undefined);
    const part = this.hasSecond ? undefined : second;
    this.hasSecond ||= part !== undefined;
    this.worker!.postMessage({ call: waiting.call, args: waiting.args, syncs, part });
  }

  async next(): Promise<void> {
    if (this.running || !this.queue.length) return;
    if (!this.worker) {
      try {
        const [wanted, code] = await Promise.all([first(), script]);
        if (this.waits) await following?.catch(() => {});
        if (!this.worker) this.start(wanted, code);
      } catch (error) {
        for (const { reject } of this.queue.splice(0)) reject(error);
      }
      return;
    }
    if (this.sentSiblings !== siblings) {
      this.sentSiblings = siblings;
      return this.send(alone("siblings", siblings));
    }
    const excess = [...this.held.keys()][0];
    if (this.held.size > OPEN) {
      this.held.delete(excess);
      return this.send(alone("close", excess));
    }
    const [waiting] = this.queue.filter(({ call }) => hasFollowed || !LATER.has(call)).sort((a, b) => a.urgency - b.urgency);
    if (!waiting) return;
    this.queue.splice(this.queue.indexOf(waiting), 1);
    if (!waiting.signal?.aborted) return this.send(waiting);
    waiting.reject(cancelled());
    return this.next();
  }
}

/** Answers what a person waits for: edits, values, and what the 3D view shows. */
export const front = new Engine(host !== undefined);
/** Computes what may take long: findings, counts, differences and conversions. */
export const back = new Engine(true);
const engines = [front, back];

/** Tells the workers the files that other files may refer to. */
export function setSiblings(files: Map<string, Blob>) {
  siblings = files;
}
