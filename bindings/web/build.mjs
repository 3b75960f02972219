// Puts the package and the page together, below target/: `node build.mjs`, after the WebAssembly module is in
// target/package. `cargo xtask web` does all of it.

import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const at = (...parts) => join(here, ...parts);
const npm = (...parts) => at("node_modules", ...parts);
const out = at("target/package");

/** How many bytes the engine may have after gzip. */
const BUDGET = 1_990_000;

for (const file of readdirSync(at("package"))) copyFileSync(at("package", file), join(out, file));
const engine = readFileSync(join(out, "engine/rezkit_bg.wasm"));
const [gzip, brotli] = [gzipSync(engine, { level: 9 }).length, brotliCompressSync(engine).length];
console.log(`the engine: ${engine.length} bytes, ${gzip} with gzip (budget ${BUDGET}), ${brotli} with brotli`);

/** All files below a folder. */
function below(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? below(path) : [path];
  });
}

// The page: its files, the package, and three.js if it is installed.
const page = at("target/page");
rmSync(page, { recursive: true, force: true });
cpSync(at("page"), page, { recursive: true });
mkdirSync(join(page, "kit"));
for (const name of ["index.js", "kit.js", "panic.js"]) copyFileSync(join(out, name), join(page, "kit", name));
mkdirSync(join(page, "kit/engine"));
for (const name of ["rezkit.js", "rezkit_bg.wasm"]) copyFileSync(join(out, "engine", name), join(page, "kit/engine", name));
if (existsSync(npm("three"))) {
  mkdirSync(join(page, "three"));
  for (const name of ["build/three.module.js", "build/three.core.js", "LICENSE"]) {
    copyFileSync(npm("three", name), join(page, "three", name.split("/").pop()));
  }
}
const files = below(page).filter((path) => !path.endsWith("sw.js"));
const version = createHash("sha256");
for (const path of files) version.update(readFileSync(path));
const worker = readFileSync(at("page/sw.js"), "utf8")
  .replace('"VERSION"', JSON.stringify(version.digest("hex").slice(0, 16)))
  .replace('["FILES"]', JSON.stringify(["./", ...files.map((path) => relative(page, path))]));
writeFileSync(join(page, "sw.js"), worker);

// The page as one file, which also works from a disk: its modules become addresses of texts in it.
function modules(entry) {
  const order = [];
  const visit = (path) => {
    if (order.includes(path)) return;
    const text = readFileSync(path, "utf8");
    for (const [, name] of text.matchAll(/(?:from ?|import\()["'](\.[^"']+)["']/g)) {
      const other = join(dirname(path), name);
      if (existsSync(other)) visit(other);
    }
    order.push(path);
  };
  visit(join(page, entry));
  return order.map((path) => [relative(page, path), readFileSync(path, "utf8")]);
}

/** The modules of a worker as one script: workers of a page on a disk import nothing. */
function bundle(entry) {
  const names = (list) => list.split(",").map((name) => name.trim()).filter(Boolean).map((name) => name.split(/ as |: ?/));
  const wrapped = modules(entry).map(([path, text]) => {
    const other = (name) => `modules[${JSON.stringify(relative(page, join(page, dirname(path), name)))}]`;
    const exported = [];
    const code = text
      .replace(/^import \* as (\w+) from ["'](.+?)["'];$/gm, (_, name, from) => `const ${name} = ${other(from)};`)
      .replace(/^import \{([^}]+)\} from ["'](.+?)["'];$/gm, (_, list, from) => {
        return `const { ${names(list).map((pair) => pair.join(": ")).join(", ")} } = ${other(from)};`;
      })
      .replace(/^export \{([^}]+)\} from ["'](.+?)["'];$/gm, (_, list, from) => {
        for (const [name, as = name] of names(list)) exported.push(`${as}: ${other(from)}.${name}`);
        return "";
      })
      .replace(/^export \{([^}]+)\};?$/gm, (_, list) => {
        for (const [name, as = name] of names(list)) exported.push(`${as}: ${name}`);
        return "";
      })
      .replace(/^export (const \{([^}]+)\})/gm, (_, all, list) => {
        for (const [name, as = name] of names(list)) exported.push(as);
        return all;
      })
      .replace(/^export ((?:async )?(?:function\*?|class|const|let) (\w+))/gm, (_, all, name) => {
        exported.push(name);
        return all;
      })
      .replaceAll("import.meta.url", "location.href");
    return `modules[${JSON.stringify(path)}] = (() => {\n${code}\nreturn { ${exported.join(", ")} };\n})();\n`;
  });
  return `const modules = {};\n${wrapped.join("")}`;
}

const boot = `
const texts = JSON.parse(document.getElementById("modules").textContent);
const addresses = {};
const resolve = (from, name) => new URL(name, "http://x/" + from).pathname.slice(1);
for (const [path, text] of texts) {
  const linked = text.replace(/(from ?|import\\()["'](\\.[^"']+)["']/g, (all, before, name) => {
    const address = addresses[resolve(path, name)];
    return address ? before + '"' + address + '"' : all;
  });
  addresses[path] = URL.createObjectURL(new Blob([linked], { type: "text/javascript" }));
}
const packed = atob(document.getElementById("engine").textContent);
const bytes = Uint8Array.from(packed, (char) => char.charCodeAt(0));
const unpacked = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
globalThis.makeWorker = () => new Worker(addresses["worker.js"]);
unpacked.arrayBuffer().then((module) => {
  globalThis.engineModule = module;
  return import(addresses["main.js"]);
});
`;
const all = new Map([["worker.js", bundle("worker.js")], ...modules("main.js")]);
const inJson = JSON.stringify([...all]).replaceAll("<", "\\u003c");
const packed = gzipSync(engine, { level: 9 }).toString("base64");
const sha = createHash("sha256").update(boot).digest("base64");
const csp = `default-src 'none'; script-src 'sha256-${sha}' blob: 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src blob: data:; worker-src blob:; base-uri 'none'; form-action 'none'`;
const single = readFileSync(at("page/index.html"), "utf8")
  .replace(/content="default-src[^"]*"/, () => `content="${csp}"`)
  .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${readFileSync(at("page/style.css"), "utf8")}</style>`)
  .replace(/<script type="module"[^>]*><\/script>/, "")
  .replace(
    "</body>",
    () =>
      `<script type="application/json" id="modules">${inJson}</script>` +
      `<script type="application/octet-stream" id="engine">${packed}</script><script type="module">${boot}</script></body>`,
  );
writeFileSync(at("target/rezkit.html"), single);
console.log(`page: ${files.length + 1} files; one file: ${single.length} bytes`);
if (gzip > BUDGET) {
  console.error(`expected at most ${BUDGET} bytes for the engine compressed with gzip, found ${gzip}`);
  process.exit(1);
}
