// The package's entry point for Node, which cannot `fetch` files.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import * as engine from "./engine/rezkit.js";
import { kit } from "./kit.js";

export { RezkitError } from "./kit.js";
export const { init, detect, about, classes, memory, unpack, load, needed, diff } = kit(engine, [
  () => readFile(new URL("./engine/rezkit_bg.wasm", import.meta.url)),
  () => () => readFileSync(new URL("./engine/rezkit_part.wasm", import.meta.url)),
]);
