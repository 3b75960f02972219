// The page: the list of files, and the panels of the selected file.

import { foreign, make } from "./dom.js";
import { chosen, dropped } from "./dropped.js";
import { call, startEngine } from "./engine.js";
import { PANELS } from "./panels.js";
import { count, plain, say, size, TEXTS } from "./texts.js";

/** The maximum size of a file in bytes. WebAssembly can address only 4 GB, and a file needs a multiple of its size. */
const LARGEST = 600e6;
/** Larger files, in bytes, get no thumbnail in the list. */
const PICTURED = 4e6;

const $ = (id) => document.getElementById(id);
const entries = [];
let selected;
let keys = 0;

/** The functions of the page that the panels and other modules use. */
const page = {
  entries,
  status,
  failed,
  /** Calls the worker with a file. If the worker has closed the file, for example after a restart, opens it again. */
  async ask(entry, name, ...args) {
    await entry.opening;
    try {
      return await call(name, [entry.key, ...args]);
    } catch (error) {
      if (error.kind !== "closed") throw error;
      entry.isOpen = false;
      await open(entry);
      return call(name, [entry.key, ...args]);
    }
  },
  open,
  edit,
  undo,
  save,
  /** Opens another panel, and shows the node at `path` in it. */
  go(name, path) {
    wantedPath = path;
    document.getElementById(`tab-${name}`)?.click();
    document.getElementById(`panel-${name}`)?.focus();
  },
  /** Whether the selected file has this panel. */
  has: (name) => Boolean(document.getElementById(`tab-${name}`)),
  /** Returns and clears the path that `go` passed to the panel. */
  wanted() {
    const path = wantedPath;
    wantedPath = undefined;
    return path;
  },
};

let wantedPath;

function status(text) {
  $("status").textContent = text;
}

function failed(error) {
  console.warn(error);
  status(error.kind === "crash" ? say("crashed", { text: plain(error.message) }) : plain(error.message));
}

async function bytesOf(entry) {
  return new Uint8Array(await entry.file.arrayBuffer());
}

/** The files in the list that a file refers to, by name. */
async function beside(entry) {
  // Documents refer to assets by id. Without files that are named by ids, searching the document would be wasted time.
  const others = entries.filter((other) => other !== entry);
  const isDocument = /^rbx(binary|xml)$/.test(entry.info?.format ?? "");
  const hasIds = () => others.some(({ name }) => /^\d+(\.|$)/.test(name));
  if (!others.length || (isDocument && !hasIds())) return undefined;
  let wanted = [];
  try {
    const bytes = await bytesOf(entry);
    wanted = await call("needed", [bytes, entry.name], [bytes.buffer]);
  } catch {
    // Ignored here: opening the file reports the same error.
  }
  const folder = entry.path.includes("/") ? entry.path.slice(0, entry.path.lastIndexOf("/") + 1) : "";
  const files = new Map();
  for (const { kind, name } of wanted) {
    const fits = ({ path }) => {
      if (kind === "beside") return path === folder + name || path === name;
      if (kind === "local") return path.endsWith(name);
      const file = path.slice(path.lastIndexOf("/") + 1);
      return file === name || file.split(".")[0] === name;
    };
    const found = others.find(fits);
    if (found) files.set(name, await bytesOf(found));
  }
  return files.size ? files : undefined;
}

/** Opens a file in the worker, which keeps it open. */
function open(entry) {
  const run = async () => {
    const files = await beside(entry);
    // `scan` has already opened it.
    if (entry.isOpen && !files) return entry;
    const bytes = await bytesOf(entry);
    const known = Boolean(entry.info) && !files;
    Object.assign(entry, await call("open", [entry.key, bytes, entry.name, files, known], [bytes.buffer]));
    // Repeats the changes that were made before the worker closed the file.
    for (const { path, value } of entry.edits) await call("set", [entry.key, path, value]);
    entry.isOpen = true;
    return entry;
  };
  // Other calls with this file wait until it is open.
  const promise = run();
  entry.opening = promise.catch(() => {});
  return promise;
}

/** Sets a value, and returns what else changed. The change is recorded until it is saved or undone, since the worker may
 * close the file before. */
async function edit(entry, path, value) {
  const losses = await page.ask(entry, "set", path, value);
  entry.edits.push({ path, value });
  list(entry);
  return losses;
}

/** Undoes the last change and returns it. To do this, opens the file again and repeats the earlier changes. */
async function undo(entry) {
  const undone = entry.edits.pop();
  if (entry.isOpen) await call("close", [entry.key]);
  entry.isOpen = false;
  await open(entry);
  list(entry);
  return undone;
}

/** Returns the bytes of a file with its changes. They replace the content of the entry. */
async function save(entry) {
  const bytes = await page.ask(entry, "save");
  entry.file = new Blob([bytes]);
  entry.size = entry.file.size;
  entry.edits = [];
  list(entry);
  return bytes;
}

