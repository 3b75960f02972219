// Makes the extension in target/extension: the page of bindings/web as it is built, and what shows it in VS Code.

import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { build } from "esbuild";

const at = (path) => new URL(path, import.meta.url).pathname;
const page = at("../web/target/page");
if (!existsSync(`${page}/index.html`)) throw new Error("the page is not built: see bindings/web/README.md");
const made = at("target/extension");
rmSync(made, { recursive: true, force: true });
mkdirSync(made, { recursive: true });
cpSync(at("extension"), made, { recursive: true });
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) cpSync(at(`../../${name}`), `${made}/${name}`);
// Neither the service worker, nor the copies for servers, nor the samples of the empty page.
const unused = /\.(br|gz)$|sw\.js$|\.(rbxmx|rbxlx|slm)$/;
cpSync(page, `${made}/dist/page`, { recursive: true, filter: (source) => !unused.test(source) });
const common = { bundle: true, minify: true, target: "es2022", legalComments: "inline", logLevel: "warning" };
await build({ ...common, entryPoints: [at("src/extension.ts")], outfile: `${made}/dist/extension.js`, format: "cjs", external: ["vscode"] });
await build({ ...common, entryPoints: [at("src/webview.ts")], outfile: `${made}/dist/webview.js`, format: "esm" });
