// That no work is lost: files that change on the disk, instances of one name, more found than listed, and reloads.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser, drop, item, part, said as saidIn, serve } from "./browser.mjs";

const built = join(dirname(fileURLToPath(import.meta.url)), "../target/page");
mkdirSync(join(built, "../pictures"), { recursive: true });
const driver = await browser();
const skip = driver && existsSync(join(built, "index.html")) ? false : "the page is not built, or playwright-core or a browser is not installed";
const axe = () => readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const wrap = (...all) => `<roblox version="4">${all.join("")}</roblox>`;
const errors = [];
let server;
let context;
let page;
/** What the next dialog is answered. */
let answer = true;
const asked = [];

before(async () => {
  if (skip) return;
  server = await serve(built);
  context = await driver.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, serviceWorkers: "block" });
  page = await context.newPage();
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    (answer ? dialog.accept() : dialog.dismiss()).catch(() => {});
  });
  page.setDefaultTimeout(Number(process.env.TIMEOUT ?? 60_000));
  await ready();
});

after(async () => {
  await driver?.close();
  server?.close();
});

async function ready() {
  await page.goto(server.address);
  await page.waitForSelector("body[data-ready]");
}
const row = (name) => page.locator(".tree .row", { has: page.locator(`bdi:text-is("${name}")`) });
const field = (label) => page.locator(".right").getByLabel(label, { exact: true });
async function choose(name) {
  await row(name).click();
  await page.locator(".heading", { hasText: `“${name}”` }).waitFor();
}
async function put(label, value) {
  await field(label).fill(value);
  await field(label).press("Enter");
}
const said = (text) => saidIn(page, text);
async function downloaded() {
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
  return readFileSync(await download.path(), "utf8");
}
/** Shows the first children: the tree has the focus, and its first line is open. */
async function openFirst() {
  await page.locator(".tree").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
}

test("a file is saved in place, undone, saved and reloaded, whatever other programs write", { skip }, async () => {
  const house = wrap(item("Model", "House", "", item("Part", "Wall", part)));
  // A file of the browser's own file system, which has the same handles as those on the disk.
  const write = (text) =>
    page.evaluate(async (text) => {
      const handle = await (await navigator.storage.getDirectory()).getFileHandle("house.rbxmx", { create: true });
      const writable = await handle.createWritable();
      await writable.write(text);
      await writable.close();
      globalThis.showOpenFilePicker = async () => [handle];
    }, text);
  const onDisk = () => page.evaluate(async () => (await (await (await navigator.storage.getDirectory()).getFileHandle("house.rbxmx")).getFile()).text());
  await write(house);
  await page.keyboard.press("Control+o");
  await openFirst();
  await choose("Wall");
  await put("Transparency", "0.5");
  await said("Set Transparency");
  await page.keyboard.press("Control+s");
  await said("Saved house.rbxmx");
  assert.match(await onDisk(), /"Transparency">0\.5</);
  await page.keyboard.press("Control+z");
  await said("Undone");
  await choose("House");
  await choose("Wall");
  await page.keyboard.press("Control+s");
  await said("Saved house.rbxmx");
  assert.equal(await onDisk(), house);
  // Another program writes the file. The page still has its own version, and asks before it replaces the other one.
  await put("Transparency", "0.25");
  await said("Set Transparency");
  const theirs = house.replace("Wall", "Wand");
  await write(theirs);
  answer = false;
  await page.keyboard.press("Control+s");
  await said("house.rbxmx is not saved");
  assert.match(asked.at(-1), /another program/);
  assert.equal(await onDisk(), theirs);
  answer = true;
  await page.waitForTimeout(300);
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await openFirst();
  await choose("Wall");
  assert.equal(await field("Transparency").inputValue(), "0.25");
  const before = asked.length;
  await page.keyboard.press("Control+s");
  await said("Saved house.rbxmx");
  assert.equal(asked.length, before + 1, "the file and its version are known after the reload");
  assert.match(await onDisk(), /"Transparency">0\.25</);
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.querySelector(".right input[aria-label=Transparency]")?.value === "0");
});

