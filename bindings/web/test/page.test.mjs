// Tests the page in a browser: drop, tree, edit, save, convert, compare and 3D; no requests after loading;
// accessibility (axe).

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { browser, drop, serve, walk } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const shots = join(here, "../target/pictures");
mkdirSync(shots, { recursive: true });

const item = (cls, name, more = "", inner = "") =>
  `<Item class="${cls}"><Properties><string name="Name">${name}</string>${more}</Properties>${inner}</Item>`;
const EVIL = "&lt;img src=x onerror=window.attacked=1&gt;";
const script = `<ProtectedString name="Source"><![CDATA[-- <img src=x onerror=window.attacked=1>
local x = require(123456)
print("hello")
]]></ProtectedString>`;
const part =
  `<bool name="Anchored">true</bool>` +
  `<CoordinateFrame name="CFrame"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>` +
  `<Vector3 name="size"><X>4</X><Y>1</Y><Z>2</Z></Vector3>`;
const model = (anchored) =>
  `<roblox version="4">${item("Folder", "Box", "", item("Part", "Door", part.replace("true", anchored)))}` +
  `${item("Script", EVIL, script)}</roblox>`;

const driver = await browser();
const three = existsSync(join(here, "../target/page/three/three.module.js"));
const skip = driver ? false : "playwright-core or Chromium is not installed";
let server;
let page;
const errors = [];

before(async () => {
  if (!driver) return;
  server = await serve(join(here, "../target/page"));
  const context = await driver.newContext({ viewport: { width: 1280, height: 860 }, acceptDownloads: true, serviceWorkers: "block" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  page = await context.newPage();
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.setDefaultTimeout(60_000);
  await page.goto(server.address);
  await page.waitForSelector("body[data-ready]");
});

after(async () => {
  await driver?.close();
  server?.close();
});

const tab = async (name) => {
  await page.getByRole("tab", { name, exact: true }).click();
  await page.waitForSelector(`[role=tabpanel]`);
};
const shot = (name) => page.screenshot({ path: join(shots, `${name}.png`) });
const saved = async (click) => {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
};
/** Sets a property that the tree shows. */
async function setting(page, label, value) {
  const input = page.getByLabel(label, { exact: true });
  await input.fill(value);
  await input.press("Enter");
  const name = label.replace("Set ", "");
  await page.waitForFunction((wanted) => document.getElementById("status").textContent.endsWith(`${wanted} was set.`), name);
}
const axe = createRequire(import.meta.url).resolve;
async function accessible(what) {
  const source = readFileSync(axe("axe-core/axe.min.js"), "utf8");
  await page.evaluate(source);
  // Wait for animations, since colours in transition have another contrast.
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await Promise.all(document.getAnimations().map((animation) => animation.finished));
  });
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
  assert.deepEqual(found, [], what);
}

test("a model is dropped, edited and saved", { skip }, async () => {
  await shot("empty");
  await accessible("the empty page");
  await drop(page, [
    { name: "new.rbxmx", bytes: model("true") },
    { name: "old.rbxmx", bytes: model("false") },
  ]);
  await page.waitForSelector("#opened:not([hidden]) [role=tab]");
  await page.waitForFunction(() => document.querySelectorAll(".entry small").length >= 2);
  await tab("Tree");
  await page.waitForSelector(".tree .row bdi");
  await page.locator(".tree").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  const input = page.getByLabel("Set Anchored");
  assert.equal(await input.inputValue(), "true");
  await shot("tree");
  await accessible("the tree");
  await input.fill("false");
  await input.press("Enter");
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("Anchored"));
  const file = await saved(() => page.getByRole("button", { name: "Save the file" }).click());
  // Only the edited value is different.
  assert.equal(file.bytes.toString(), model("false"));
  assert.equal(file.name, "new.rbxmx");
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  // This change is not saved, and is kept while other files are shown.
  await setting(page, "Set Anchored", "true");
  await page.locator(".entry", { hasText: "new.rbxmx" }).locator(".changed").waitFor();
});

test("a part is found in 3D, and from there in the tree", { skip: skip || !three }, async () => {
  await page.getByRole("button", { name: "Show in 3D" }).click();
  await page.waitForSelector("canvas[data-marked='1']");
  await shot("marked");
  await accessible("a part that is marked");
  // The part is in the middle of the view.
  await page.locator("canvas.view").click();
  const picked = page.locator("p.bar[aria-live]");
  await page.waitForFunction(() => document.querySelector("p.bar[aria-live]").textContent.startsWith("Door (triangles: 12), at "));
  await page.locator("canvas.view").click();
  assert.match(await picked.innerText(), /0\.000 from the previous point/);
  const turn = await saved(() => page.getByRole("button", { name: "Save a turn" }).click());
  assert.equal(turn.name, "new.zip");
  // The end of the ZIP archive contains the number of its files.
  assert.equal(turn.bytes.readUInt16LE(turn.bytes.length - 12), 36);
  assert.ok(turn.bytes.subarray(0, 100).includes("new-00.png"));
  await picked.getByRole("button", { name: "Show in the tree" }).click();
  await page.waitForFunction(() => document.querySelector(".tree .row.current bdi")?.textContent === "Door");
  assert.equal(await page.locator(".tree .row").count(), 3);
});

