// Completes the package in target/package, beside the engine that `cargo xtask web` puts there, and compares the size of
// the engine with its budget.

import { cpSync, readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** How many bytes the engine may have after gzip. */
const BUDGET = 2_400_000;

const at = (path) => new URL(path, import.meta.url);
cpSync(at("package"), at("target/package"), { recursive: true });
const engine = readFileSync(at("target/package/engine/rezkit_bg.wasm"));
const [gzip, brotli] = [gzipSync(engine, { level: 9 }).length, brotliCompressSync(engine).length];
console.log(`the engine: ${engine.length} bytes, ${gzip} with gzip (budget ${BUDGET}), ${brotli} with brotli`);
if (gzip > BUDGET) {
  console.error(`expected at most ${BUDGET} bytes for the engine compressed with gzip, found ${gzip}`);
  process.exit(1);
}