test("what is seen is what is saved, and what is set is one edit, although answers come late", { skip }, async () => {
  const source = (name, text) => item("Script", name, `<ProtectedString name="Source">${text}</ProtectedString>`);
  const late = wrap(item("Part", "Wall", part), item("StringValue", "Lines", '<string name="Value">x&#10;y</string>'), source("Door", "one&#10;"), source("Ends", "a&#13;&#10;b&#13;&#10;"));
  await drop(page, [{ name: "late.rbxmx", bytes: late }]);
  await choose("Wall");
  await page.evaluate(() => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...more) {
      if (message.call === "properties") setTimeout(() => postMessage.call(this, message, ...more), 300);
      else postMessage.call(this, message, ...more);
    };
    globalThis.onTime = () => void (Worker.prototype.postMessage = postMessage);
  });
  // Saving takes the focus from the field before the page has read what it set.
  await put("Transparency", "0.5");
  await said("Set Transparency");
  assert.match(await downloaded(), /"Transparency">0\.5</);
  await page.keyboard.press("Control+z");
  await said("Undone: Set Transparency");
  assert.equal(await downloaded(), late);
  await page.waitForFunction(() => document.querySelector(".right input[aria-label=Transparency]").value === "0");
  // Undone before it was read, the field shows what the file has.
  await put("Transparency", "0.5");
  await said("Set Transparency");
  await page.keyboard.press("Control+z");
  await said("Undone: Set Transparency");
  await page.waitForFunction(() => document.querySelector(".right input[aria-label=Transparency]").value === "0");
  // A number of a vector leaves those that were set just before.
  for (const [label, value] of [["Size X", "7"], ["Size Y", "8"]]) await put(label, value);
  await page.locator(".status", { hasText: "2 edits" }).waitFor();
  assert.match(await downloaded(), /<Vector3 name="size"><X>7<\/X><Y>8<\/Y><Z>2<\/Z>/);
  for (let undone = 0; undone < 2; undone += 1) await page.keyboard.press("Control+z");
  await choose("Lines");
  await field("Value").fill("x\nz");
  await page.locator(".tree").focus();
  await said("Set Value");
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.querySelector(".right textarea").value === "x\ny");
  await page.evaluate(() => globalThis.onTime());
  // What was typed last is undone in the editor, too.
  const code = page.locator(".cm-content");
  await choose("Door");
  await code.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("two");
  await page.keyboard.press("Control+z");
  await said("Undone: Edited Door");
  await page.waitForFunction(() => document.querySelector(".cm-content").innerText.trim() === "one");
  // An editor that gains and loses the focus changes nothing; one line leaves the ends of the others.
  await choose("Ends");
  await code.click();
  await page.locator(".tree").focus();
  assert.equal(await downloaded(), late);
  await code.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("c");
  assert.match(await downloaded(), /a&#13;\nb&#13;\nc</);
});

test("a renamed instance stays selected among others of its name, and a removed one selects no other", { skip }, async () => {
  const value = (name, text) => item("StringValue", name, `<string name="Value">${text}</string>`);
  await drop(page, [{ name: "rename.rbxmx", bytes: wrap(value("Old", "v1"), value("Door", "v2"), value("Door", "v3")) }]);
  await choose("Old");
  await page.keyboard.press("F2");
  await page.getByLabel("New name").fill("Door");
  await page.getByLabel("New name").press("Enter");
  await said("Renamed Old to Door");
  await page.waitForFunction(() => document.querySelector(".right input[aria-label=Value]")?.value === "v1");
  await page.locator(".tree").focus();
  await page.keyboard.press("Delete");
  await said("Removed Door");
  assert.deepEqual([...(await downloaded()).matchAll(/"Value">(\w+)</g)].map(([, text]) => text), ["v2", "v3"]);
  await page.locator(".tree").focus();
  await page.keyboard.press("Delete");
  await page.keyboard.press("Control+z");
  await said("Undone: Removed Door");
  await page.keyboard.press("Control+z");
  await said("Undone: Renamed Old to Door");
  await row("Old").waitFor();
});

