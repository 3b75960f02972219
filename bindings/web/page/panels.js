// The panels of a file. `fits(entry)` returns whether a panel applies to a file. `build(entry, panel, page)` fills the
// element `panel`, and can return an object whose `dispose` frees its resources.

import { animationOptions } from "./animations.js";
import { choice, foreign, make, saved, stemOf, table, tick } from "./dom.js";
import { treePanel, viewPanel } from "./explore.js";
import { lines } from "./luau.js";
import { count, plain, say, size } from "./texts.js";

/** The maximum number of lines of a script and of rows of a table that are shown. */
const LINES = 20_000;
const ROWS = 2000;

const PROFILES = ["roblox-upload", "roblox-animation", "secondlife-upload"];
const hasGeometry = (entry) => entry.targets.some((target) => target.by_scene) || entry.info.format === "gltf";

function overview(entry, panel, page) {
  const shown = (value) => {
    if (typeof value === "number") return count(value);
    if (Array.isArray(value?.[0])) return value.map((point) => `(${point.join(", ")})`).join(" – ");
    return foreign(Array.isArray(value) ? value.join(", ") : value);
  };
  const rows = Object.entries(entry.info.facts).map(([name, value]) => [name, shown(value)]);
  panel.append(table(say("overview"), [say("name"), say("value")], rows));
  // Only on request, since this reads the whole file.
  const more = make("button", { type: "button", onclick: () => references(entry, page, more).catch(page.failed) }, say("references"));
  panel.append(make("div", { class: "bar" }, more));
}

/** Replaces the button with a list of the assets that the file refers to. */
async function references(entry, page, button) {
  const assets = Object.entries(await page.ask(entry, "assets"));
  const used = assets.slice(0, ROWS).map(([name, paths]) => {
    const more = paths.length > 1 ? ` (× ${count(paths.length)})` : "";
    return [foreign(name), make("span", {}, foreign(paths[0]), more)];
  });
  const found = table(say("references"), [say("references"), say("uses")], used);
  button.replaceWith(make("h3", {}, `${say("references")} (${count(assets.length)})`), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("references") }, found));
}

async function scripts(entry, panel, page) {
  const all = await page.ask(entry, "scripts");
  if (!all.length) return void panel.append(make("p", {}, say("noScripts")));
  const code = make("div", { class: "code", tabindex: "0", role: "region", "aria-label": say("scripts") });
  const show = (index) => {
    const { source } = all[index];
    const list = make("ol");
    let number = 0;
    for (const parts of lines(source)) {
      number += 1;
      if (number > LINES) break;
      list.append(make("li", {}, ...parts));
    }
    const more = source.split("\n").length - LINES;
    code.replaceChildren(list);
    if (more > 0) code.append(make("p", {}, say("cut", { count: count(more) })));
  };
  const chosen = choice(say("scriptList"), all.map(({ path }, index) => [String(index), plain(path)]), (value) =>
    show(Number(value)),
  );
  panel.append(make("div", { class: "bar" }, chosen.label), code);
  show(0);
}

function check(entry, panel, page) {
  const result = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("check") });
  let found = [];
  const show = () => {
    if (!found.length) return result.replaceChildren(make("p", {}, say("checkNone")));
    const rows = found.slice(0, ROWS).map(({ severity, rule, path, found: what, demands, count: times, limit }) => {
      const kind = make("span", { class: severity === "error" ? "bad" : "warn" }, severity);
      const more = times > 1 ? ` (× ${count(times)})` : "";
      const against = limit ? ` (${count(limit.found)} / ${count(limit.allowed)})` : "";
      return [kind, rule, foreign(path), foreign(`${what}${more}${against}`), demands];
    });
    const heads = ["severity", "rule", "path", "found", "demands"].map((key) => say(key));
    return result.replaceChildren(table(say("check"), heads, rows));
  };
  const run = async (profile) => {
    try {
      found = await page.ask(entry, "check", profile ? [profile] : []);
    } catch (error) {
      return page.failed(error);
    }
    return show();
  };
  const options = [["", say("format")], ...(hasGeometry(entry) ? PROFILES.map((name) => [name, name]) : [])];
  const profile = choice(say("profile"), options, run);
  const copy = make("button", { type: "button" }, say("copy"));
  copy.onclick = async () => {
    const line = ({ severity, rule, path, found: what, demands, count: times }) =>
      `${severity}[${rule}]${path ? ` in ${plain(path)}` : ""}: ${plain(what)}${times > 1 ? ` (and ${times - 1} more)` : ""}; rule: ${demands}`;
    const text = found.length ? found.map(line).join("\n") : say("checkNone");
    try {
      await navigator.clipboard.writeText(`${plain(entry.path)}\n${text}\n`);
      page.status(say("copied"));
    } catch (error) {
      page.failed(error);
    }
  };
  panel.append(make("div", { class: "bar" }, profile.label, copy), result);
  return void run("");
}