addEventListener("beforeunload", (event) => {
  if (entries.some(({ edits }) => edits.length)) event.preventDefault();
});

async function add(found) {
  const added = [];
  for (const { file, path } of found) {
    keys += 1;
    const entry = { key: keys, file, path, name: path.slice(path.lastIndexOf("/") + 1), size: file.size, edits: [] };
    entries.push(entry);
    added.push(entry);
    list(entry);
  }
  for (const entry of added) await scan(entry);
  status(say("done", { count: count(entries.length) }));
  if (!selected) {
    const first = added.find((entry) => entry.info);
    if (first) await select(first);
  }
  await thumbnails();
}

/** Renders thumbnails for the list. Starts after a delay, so that the selected file is shown first. */
async function thumbnails() {
  await new Promise((resolve) => setTimeout(resolve, 500));
  for (const entry of entries.filter(({ info, isPictured }) => info && !isPictured)) {
    entry.isPictured = true;
    if (entry.size > PICTURED) continue;
    const bytes = await bytesOf(entry);
    entry.thumbnail = await call("thumbnail", [bytes, entry.name], [bytes.buffer]).catch(() => undefined);
    if (entry.thumbnail && entry.item?.isConnected) list(entry);
  }
}

/** Files that are shown as a tree first. Most other files are models, which are shown in 3D. */
const DOCUMENT = /\.(rbx[lm]x?|xml|llsd|json|zip)$/i;

async function scan(entry) {
  // Loads the 3D view while the worker reads the file.
  if (!DOCUMENT.test(entry.path)) import("./view.js").catch(() => {});
  if (entry.size > LARGEST) {
    entry.error = say("tooLarge", { size: size(entry.size), limit: size(LARGEST) });
    return list(entry);
  }
  status(say("reading", { name: plain(entry.name) }));
  try {
    const bytes = await bytesOf(entry);
    const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3;
    if (isZip) return await archive(entry, bytes);
    await scanned(entry, bytes);
  } catch (error) {
    entry.error = plain(error.message);
  }
  return list(entry);
}

/** Detects and checks a file. The first readable file stays open, since it is shown next. */
async function scanned(entry, bytes) {
  const key = selected || entries.some(({ isOpen }) => isOpen) ? undefined : entry.key;
  Object.assign(entry, await call("scan", [bytes, entry.name, key], [bytes.buffer]));
  entry.isOpen = key !== undefined;
  if (entry.isOpen && !entries.includes(entry)) await call("close", [entry.key]);
}

/** Replaces an archive in the list with the files that it contains. */
async function archive(entry, bytes) {
  const parts = await call("unpack", [bytes], [bytes.buffer]);
  remove(entry);
  for (const part of parts) {
    keys += 1;
    const path = `${entry.path}/${part.name}`;
    const name = part.name.slice(part.name.lastIndexOf("/") + 1) || entry.name;
    const inner = { key: keys, file: new Blob([part.bytes]), path, name, size: part.bytes.length, edits: [] };
    entries.push(inner);
    list(inner);
    try {
      await scanned(inner, part.bytes);
    } catch (error) {
      inner.error = plain(error.message);
    }
    list(inner);
  }
  if (!selected) {
    const first = entries.find((other) => other.info);
    if (first) await select(first);
  }
}

/** Adds a file to the list, or updates its item. */
function list(entry) {
  const about = [size(entry.size)];
  if (entry.info) about.push(`${entry.info.title} ${entry.info.version}`.trim());
  const text = make("span", {}, foreign(entry.path), make("small", {}, about.join(" · ")));
  const bad = entry.findings?.filter((finding) => finding.severity === "error").length;
  if (entry.edits.length) text.append(make("small", { class: "changed" }, say("changed", { count: count(entry.edits.length) })));
  if (entry.error) text.append(make("small", { class: "bad" }, entry.error));
  else if (bad) text.append(make("small", { class: "bad" }, say("errors", { count: bad })));
  else if (entry.findings?.length) {
    text.append(make("small", { class: "warn" }, say("findings", { count: entry.findings.length })));
  }
  const button = make("button", { type: "button", class: "entry", onclick: () => select(entry) });
  if (entry.thumbnail) {
    const { width, height, data } = entry.thumbnail;
    const canvas = make("canvas", { width, height, "aria-hidden": "true" });
    canvas.getContext("2d").putImageData(new ImageData(data, width, height), 0, 0);
    button.append(canvas);
  }
  button.append(text);
  if (entry === selected) button.setAttribute("aria-current", "true");
  const close = make(
    "button",
    { type: "button", "aria-label": say("close", { name: plain(entry.name) }), onclick: () => dismiss(entry) },
    "×",
  );
  const item = make("li", {}, button, close);
  if (entry.item) entry.item.replaceWith(item);
  else $("entries").append(item);
  entry.item = item;
  $("drop").hidden = entries.length > 0;
}