test("scripts are shown", { skip }, async () => {
  await tab("Scripts");
  await page.waitForSelector(".code li");
  assert.match(await page.locator(".code li").first().innerText(), /require\(123456\)/);
  assert.equal(await page.locator("main img").count(), 0);
  await shot("scripts");
  await accessible("scripts");
});

test("two files are compared", { skip }, async () => {
  await page.getByRole("button", { name: /^old\.rbxmx/ }).click();
  await page.waitForFunction(() => document.getElementById("title").textContent === "old.rbxmx");
  await tab("Compare");
  await page.getByLabel("This file is the newer one").uncheck();
  await page.getByRole("tabpanel").getByRole("button", { name: "Compare" }).click();
  await page.waitForSelector("[role=tabpanel] table");
  const row = await page.locator("[role=tabpanel] tbody tr").first().innerText();
  assert.match(row, /changed\s+Box\/Door\.Anchored\s+false\s+true/);
  await shot("compare");
  await accessible("comparing");
});

test("a model is converted", { skip }, async () => {
  await tab("Convert");
  await page.getByLabel("Convert to").selectOption("glb");
  await page.getByRole("button", { name: "Convert", exact: true }).click();
  const file = await saved(() => page.getByRole("button", { name: /^Download/ }).click());
  assert.equal(file.bytes.subarray(0, 4).toString(), "glTF");
  assert.equal(file.bytes.readUInt32LE(8), file.bytes.length);
  await shot("convert");
  await accessible("converting");
});

test("meshes are shown", { skip }, async () => {
  const path = process.env.MESH ?? join(root, "fixtures/m3d/ascii-all.a3d");
  await drop(page, [{ name: path.split("/").pop(), bytes: readFileSync(path) }]);
  await page.waitForFunction(() => document.querySelectorAll("#entries li").length === 3);
  await page.locator("#entries li .entry").nth(2).click();
  await page.waitForFunction((name) => document.getElementById("title").textContent === name, path.split("/").pop());
  await tab("3D");
  await page.waitForSelector("canvas[data-triangles]");
  await page.waitForTimeout(500);
  assert.ok(Number(await page.locator("canvas[data-triangles]").getAttribute("data-triangles")) > 0);
  const colors = await page.evaluate(async () => {
    const canvas = document.querySelector("canvas.view");
    const bitmap = await createImageBitmap(canvas);
    const flat = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    flat.drawImage(bitmap, 0, 0);
    return new Set(new Uint32Array(flat.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
  });
  assert.ok(colors > 1, "something is drawn");
  await shot("view");
  await accessible("the view");
  await page.getByLabel("Display").selectOption("wireframe");
  await page.locator("canvas.view").focus();
  await page.keyboard.press("ArrowLeft");
  await shot("wireframe");
});

test("a check is copied", { skip }, async () => {
  await tab("Check");
  await page.getByLabel("Also check the upload requirements of").selectOption("secondlife-upload");
  await page.waitForSelector("[role=tabpanel] table, [role=tabpanel] .scroll p");
  await page.getByRole("button", { name: "Copy the list" }).click();
  await page.waitForFunction(() => document.getElementById("status").textContent === "Copied.");
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /rule|No rule/);
  await shot("check");
  await accessible("the check");
});

test("LLSD is pasted", { skip }, async () => {
  await page.getByRole("button", { name: "Paste LLSD" }).click();
  await page.getByLabel("XML, notation or JSON").fill("{'a':i1,'b':[r2.5,'text']}");
  await page.locator("dialog").getByRole("button", { name: "Open", exact: true }).click();
  await page.getByRole("button", { name: /^pasted\.llsd/ }).click();
  await page.waitForFunction(() => document.getElementById("title").textContent === "pasted.llsd");
  await tab("Tree");
  await page.waitForSelector(".tree .row bdi");
  assert.match(await page.locator(".tree").innerText(), /a\s*integer\s*= 1/);
});

test("a tree of 100,000 nodes scrolls", { skip }, async () => {
  const many = `<llsd><array>${"<integer>7</integer>".repeat(100_000)}</array></llsd>`;
  await drop(page, [{ name: "many.xml", bytes: many }]);
  await page.getByRole("button", { name: /^many\.xml/ }).click();
  await page.waitForFunction(() => document.getElementById("title").textContent === "many.xml");
  await page.waitForSelector(".tree .row bdi");
  await page.locator(".tree").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector(".tree .row.current bdi")?.textContent === "99999");
  assert.ok((await page.locator(".tree .row").count()) < 100);
});