test("all that is found is selected and set, and what is found does not contradict what is selected", { skip }, async () => {
  const many = Array.from({ length: 2500 }, (_, at) => item("Part", `p${at % 3}`, part.replace("<X>0<", `<X>${(at % 50) * 6}<`).replace("<Z>0<", `<Z>${at - (at % 50)}<`)));
  await drop(page, [{ name: "many.rbxmx", bytes: wrap(item("Model", "Group", "", many.join(""))) }]);
  await row("Group").waitFor();
  const search = page.getByLabel("Search", { exact: true });
  for (const [text, found] of [["Part[Anchored=true]", "2,500 found"], ["part", "more than 2,000 found"]]) {
    await search.fill(text);
    await page.locator(".results", { hasText: found }).waitFor();
    await page.getByRole("button", { name: "Select all" }).click();
    await page.locator(".heading", { hasText: "and 2,499 more" }).waitFor();
  }
  await search.fill("Part[Transparency=0]");
  await page.locator(".results", { hasText: "2,500 found" }).waitFor();
  await page.getByRole("button", { name: "Select all" }).click();
  await put("Transparency", "0.5");
  await said("Set Transparency of 2,500 instances");
  await page.locator(".results", { hasText: "2,500 found before the edit" }).waitFor();
  assert.equal((await downloaded()).match(/"Transparency">0\.5</g).length, 2500);
  await page.getByRole("button", { name: "Search again" }).click();
  await page.locator(".results", { hasText: /^0 found/ }).waitFor();
  await search.fill("Prat");
  await page.locator(".results", { hasText: "did you mean Part?" }).waitFor();
  await search.fill("Part[Colr = 3]");
  await page.locator(".results", { hasText: "did you mean Color?" }).waitFor();
  await page.getByRole("button", { name: "Clear the search" }).click();
});

test("the arrow keys begin at the first line of a tree that is longer than what is loaded", { skip }, async () => {
  const keys = Array.from({ length: 300 }, (_, at) => `<key>k${at}</key><integer>${at}</integer>`);
  await drop(page, [{ name: "300-keys.xml", bytes: `<llsd><map>${keys.join("")}</map></llsd>` }]);
  await row("k0").waitFor();
  await page.locator(".tree").focus();
  await page.keyboard.press("ArrowDown");
  await page.locator(".tree .row.selected", { has: page.locator('bdi:text-is("k0")') }).waitFor();
  await page.keyboard.press("End");
  await page.locator(".tree .row.selected", { has: page.locator('bdi:text-is("k299")') }).waitFor();
  await page.locator(".tree").evaluate((tree) => tree.scrollTo(0, 0));
  await row("k0").waitFor();
  await page.evaluate(axe());
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), []);
});

test("scripts are searched by line, and replaced after a preview as one edit", { skip }, async () => {
  const script = (name, source) => item("Script", name, `<ProtectedString name="Source"><![CDATA[${source}]]></ProtectedString>`);
  const sources = ["local part = script.Parent\r\npart.Touched:connect(print)\r\n", "-- nothing\n", "wait(1) wait(2)\nreturn\n"];
  const scripts = sources.map((source, at) => script(`S${at}`, source));
  await drop(page, [{ name: "scripts.rbxmx", bytes: wrap(item("Folder", "Code", "", scripts.join(""))) }]);
  await row("Code").waitFor();
  await page.keyboard.press("Control+Shift+F");
  const find = page.getByLabel("Find in scripts", { exact: true }).and(page.locator("input"));
  await find.fill("WAIT");
  const status = page.locator(".drawer [role=status]");
  await status.filter({ hasText: "2 in 1 script, of 3" }).waitFor();
  assert.deepEqual(await page.locator(".drawer mark").allInnerTexts(), ["wait", "wait"]);
  await page.getByLabel("Match case").check();
  await status.filter({ hasText: "0 in 0 scripts, of 3" }).waitFor();
  await page.getByLabel("Regular expression").check();
  await find.fill("wait\\((\\d)\\)|:connect");
  await status.filter({ hasText: "3 in 2 scripts" }).waitFor();
  await page.getByLabel("Replace with").fill("task.wait($1)");
  await page.locator(".after", { hasText: "task.wait(1) task.wait(2)" }).waitFor();
  await page.evaluate(axe());
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), []);
  await find.fill("wait\\((\\d)\\)");
  await page.getByRole("button", { name: "Replace 2 in 1 script" }).click();
  await said("Replaced wait");
  const saved = await downloaded();
  // Line ends and other scripts stay.
  assert.ok(saved.includes("task.wait(1) task.wait(2)\nreturn\n") && saved.includes(sources[0]) && saved.includes(sources[1]));
  await find.fill("return");
  await page.locator(".drawer .lines button", { hasText: "2" }).click();
  await page.waitForFunction(() => document.querySelector(".cm-activeLine")?.textContent === "return");
  await find.fill("(");
  await page.locator(".drawer [role=alert]", { hasText: /regular expression/i }).waitFor();
  await find.fill("x*");
  await page.locator(".drawer [role=alert]", { hasText: "matches the empty text" }).waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await page.keyboard.press("Control+z");
  await said("Undone: Replaced wait");
});

