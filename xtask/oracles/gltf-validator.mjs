// Validates glTF files with the reference validator (npm package gltf-validator):
//   npm install gltf-validator && node xtask/oracles/gltf-validator.mjs FILE.glb…
// Prints errors and warnings; the exit status is 1 if there is an error or a warning.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const { validateBytes } = createRequire(join(process.cwd(), "package.json"))("gltf-validator");
let failed = 0;
for (const file of process.argv.slice(2)) {
  const bytes = new Uint8Array(await readFile(file));
  const report = await validateBytes(bytes, {
    uri: file,
    maxIssues: 100,
    externalResourceFunction: async (uri) => new Uint8Array(await readFile(join(dirname(file), decodeURIComponent(uri)))),
  });
  const { numErrors, numWarnings } = report.issues;
  if (numErrors + numWarnings > 0) {
    failed += 1;
    console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings`);
    for (const { code, message, pointer, severity } of report.issues.messages) {
      if (severity < 2) console.log(`  ${code} ${pointer}: ${message}`);
    }
  }
}
console.log(`${process.argv.length - 2 - failed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
