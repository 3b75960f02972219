import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => new URL(path, import.meta.url).pathname;

/** The service worker: its version and the files that it keeps come from the build. */
function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    generateBundle(_, bundle) {
      const files = Object.keys(bundle).filter((name) => name !== "sw.js" && !name.endsWith(".map"));
      const version = createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 16);
      const entry = bundle["sw.js"];
      if (entry?.type !== "chunk") throw new Error("sw.js is missing");
      entry.code = entry.code.replace("__VERSION__", version).replace(/["'`]__FILES__["'`]/, JSON.stringify(["./", ...files]));
    },
  };
}

/** Compressed copies beside the files, for servers that send them. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((name) => /\.(js|css|wasm|html)$/.test(name))) {
        const bytes = readFileSync(`${dir}/${name}`);
        writeFileSync(`${dir}/${name}.br`, brotliCompressSync(bytes));
        writeFileSync(`${dir}/${name}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

process.env.VITE_VERSION = JSON.parse(readFileSync(here("package/package.json"), "utf8")).version;

export default defineConfig({
  root: here("page"),
  base: "./",
  publicDir: false,
  assetsInclude: ["**/*.rbxmx", "**/*.rbxlx", "**/*.slm"],
  resolve: {
    alias: {
      // The package as `cargo xtask web` builds it.
      rezkit: here("target/package/index.js"),
      react: "preact/compat",
      "react-dom": "preact/compat",
      "react/jsx-runtime": "preact/jsx-runtime",
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  server: { fs: { allow: [here("../..")] } },
  worker: { format: "es" },
  build: {
    outDir: here("target/page"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: { index: here("page/index.html"), sw: here("page/src/sw.ts") },
      output: { entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
  plugins: [offline(), compressed()],
});