test("broken files are reported", { skip }, async () => {
  await drop(page, [
    { name: "broken.mesh", bytes: Buffer.from("version 5.00\nabc") },
    { name: "empty.rbxl", bytes: Buffer.alloc(0) },
  ]);
  for (const name of ["broken.mesh", "empty.rbxl"]) {
    await page.locator("#entries li", { hasText: name }).locator(".bad").waitFor();
  }
  await shot("broken");
});

test("an animation is converted with its options", { skip }, async () => {
  await drop(page, [{ name: "walk.bvh", bytes: walk }]);
  await page.waitForFunction(() => document.getElementById("entries").innerText.includes("walk.bvh"));
  await page.locator("#entries li .entry").last().click();
  await page.waitForFunction(() => document.getElementById("title").textContent === "walk.bvh");
  await tab("Convert");
  const panel = page.getByRole("tabpanel");
  await panel.getByLabel("Convert to").selectOption("anim");
  assert.equal(await panel.getByLabel("Priority").isVisible(), false, "of Roblox only");
  await panel.getByLabel("Convert to").selectOption("rbxmx");
  const convert = async () => {
    await panel.getByRole("button", { name: "Convert", exact: true }).click();
    return (await saved(() => panel.getByRole("button", { name: /^Download/ }).click())).bytes.toString();
  };
  assert.match(await convert(), /class="KeyframeSequence"/);
  await panel.getByLabel("Priority").selectOption("Core");
  await panel.getByLabel("Loop").selectOption("off");
  await panel.getByLabel("Write CurveAnimations").check();
  await panel.getByLabel("Rig").selectOption("R6");
  await shot("animation");
  await accessible("options of animations");
  const made = await convert();
  assert.match(made, /class="CurveAnimation"/);
  assert.match(made, /<token name="Priority">1000<\/token>/);
  assert.match(made, /<bool name="Loop">false<\/bool>/);
  assert.match(made, />Left Arm</, "a part of R6");
});

test("the page is usable on a small screen", { skip }, async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await shot("small");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `${wide} pixels wide`);
  await page.emulateMedia({ colorScheme: "dark" });
  await accessible("dark");
  await shot("dark");
  await page.setViewportSize({ width: 3840, height: 2160 });
  await shot("large");
  await page.setViewportSize({ width: 1280, height: 860 });
});

test("nothing is asked of the network after loading, and nothing is refused", { skip }, async () => {
  const page = new Set(server.requests);
  assert.equal(server.requests.length, page.size, "each file once");
  assert.deepEqual([...page].filter((path) => /[?#]|sw\.js/.test(path)), []);
  assert.deepEqual(errors, []);
});

test("one file does it from the disk", { skip: skip || !existsSync(join(here, "../target/rezkit.html")) }, async () => {
  const context = await driver.newContext({ offline: true });
  const alone = await context.newPage();
  const wrong = [];
  alone.on("pageerror", (error) => wrong.push(String(error)));
  alone.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  alone.setDefaultTimeout(60_000);
  await alone.goto(pathToFileURL(join(here, "../target/rezkit.html")).href);
  await alone.waitForSelector("body[data-ready]");
  // A model is shown at once; a document shows more.
  const shown = "canvas[data-triangles], canvas[data-drawn]";
  await drop(alone, [{ name: "a.a3d", bytes: readFileSync(join(root, "fixtures/m3d/ascii-all.a3d")) }]);
  await alone.waitForSelector(shown);
  await drop(alone, [{ name: "a.rbxmx", bytes: model("true") }]);
  await alone.getByRole("button", { name: /^a\.rbxmx/ }).click();
  await alone.waitForSelector("#tab-overview[aria-selected=true]");
  await alone.getByRole("tab", { name: "3D", exact: true }).click();
  await alone.waitForSelector(shown);
  assert.deepEqual(wrong, []);
});

test("without a network, the page that was seen before opens", { skip }, async () => {
  const context = await driver.newContext();
  const first = await context.newPage();
  first.setDefaultTimeout(60_000);
  await first.goto(server.address);
  await first.waitForSelector("body[data-ready]");
  await first.evaluate(() => navigator.serviceWorker.ready);
  await first.waitForFunction(() => navigator.serviceWorker.controller);
  await context.setOffline(true);
  await first.reload();
  await first.waitForSelector("body[data-ready]");
});