test("handles move what is selected in whole steps, and only what changes is drawn again", { skip }, async () => {
  const at = (x) => part.replace("<X>0</X>", `<X>${x}</X>`);
  await drop(page, [{ name: "handles.rbxmx", bytes: wrap(item("Model", "Pair", "", item("Part", "Left", at(0)) + item("Part", "Right", at(8)))) }]);
  await page.waitForSelector("canvas[data-triangles='24']");
  await openFirst();
  await choose("Right");
  await page.getByRole("button", { name: "Move", exact: true }).click();
  await page.waitForSelector("canvas[data-handles=move]");
  /** The middle of what is red: the arrow along x. */
  const red = async () => {
    const picture = await page.screenshot({ path: join(built, "../pictures/handles.png") });
    return page.evaluate(async (text) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))]));
      const flat = new OffscreenCanvas(image.width, image.height).getContext("2d");
      flat.drawImage(image, 0, 0);
      const { data } = flat.getImageData(0, 0, image.width, image.height);
      const found = [];
      for (let pixel = 0; pixel < data.length; pixel += 4) {
        if (data[pixel] > 240 && data[pixel + 1] < 10 && data[pixel + 2] < 10) found.push([(pixel / 4) % image.width, Math.floor(pixel / 4 / image.width)]);
      }
      found.sort(([a], [b]) => a - b);
      return found.length ? [found[0], found.at(-1)] : undefined;
    }, picture.toString("base64"));
  };
  await page.waitForTimeout(500);
  const ends = await red();
  assert.ok(ends, "a red arrow is drawn");
  const [[ax, ay], [bx, by]] = ends;
  await page.mouse.move((ax + 3 * bx) / 4, (ay + 3 * by) / 4);
  await page.mouse.down();
  for (let step = 1; step <= 8; step += 1) await page.mouse.move((ax + 3 * bx) / 4 + ((bx - ax) * step) / 10, (ay + 3 * by) / 4 + ((by - ay) * step) / 10);
  await page.mouse.up();
  await said("Moved Right");
  const places = (text) => [...text.matchAll(/<CoordinateFrame name="CFrame"><X>(.*?)<\/X><Y>(.*?)<\/Y><Z>(.*?)<\/Z>/g)].map(([, ...place]) => place.map(Number));
  const [left, right] = places(await downloaded());
  assert.deepEqual(left, [0, 0, 0]);
  assert.ok(right[0] !== 8 && Number.isInteger(right[0]) && right[1] === 0 && right[2] === 0, `moved to ${right}`);
  await page.keyboard.press("Control+z");
  await said("Undone: Moved Right");
  assert.deepEqual(places(await downloaded()), [[0, 0, 0], [8, 0, 0]]);
  // A removed part is no longer drawn, and one that is inserted again is.
  await page.locator(".tree").focus();
  await page.keyboard.press("Delete");
  await page.waitForSelector("canvas[data-triangles='12']");
  await page.keyboard.press("Control+z");
  await page.waitForSelector("canvas[data-triangles='24']");
  await choose("Left");
  await page.keyboard.press("Control+d");
  await page.waitForSelector("canvas[data-triangles='36']");
  await page.keyboard.press("Control+z");
  await page.waitForSelector("canvas[data-triangles='24']");
  await choose("Left");
  await put("Transparency", "1");
  await page.waitForSelector("canvas[data-triangles='12']");
});

test("a link opens a file, and selects an instance of it", { skip }, async () => {
  const body = wrap(item("Model", "House", "", item("Part", "Wall", part) + item("Part", "Wall", part)));
  const other = await (await driver.newContext({ serviceWorkers: "block" })).newPage();
  await other.route("**/far/house.rbxmx", (route) => route.fulfill({ body }));
  await other.goto(`${server.address}#open=${encodeURIComponent(`${server.address}far/house.rbxmx`)}&select=${encodeURIComponent("House/Wall[1]")}`);
  await other.locator(".heading", { hasText: "“Wall”" }).waitFor();
  await other.locator("#line-2[aria-selected=true]").waitFor();
  await other.context().close();
});

test("the keys are shown, and nothing failed", { skip }, async () => {
  await page.locator(".tree").focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys and search" }).waitFor();
  await page.evaluate(axe());
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id }) => id), []);
  await page.keyboard.press("Escape");
  assert.deepEqual(errors, []);
});
