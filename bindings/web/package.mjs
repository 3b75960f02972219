// Completes the package in target/package, beside the engine that `cargo xtask web` puts there, and compares the sizes of
// the engine's parts with their budgets.

import { cpSync, readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** How many bytes the parts of the engine may have after gzip. */
const BUDGETS = { rezkit_bg: 1_026_200, rezkit_part: 1_838_700 };

const at = (path) => new URL(path, import.meta.url);
cpSync(at("package"), at("target/package"), { recursive: true });
for (const [name, budget] of Object.entries(BUDGETS)) {
  const part = readFileSync(at(`target/package/engine/${name}.wasm`));
  const [gzip, brotli] = [gzipSync(part, { level: 9 }).length, brotliCompressSync(part).length];
  console.log(`${name}: ${part.length} bytes, ${gzip} with gzip (budget ${budget}), ${brotli} with brotli`);
  if (gzip > budget) {
    console.error(`expected at most ${budget} bytes for ${name} compressed with gzip, found ${gzip}`);
    process.exitCode = 1;
  }
}
