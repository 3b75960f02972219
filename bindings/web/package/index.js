// The package's entry point for browsers, workers, Deno and bundlers.

import * as engine from "./engine/rezkit.js";
import { kit } from "./kit.js";

export { RezkitError } from "./kit.js";
export const { init, detect, about, classes, memory, unpack, load, needed, diff } = kit(engine, [
  () => fetch(new URL("./engine/rezkit_bg.wasm", import.meta.url)),
  () => fetch(new URL("./engine/rezkit_part.wasm", import.meta.url)),
]);