/** The losses of a conversion, and a button that downloads its files. */
function outcome(output, entry) {
  const list = make("div");
  const bytes = output.files.reduce((sum, file) => sum + file.bytes.length, 0);
  const name = output.files.length === 1 ? output.files[0].path : `${stemOf(entry.name)}.zip`;
  const save = make("button", { type: "button", class: "save" }, say("download", { name: plain(name), size: size(bytes) }));
  save.onclick = () => saved(output.files, stemOf(entry.name));
  const { losses } = output;
  list.append(make("h3", {}, losses.length ? say("losses", { count: count(losses.length) }) : say("noLosses")));
  if (losses.length) {
    const rows = losses.slice(0, ROWS).map(({ kind, path, what, count: times }) => [
      say(kind),
      foreign(path),
      foreign(times > 1 ? `${what} (× ${count(times)})` : what),
    ]);
    const shown = table(say("convert"), [say("kind"), say("path"), say("description")], rows);
    list.append(make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("losses", { count: "" }) }, shown));
  }
  list.append(output.files.length ? make("div", { class: "bar" }, save) : make("p", {}, say("nothingInIt")));
  return list;
}

function convert(entry, panel, page) {
  const names = new Map(entry.targets.map((target) => [target.name, target]));
  const label = ({ name, title }) => `${name} – ${title}`;
  const animation = animationOptions(entry, page);
  const show = (name) => animation.show(names.get(name));
  // The default is the unconverted file, since another encoding of its format can be ten times as large.
  const own = ["", say("asItIs", { name: plain(entry.name) })];
  const target = choice(say("target"), [own, ...[...names].map(([name, value]) => [name, label(value)])], show);
  const lossy = tick(say("allowLoss"));
  const fills = [["", say("fillNone")], ["neutral", say("fillNeutral")], ["defaults", say("fillDefaults")]];
  const fill = choice(say("fill"), fills);
  const result = make("div", { "aria-live": "polite" });
  const run = async (made) => {
    result.replaceChildren(make("p", {}, say("processing", { name: plain(entry.name) })));
    try {
      result.replaceChildren(outcome(await made(), entry));
    } catch (error) {
      result.replaceChildren(make("p", { class: "bad" }, plain(error.message)));
    }
  };
  const go = make("button", { type: "button" }, say("tryIt"));
  const unchanged = async () => ({ files: [{ path: entry.name, bytes: await page.ask(entry, "save") }], losses: [] });
  go.onclick = async () => {
    const wanted = names.get(target.select.value);
    if (!wanted) return run(unchanged);
    const { name, extension } = wanted;
    const file = `${stemOf(entry.name)}.${extension || entry.name.split(".").pop()}`;
    const options = await animation.options();
    const given = { name: file, allowLoss: lossy.box.checked, fill: fill.select.value || undefined, ...options };
    return run(() => page.ask(entry, "convert", name, given));
  };
  const extract = make("button", { type: "button", onclick: () => run(() => page.ask(entry, "extract")) }, say("extract"));
  if (names.size) {
    show(target.select.value);
    panel.append(make("div", { class: "bar" }, target.label, lossy.label, fill.label, go), animation.element);
  }
  panel.append(make("div", { class: "bar" }, extract), result);
}

function compare(entry, panel, page) {
  const others = page.entries.filter((other) => other !== entry && other.info);
  if (!others.length) return void panel.append(make("p", {}, say("noOther")));
  const result = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("compare") });
  const other = choice(say("other"), others.map((one) => [String(one.key), plain(one.path)]));
  const newer = tick(say("swap"));
  const shown = (value) => {
    if (value === null) return "";
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return foreign(text.length > 400 ? `${text.slice(0, 400)}…` : text);
  };
  const go = make("button", { type: "button" }, say("compare"));
  go.onclick = async () => {
    const chosen = page.entries.find(({ key }) => String(key) === other.select.value);
    try {
      if (!chosen.isOpen) await page.open(chosen);
      const pair = newer.box.checked ? [chosen, entry] : [entry, chosen];
      const { changes, count: all } = await page.ask(pair[0], "diff", pair[1].key, ROWS);
      const rows = changes.map(({ path, node, old, new: now, change }) => [
        change,
        foreign(node ? `${path} (${node})` : path),
        shown(old),
        shown(now),
      ]);
      const heads = ["change", "path", "before", "after"].map((key) => say(key));
      const title = make("h3", {}, all ? say("changes", { count: count(all) }) : say("same"));
      result.replaceChildren(title, ...(all ? [table(say("compare"), heads, rows)] : []));
    } catch (error) {
      page.failed(error);
    }
  };
  panel.append(make("div", { class: "bar" }, other.label, newer.label, go), result);
}

export const PANELS = [
  { name: "overview", fits: () => true, build: overview },
  { name: "tree", fits: () => true, build: treePanel },
  { name: "view", fits: hasGeometry, build: viewPanel },
  { name: "scripts", fits: (entry) => /^rbx(binary|xml)$/.test(entry.info.format), build: scripts },
  { name: "check", fits: () => true, build: check },
  { name: "convert", fits: () => true, build: convert },
  { name: "compare", fits: () => true, build: compare },
];