/** Removes a file from the list. If it has unsaved changes, asks the user first. */
function dismiss(entry) {
  if (!entry.edits.length || confirm(say("closeChanged", { name: plain(entry.name) }))) remove(entry);
}

function remove(entry) {
  entries.splice(entries.indexOf(entry), 1);
  entry.item?.remove();
  if (entry.isOpen) call("close", [entry.key]).catch(failed);
  $("drop").hidden = entries.length > 0;
  if (entry === selected) {
    selected = undefined;
    $("opened").hidden = true;
    $("empty").hidden = false;
    $("list-title").focus?.();
  }
}

let shown;

async function select(entry) {
  const before = selected;
  selected = entry;
  before?.item?.firstChild.removeAttribute("aria-current");
  entry.item?.firstChild.setAttribute("aria-current", "true");
  shown?.dispose?.();
  shown = undefined;
  // To save memory, only the selected file stays open. "Compare" opens a second one.
  for (const other of entries) {
    if (other !== entry && other.isOpen) {
      other.isOpen = false;
      call("close", [other.key]).catch(failed);
    }
  }
  $("empty").hidden = true;
  $("opened").hidden = false;
  $("title").replaceChildren(foreign(entry.path));
  $("panels").replaceChildren();
  $("tabs").replaceChildren();
  $("summary").replaceChildren(say("reading", { name: plain(entry.name) }));
  try {
    await open(entry);
  } catch (error) {
    $("summary").replaceChildren(make("span", { class: "bad" }, plain(error.message)));
    return failed(error);
  }
  if (selected !== entry) return;
  const { info } = entry;
  $("summary").textContent = `${info.title} ${info.version} · ${say("bytes", { count: count(info.bytes) })}`;
  status(TEXTS.ready);
  tabs(entry);
}

/** Creates the tabs of the panels that apply to a file. */
function tabs(entry) {
  const wanted = PANELS.filter((panel) => panel.fits(entry));
  const buttons = wanted.map((panel, index) =>
    make(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${panel.name}`,
        "aria-controls": `panel-${panel.name}`,
        onclick: () => choose(index),
        onkeydown: (event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (!step) return;
          const next = (index + step + wanted.length) % wanted.length;
          choose(next);
          buttons[next].focus();
        },
      },
      say(panel.name),
    ),
  );
  $("tabs").replaceChildren(...buttons);
  const show = async (index) => {
    const { name, build } = wanted[index];
    buttons.forEach((button, other) => {
      button.setAttribute("aria-selected", String(other === index));
      button.tabIndex = other === index ? 0 : -1;
    });
    shown?.dispose?.();
    const panel = make("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: "0" });
    $("panels").replaceChildren(panel);
    try {
      const mine = await build(entry, panel, page);
      if (panel.isConnected) shown = mine;
      else mine?.dispose?.();
    } catch (error) {
      panel.append(make("p", { class: "bad" }, plain(error.message)));
      failed(error);
    }
  };
  const choose = (index) => {
    preferred = wanted[index].name;
    return show(index);
  };
  const isModel = !("instances" in entry.info.facts);
  const first = wanted.findIndex((panel) => panel.name === (preferred ?? (isModel ? "view" : "overview")));
  return show(Math.max(first, 0));
}

/** The panel that the user chose last. */
let preferred;

function wire() {
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = say(element.dataset.text);
  $("choose").onclick = () => $("files").click();
  $("folder").onclick = () => $("folders").click();
  for (const id of ["files", "folders"]) {
    $(id).onchange = async ({ target }) => {
      const found = chosen(target);
      target.value = "";
      await add(found).catch(failed);
    };
  }
  $("paste").onclick = () => $("pasting").showModal();
  $("pasting").onclose = () => {
    const text = $("pasted").value;
    if ($("pasting").returnValue !== "open" || !text) return;
    const start = text.trimStart();
    const isJson = (start[0] === "{" || start[0] === "[") && isParsed(start);
    const ending = isJson ? "json" : start[0] === "<" ? "xml" : "llsd";
    // Notation cannot be detected without a header.
    const header = ending === "llsd" && !start.startsWith("<?") ? "<?llsd/notation?>\n" : "";
    const name = `${say("pastedName")}.${ending}`;
    add([{ file: new Blob([header, text]), path: name }]).catch(failed);
  };
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  addEventListener("dragleave", () => document.body.classList.remove("dragging"));
  addEventListener("drop", async (event) => {
    event.preventDefault();
    document.body.classList.remove("dragging");
    try {
      await add(await dropped(event.dataTransfer));
    } catch (error) {
      failed(error);
    }
  });
}

function isParsed(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function main() {
  wire();
  status(TEXTS.loading);
  await startEngine(globalThis.engineModule);
  status(TEXTS.ready);
  document.body.dataset.ready = "true";
  if ("serviceWorker" in navigator && location.protocol.startsWith("http")) {
    // Optional: without the service worker, the page only needs the network the next time.
    navigator.serviceWorker.register("sw.js").catch(() => {});
  }
}

main().catch(failed);

