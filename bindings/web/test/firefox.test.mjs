// The walk of page.test.mjs in short, in Firefox: open, select, set, insert, move, undo, copy, save, merge, play, reload.
// A display is needed for WebGL, such as that of `xvfb-run`.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { drop, item, part, serve, walk } from "./browser.mjs";

const built = join(dirname(fileURLToPath(import.meta.url)), "../target/page");
const executablePath = ["firefox", "firefox-esr"].map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));
const puppeteer = await import("puppeteer-core").then((found) => found.default, () => undefined);
const skip = puppeteer && executablePath && process.env.DISPLAY && existsSync(join(built, "index.html"))
  ? false
  : "the page is not built, or puppeteer-core, Firefox or a display is missing";
const model = `<roblox version="4">${item("Model", "House", "", item("Part", "Door", part) + item("Part", "Wall", part))}${item("Folder", "Box")}</roblox>`;
const downloads = mkdtempSync(join(tmpdir(), "rezkit-firefox-"));
const errors = [];
let server;
let driver;
let page;

before(async () => {
  if (skip) return;
  server = await serve(built);
  const extraPrefsFirefox = {
    "browser.download.dir": downloads,
    "browser.download.folderList": 2,
    "browser.helperApps.neverAsk.saveToDisk": "application/octet-stream,application/xml,text/xml,text/plain",
    "webgl.force-enabled": true,
  };
  const args = ["--width=1280", "--height=900"];
  driver = await puppeteer.launch({ browser: "firefox", executablePath, headless: false, defaultViewport: null, args, extraPrefsFirefox });
  page = await driver.newPage();
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(server.address);
  await page.waitForSelector("body[data-ready]");
});

after(async () => {
  await driver?.close();
  server?.close();
});

/** Waits for a truthy value of a function in the page, and returns a handle of it. The page forbids puppeteer's own way. */
async function until(wanted, ...given) {
  for (let wait = 0; wait < 600; wait += 1) {
    const found = await page.evaluateHandle(wanted, ...given);
    if (await found.evaluate((one) => Boolean(one))) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${wanted} of ${given}`);
}
const named = (name) => until((wanted) => [...document.querySelectorAll(".tree .row")].find((row) => row.querySelector("bdi")?.textContent === wanted), name);
const said = (text) => until((wanted) => document.querySelector(".status p").textContent.startsWith(wanted), text);
const field = (label) => page.waitForSelector(`.right ::-p-aria([name="${label}"])`);
const press = async (label) => (await page.waitForSelector(`::-p-aria([name="${label}"])`)).click();
async function choose(name) {
  await (await named(name)).click();
  await until((wanted) => document.querySelector(".heading")?.textContent.includes(`“${wanted}”`), name);
}
async function keys(...all) {
  for (const key of all.slice(0, -1)) await page.keyboard.down(key);
  await page.keyboard.press(all.at(-1));
  for (const key of all.slice(0, -1).reverse()) await page.keyboard.up(key);
}
async function put(label, value) {
  const found = await field(label);
  await found.click({ count: 3 });
  await keys("Control", "a");
  await page.keyboard.type(value);
  await page.keyboard.press("Enter");
}
async function saved(name) {
  await keys("Control", "s");
  for (let wait = 0; wait < 200; wait += 1) {
    const found = readdirSync(downloads).find((file) => file === name);
    const text = found ? readFileSync(join(downloads, found), "utf8") : "";
    if (text.endsWith("</roblox>")) return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} was not saved: ${readdirSync(downloads)}`);
}

test("a part is selected, and six types are set", { skip }, async () => {
  await drop(page, [{ name: "new.rbxmx", bytes: model }, { name: "other.rbxmx", bytes: `<roblox version="4">${item("Part", "Other", part)}</roblox>` }]);
  await named("House");
  await page.focus(".tree");
  await keys("Home");
  await keys("ArrowRight");
  await choose("Door");
  await page.waitForSelector("canvas[data-triangles='24'][data-marked='1']");
  await (await field("Anchored")).click();
  await said("Set Anchored");
  await put("Size Y", "7");
  await said("Set Size");
  await (await field("Material")).select("Grass");
  await said("Set Material");
  await put("Color, red, green, blue", "1, 2, 3");
  await said("Set Color");
  await put("CFrame orientation Y", "90");
  await said("Set CFrame");
  await put("Transparency", "0.5");
  await said("Set Transparency");
  const text = await saved("new.rbxmx");
  for (const wanted of ['"Anchored">false<', "<Y>7</Y>", '"Material">1280<', '"Color3uint8">4278256131<', "<R02>1</R02>", '"Transparency">0.5<']) {
    assert.ok(text.includes(wanted), wanted);
  }
});

test("instances are inserted, moved, undone and copied into another file", { skip }, async () => {
  await (await named("Box")).click();
  await keys("Control", "i");
  await page.waitForSelector("dialog input");
  await page.keyboard.type("PointLight");
  await page.keyboard.press("Enter");
  await named("PointLight");
  await choose("Door");
  await keys("Control", "x");
  await (await named("Box")).click();
  await keys("Control", "v");
  await until(() => [...document.querySelectorAll(".tree bdi")].map((one) => one.textContent).join() === "House,Wall,Box,PointLight,Door");
  for (let step = 0; step < 3; step += 1) await keys("Control", "z");
  await until(() => ![...document.querySelectorAll(".tree bdi")].some((one) => one.textContent === "PointLight"));
  await choose("Wall");
  await keys("Control", "c");
  await said("Copied Wall");
  await press("other.rbxmx");
  await (await named("Other")).click();
  await keys("Control", "v");
  await named("Wall");
});

test("two files are merged, an animation plays, and a reload restores files and edits", { skip }, async () => {
  await drop(page, [{ name: "mine.rbxmx", bytes: model }, { name: "theirs.rbxmx", bytes: model.replace(">Wall<", ">Fence<") }, { name: "base.rbxmx", bytes: model }]);
  await named("House");
  await (await until(() => [...document.querySelectorAll(".status button")].find((one) => /Differences|edit/.test(one.textContent)))).click();
  const choice = async (label, text) => {
    const list = await page.waitForSelector(`::-p-aria([name="${label}"])`);
    await list.select(await list.evaluate((one, wanted) => [...one.options].find((option) => option.label === wanted).value, text));
  };
  await choice("Compare with", "theirs.rbxmx");
  await choice("Both come from", "base.rbxmx");
  await press("Merge");
  await said("Merged theirs.rbxmx");
  assert.ok((await saved("mine.rbxmx")).includes(">Fence<"));
  await drop(page, [{ name: "walk.bvh", bytes: walk }]);
  const clock = await page.waitForSelector(".timeline output");
  const first = await clock.evaluate((one) => one.textContent);
  await until((before) => document.querySelector(".timeline output").textContent !== before, first);
  const tabs = await page.$$eval(".tab", (all) => all.length);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await until((count) => document.querySelectorAll(".tab").length === count, tabs);
  await (await until(() => [...document.querySelectorAll(".tab")].find((tab) => tab.textContent.includes("other.rbxmx"))?.querySelector("button"))).click();
  await named("Wall");
  assert.deepEqual(errors, []);
});
