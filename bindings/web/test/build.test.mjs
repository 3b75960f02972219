// Building with the page: groups, alignment, distances, the ground, copies, numbers, what was before, inventories and links.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { deflateSync, gzipSync } from "node:zlib";
import { box, browser, drop, item, open, part, region, said as saidIn, serve } from "./browser.mjs";

/** The checksum of PNG. */
function crc32(bytes) {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum;
}

const built = join(dirname(fileURLToPath(import.meta.url)), "../target/page");
const driver = await browser();
const skip = driver && existsSync(join(built, "index.html")) ? false : "the page is not built, or playwright-core or a browser is not installed";
const wrap = (...all) => `<roblox version="4">${all.join("")}</roblox>`;
const errors = [];
let server;
let page;

before(async () => {
  if (skip) return;
  server = await serve(built);
  page = await open(driver, errors);
  await page.goto(server.address);
  await page.waitForSelector("body[data-ready]");
});

after(async () => {
  await driver?.close();
  server?.close();
});

const row = (name) => page.locator(".tree .row", { has: page.locator(`bdi:text-is("${name}")`) });
const rows = () => page.locator(".tree .row bdi").allInnerTexts();
const button = (name) => page.getByRole("button", { name, exact: true });
const said = (text) => saidIn(page, text);
const shot = (name) => page.screenshot({ path: join(built, `../pictures/${name}.png`) });
async function choose(...names) {
  for (const [at, name] of names.entries()) await row(name).first().click({ modifiers: at ? ["Control"] : [] });
  if (names.length === 1) await page.locator(".heading", { hasText: `“${names[0]}”` }).waitFor();
  else await page.locator(".heading", { hasText: `and ${names.length - 1} more` }).waitFor();
}
async function saved() {
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
  return readFileSync(await download.path(), "utf8");
}
/** The places of the parts of a file, by their names. */
async function places() {
  const found = [...(await saved()).matchAll(/<string name="Name">([^<]*)<\/string>(?:(?!<\/Properties>).)*?<CoordinateFrame name="CFrame"><X>(.*?)<\/X><Y>(.*?)<\/Y><Z>(.*?)<\/Z>/gs)];
  return found.map(([, name, ...at]) => [name, ...at.map((text) => Number(Number(text).toFixed(3)))]);
}
async function undo(label) {
  await page.keyboard.press("Control+z");
  await said(`Undone: ${label}`);
}
async function accessible() {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), []);
}
/** A part of 4 x 1 x 2 studs at a place, possibly turned by 90 degrees about y. */
const at = (x, y, z, isTurned) => {
  const own = part.replace("<X>0</X>", `<X>${x}</X>`).replace("<Y>0</Y>", `<Y>${y}</Y>`).replace("<Z>0</Z>", `<Z>${z}</Z>`);
  if (!isTurned) return own;
  return own.replace("<R00>1<", "<R00>0<").replace("<R02>0<", "<R02>1<").replace("<R20>0<", "<R20>-1<").replace("<R22>1<", "<R22>0<");
};
const START = [["Floor", 0, 0, 0], ["Low", 0, 5, 0], ["Turned", 9, 8, 1], ["High", 30, 12, 6]];
const SCENE = wrap(item("Part", "Floor", at(0, 0, 0).replace("<X>4</X><Y>1</Y><Z>2</Z>", "<X>100</X><Y>2</Y><Z>100</Z>")), item("Part", "Low", at(0, 5, 0)), item("Part", "Turned", at(9, 8, 1, true)), item("Model", "House", "", item("Part", "High", at(30, 12, 6))));

test("what is selected is aligned, distributed and dropped, each as one edit", { skip }, async () => {
  await drop(page, [{ name: "arrange.rbxmx", bytes: SCENE }]);
  await page.waitForSelector("canvas[data-triangles='48']");
  assert.deepEqual(await places(), START);
  await choose("Low", "Turned", "House");
  await button("Arrange").click();
  await accessible();
  await shot("arrange");
  // The turned part is 2 wide, the others 4: the left ends are at -2, the right ones at 32.
  await button("Align low X").click();
  await said("Aligned 2 instances");
  assert.deepEqual(await places(), [START[0], ["Low", 0, 5, 0], ["Turned", -1, 8, 1], ["High", 0, 12, 6]]);
  await undo("Aligned");
  await button("Align high X").click();
  await said("Aligned 2 instances");
  assert.deepEqual(await places(), [START[0], ["Low", 30, 5, 0], ["Turned", 31, 8, 1], START[3]]);
  await undo("Aligned");
  await button("Align middle Y").click();
  await said("Aligned 3 instances");
  assert.deepEqual((await places()).map(([, , y]) => y), [0, 8.5, 8.5, 8.5]);
  await undo("Aligned");
  // From -2 to 32 are 34 studs, of which 10 are filled.
  await button("Same gaps along X").click();
  await said("Distributed along x: 1 instance");
  assert.deepEqual((await places())[2], ["Turned", 15, 8, 1]);
  await undo("Distributed");
  await button("Drop to the ground").click();
  await said("Dropped 3 instances");
  assert.deepEqual((await places()).map(([, , y]) => y), [0, 1.5, 1.5, 1.5]);
  await undo("Dropped");
  assert.deepEqual(await places(), START);
});

test("what lies above another is dropped on it, and nothing is dropped into nothing", { skip }, async () => {
  await drop(page, [{ name: "stack.rbxmx", bytes: wrap(item("Part", "Under", at(0, 5, 0)), item("Part", "Over", at(1, 20, 0)), item("Part", "Alone", at(90, 7, 0))) }]);
  await page.waitForSelector("canvas[data-triangles='36']");
  await choose("Over");
  await button("Drop to the ground").click();
  await said("Dropped 1 instance");
  assert.deepEqual(await places(), [["Under", 0, 5, 0], ["Over", 1, 6, 0], ["Alone", 90, 7, 0]]);
  await choose("Alone");
  await button("Drop to the ground").click();
  await said("Nothing is below what is selected.");
  await page.getByRole("button", { name: "Close stack.rbxmx" }).click();
});

test("what is selected is grouped and ungrouped", { skip }, async () => {
  await choose("Low", "Turned");
  await page.keyboard.press("Control+g");
  await said("Grouped 2 instances");
  await row("Model").waitFor();
  await page.locator(".heading", { hasText: "“Model”" }).waitFor();
  assert.match(await saved(), /<string name="Name">Model<\/string>.*<string name="Name">Low<.*<string name="Name">Turned</s);
  await page.keyboard.press("Control+u");
  await said("Ungrouped Model");
  await page.locator(".heading", { hasText: "and 1 more" }).waitFor();
  assert.deepEqual((await rows()).filter((name) => name !== "High"), ["Floor", "House", "Low", "Turned"]);
  await undo("Ungrouped");
  await undo("Grouped");
  assert.deepEqual(await places(), START);
});

test("instances of one name are grouped, too, and the commands for it are right", { skip }, async () => {
  await drop(page, [{ name: "same.rbxmx", bytes: wrap(item("Folder", "Parts", "", [1, 2, 3, 4].map((x) => item("Part", "P", at(x, 0, 0))).join("")), item("Model", "Model")) }]);
  await row("Parts").click();
  await page.locator(".tree").press("ArrowRight");
  await row("P").nth(1).click();
  await row("P").nth(3).click({ modifiers: ["Control"] });
  await page.keyboard.press("Control+g");
  await said("Grouped 2 instances");
  const order = async () => (await places()).map(([, x]) => x);
  assert.deepEqual(await order(), [1, 3, 2, 4]);
  await button("1 edit").click();
  await button("Copy the edits as a command").click();
  await said("Copied the command");
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ path, parent }) => [path, parent]), [[undefined, "Parts"], ["Parts/P[1]", "Parts/Model"], ["Parts/P[2]", "Parts/Model"]]);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Close same.rbxmx" }).click();
});

test("numbers that are typed move, turn and scale several, along the axes of the world or their own", { skip }, async () => {
  await choose("Turned", "Low");
  await button("Move").click();
  await page.waitForSelector("canvas[data-handles=move]");
  const by = async (kind, text, label) => {
    await page.getByLabel(`${kind} by x, y, z`).fill(text);
    await page.getByLabel(`${kind} by x, y, z`).press("Enter");
    await said(label);
  };
  await by("move", "2, 0, 1.5", "Moved 2 instances");
  assert.deepEqual((await places()).slice(1, 3), [["Low", 2, 5, 1.5], ["Turned", 11, 8, 2.5]]);
  await undo("Moved");
  // The own axes of the first one: its x is -z of the world.
  await button("Along the part’s own axes").click();
  await by("move", "2, 0, 1.5", "Moved 2 instances");
  assert.deepEqual((await places()).slice(1, 3), [["Low", 1.5, 5, -2], ["Turned", 10.5, 8, -1]]);
  await undo("Moved");
  await button("Along the part’s own axes").click();
  await button("Turn").click();
  await page.waitForSelector("canvas[data-handles=turn]");
  // About the middle of the box around both, from -2 to 10 and -1 to 3: (4, 6.5, 1).
  await by("turn", "0, 180, 0", "Turned 2 instances");
  assert.deepEqual((await places()).slice(1, 3), [["Low", 8, 5, 2], ["Turned", -1, 8, 1]]);
  await undo("Turned");
  await button("Scale").click();
  await page.waitForSelector("canvas[data-handles=scale]");
  await page.getByLabel("scale by x, y, z").fill("1, 2, 1");
  await page.getByLabel("scale by x, y, z").press("Enter");
  await said("Several parts are scaled alike");
  await by("scale", "2", "Scaled 2 instances");
  const [low, turned] = (await places()).slice(1, 3);
  assert.deepEqual([low, turned], [["Low", -4, 3.5, -1], ["Turned", 14, 9.5, 1]]);
  assert.equal((await saved()).match(/<X>8<\/X><Y>2<\/Y><Z>4<\/Z>/g).length, 2);
  await undo("Scaled");
  await button("Scale").click();
});

test("a handle with Alt drags a copy", { skip }, async () => {
  await choose("House");
  await page.locator(".tree").press("ArrowRight");
  await choose("High");
  await button("Move").click();
  await page.waitForSelector("canvas[data-handles=move]");
  await page.keyboard.press("f");
  await page.locator("canvas.three").focus();
  await page.keyboard.press("f");
  await page.waitForTimeout(800);
  const picture = await page.screenshot();
  const ends = await page.evaluate(async (text) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))]));
    const flat = new OffscreenCanvas(image.width, image.height).getContext("2d");
    flat.drawImage(image, 0, 0);
    const { data } = flat.getImageData(0, 0, image.width, image.height);
    const found = [];
    for (let pixel = 0; pixel < data.length; pixel += 4) if (data[pixel] > 240 && data[pixel + 1] < 10 && data[pixel + 2] < 10) found.push([(pixel / 4) % image.width, Math.floor(pixel / 4 / image.width)]);
    found.sort(([a], [b]) => a - b);
    return found.length ? [found[0], found.at(-1)] : undefined;
  }, picture.toString("base64"));
  assert.ok(ends, "a red arrow is drawn");
  const [[ax, ay], [bx, by]] = ends;
  await page.mouse.move((ax + 3 * bx) / 4, (ay + 3 * by) / 4);
  await page.keyboard.down("Alt");
  await page.mouse.down();
  for (let step = 1; step <= 8; step += 1) await page.mouse.move((ax + 3 * bx) / 4 + ((bx - ax) * step) / 10, (ay + 3 * by) / 4 + ((by - ay) * step) / 10);
  await page.mouse.up();
  await page.keyboard.up("Alt");
  await said("Inserted High");
  const [, , , own, copy] = await places();
  assert.deepEqual(own, START[3]);
  assert.ok(copy[0] === "High" && copy[1] !== 30 && Number.isInteger(copy[1]) && copy[2] === 12 && copy[3] === 6, `${copy}`);
  await page.waitForSelector("canvas[data-triangles='60']");
  await page.locator(".heading", { hasText: "“High”" }).waitFor();
  await shot("copied");
  await undo("Inserted");
  assert.deepEqual(await places(), START);
  await button("Move").click();
});

/** The colour of a point of the 3D view, as red, green and blue. */
async function pixel(x, y) {
  const { x: left, y: top, width, height } = await page.locator(".middle").boundingBox();
  const picture = await page.screenshot({ clip: { x: left + width * x, y: top + height * y, width: 1, height: 1 } });
  return page.evaluate(async (text) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))]));
    const flat = new OffscreenCanvas(1, 1).getContext("2d");
    flat.drawImage(image, 0, 0);
    return [...flat.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  }, picture.toString("base64"));
}

test("what was before is left of a line in 3D, and what is now right of it", { skip }, async () => {
  await drop(page, [{ name: "wall.rbxmx", bytes: wrap(item("Part", "Wall", part.replace("4288914085", "4294901760").replace("<X>4</X><Y>1</Y><Z>2</Z>", "<X>9</X><Y>9</Y><Z>9</Z>"))) }]);
  await page.waitForSelector("canvas[data-triangles='12']");
  await choose("Wall");
  const field = page.locator(".right").getByLabel("Color, red, green, blue", { exact: true });
  await field.fill("0, 0, 255");
  await field.press("Enter");
  await said("Set Color");
  await page.keyboard.press("Escape");
  await button("Before and after").click();
  await page.waitForSelector("canvas.twin[data-triangles='12']");
  await page.waitForTimeout(500);
  const [red, blue] = [([r, , b]) => r > b + 60, ([r, , b]) => b > r + 60];
  const sides = async () => [await pixel(0.45, 0.55), await pixel(0.55, 0.55)];
  let [left, right] = await sides();
  assert.ok(red(left) && blue(right), `${left}; ${right}`);
  await shot("before");
  await accessible();
  // By the keyboard, as far as the line goes.
  await page.getByLabel("Before and now").focus();
  await page.keyboard.press("Home");
  [left, right] = await sides();
  assert.ok(blue(left) && blue(right), `${left}; ${right}`);
  await page.keyboard.press("End");
  [left, right] = await sides();
  assert.ok(red(left) && red(right), `${left}; ${right}`);
  await button("Before and after").click();
  [left, right] = await sides();
  assert.ok(blue(left) && blue(right), `${left}; ${right}`);
  await page.getByRole("button", { name: "Close wall.rbxmx" }).click();
});

test("user interfaces are drawn: on parts, and over the view", { skip }, async () => {
  const color = (name, rgb) => `<Color3 name="${name}"><R>${rgb[0]}</R><G>${rgb[1]}</G><B>${rgb[2]}</B></Color3>`;
  const udim = (name, [xs, xo, ys, yo]) => `<UDim2 name="${name}"><XS>${xs}</XS><XO>${xo}</XO><YS>${ys}</YS><YO>${yo}</YO></UDim2>`;
  const frame = (name, rgb, size, more = "", inner = "") => item("Frame", name, `${color("BackgroundColor3", rgb)}${udim("Size", size)}<int name="BorderSizePixel">0</int>${more}`, inner);
  const face = (number, inner) => item("SurfaceGui", `On${number}`, `<token name="Face">${number}</token><Vector2 name="CanvasSize"><X>200</X><Y>200</Y></Vector2>`, inner);
  // Seen from the front: red on the left half of the face, green on the right one, one below the other in a list.
  const list = item("UIListLayout", "List", '<token name="FillDirection">0</token><token name="SortOrder">2</token>');
  const halves = frame("A", [1, 0, 0], [0.5, 0, 1, 0], '<int name="LayoutOrder">1</int>') + frame("B", [0, 1, 0], [0.5, 0, 1, 0], '<int name="LayoutOrder">2</int>');
  const wall = part.replace("<X>4</X><Y>1</Y><Z>2</Z>", "<X>20</X><Y>20</Y><Z>1</Z>");
  const screen = item("ScreenGui", "Screen", "", frame("Corner", [0, 0, 1], [0, 150, 0, 150], udim("Position", [1, 0, 1, 0]) + '<Vector2 name="AnchorPoint"><X>1</X><Y>1</Y></Vector2>'));
  await drop(page, [{ name: "gui.rbxmx", bytes: wrap(item("Part", "Wall", wall, face(5, list + halves)), screen) }]);
  await page.waitForSelector("canvas[data-guis='2']");
  await page.waitForTimeout(500);
  const [left, right] = [await pixel(0.4, 0.5), await pixel(0.6, 0.5)];
  assert.deepEqual([left, right], [[255, 0, 0], [0, 255, 0]]);
  const corner = () => pixel(0.95, 0.95);
  assert.notDeepEqual(await corner(), [0, 0, 255]);
  await button("User interface").click();
  await page.waitForTimeout(300);
  assert.deepEqual(await corner(), [0, 0, 255]);
  await shot("gui");
  await accessible();
  await button("User interface").click();
  await row("Screen").click();
  await page.waitForSelector("canvas.screen");
  await page.getByRole("button", { name: "Close gui.rbxmx" }).click();
});

/** A picture of one colour. */
function png(...rgb) {
  const chunk = (type, data) => {
    const all = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)]);
    all.writeUInt32BE(data.length), all.writeUInt32BE(crc32(all.subarray(4, -4)) >>> 0, all.length - 4);
    return all;
  };
  const pixels = Buffer.from([0, ...rgb]);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))]);
}

test("images and textures of a folder are shown, by id and by rbxasset://, and have no tabs", { skip }, async () => {
  const label = (name, image, at) =>
    item("ImageLabel", name, `<Content name="Image"><url>${image}</url></Content><UDim2 name="Size"><XS>0</XS><XO>100</XO><YS>0</YS><YO>100</YO></UDim2><UDim2 name="Position"><XS>${at}</XS><XO>-100</XO><YS>1</YS><YO>-100</YO></UDim2>`);
  const labels = label("Number", "rbxassetid://123456", 0.5) + label("Local", "rbxasset://assets/logo.png", 1);
  const wall = part.replace("<X>4</X><Y>1</Y><Z>2</Z>", "<X>20</X><Y>20</Y><Z>1</Z>");
  const decal = item("Decal", "Poster", '<token name="Face">5</token><Content name="Texture"><url>rbxasset://assets/logo.png</url></Content>');
  const place = wrap(item("Part", "Wall", wall, decal), item("ScreenGui", "Screen", "", labels));
  await drop(page, [{ name: "folder/game.rbxmx", bytes: place }, { name: "folder/assets/123456.png", bytes: png(255, 0, 0) }, { name: "folder/assets/logo.png", bytes: png(0, 255, 0) }]);
  await page.waitForSelector("canvas[data-guis='1']");
  await button("User interface").click();
  await page.waitForTimeout(500);
  assert.deepEqual([await pixel(0.48, 0.97), await pixel(0.98, 0.97)], [[255, 0, 0], [0, 255, 0]]);
  const [red, green, blue] = await pixel(0.5, 0.5);
  assert.ok(green > 150 && red < 60 && blue < 60, `the decal is ${red}, ${green}, ${blue}`);
  assert.equal(await page.locator(".tab", { hasText: ".png" }).count(), 0);
  await button("User interface").click();
  await page.getByRole("button", { name: "Close game.rbxmx" }).click();
});

test("an inventory is a tree of folders, and an item shows what it is", { skip }, async () => {
  const ids = [1, 2, 3].map((at) => `0a0a0a0a-0000-4000-8000-00000000000${at}`);
  const entry = (name, type, asset) => `<?xml version="1.0" encoding="utf-16"?><InventoryItem><Name>${name}</Name><Description>of oak</Description><AssetType>${type}</AssetType><AssetID>${asset}</AssetID></InventoryItem>`;
  const files = {
    "archive.xml": '<archive major_version="0" minor_version="3"/>',
    [`inventory/Things__${ids[0]}/In &#47; out__${ids[1]}/Chair__${ids[2]}.xml`]: entry("A chair", 6, ids[0]),
    [`inventory/Things__${ids[0]}/Note__${ids[1]}.xml`]: entry("A note", 7, ids[1]),
    [`inventory/Things__${ids[0]}/Gone__${ids[2]}.xml`]: entry("Gone", 0, ids[2]),
    [`assets/${ids[0]}_object.xml`]: box("Seat", 9),
    [`assets/${ids[1]}_notecard.txt`]: "Linden text version 2\n{\nText length 5\nHello}\n",
  };
  await drop(page, [{ name: "inventory.iar", bytes: gzipSync(region(files)) }]);
  await row("Things").waitFor();
  assert.deepEqual(await rows(), ["Things", "In / out", "Gone", "A note"]);
  await row("In / out").click();
  await page.locator(".tree").press("ArrowRight");
  await choose("A chair");
  await page.waitForFunction(() => document.querySelector("canvas.three")?.dataset.triangles === "16");
  assert.match(await page.locator("aside.right").innerText(), /Description\s+of oak/);
  await accessible();
  await shot("inventory");
  await choose("A note");
  await page.locator(".cm-content", { hasText: "Hello" }).waitFor();
  await choose("Gone");
  await page.locator(".nothing", { hasText: "does not contain the asset" }).waitFor();
  await page.getByLabel("Search", { exact: true }).fill("chair");
  await page.locator(".results", { hasText: "1 found" }).waitFor();
  await row("A chair").click();
  await button("Open as a file").click();
  await page.locator(".tab.open.current", { hasText: "_object.xml" }).waitFor();
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await page.locator(".tab", { hasText: "inventory.iar" }).getByRole("button").first().click();
  await row("Things").waitFor();
});

test("a link names an open file, its selection and its camera", { skip }, async () => {
  await page.locator(".tab", { hasText: "arrange.rbxmx" }).getByRole("button").first().click();
  await choose("House");
  await page.waitForSelector("canvas.three[data-triangles='48']");
  await button("Copy a link to this view").click();
  await said("Copied a link to this view, for those who have arrange.rbxmx");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const named = new URLSearchParams(new URL(link).hash.slice(1));
  assert.deepEqual([named.get("file"), named.get("select")], ["arrange.rbxmx", "House"]);
  named.set("camera", "90,80,70,0,0,0");
  // In the same page, and by one who opens the file next.
  await page.evaluate((hash) => void (location.hash = hash), `${named}`);
  await page.locator(".heading", { hasText: "“House”" }).waitFor();
  const other = await (await driver.newContext({ serviceWorkers: "block", permissions: ["clipboard-read", "clipboard-write"] })).newPage();
  await other.goto(`${server.address}#${named}`);
  await other.locator(".status p", { hasText: "Open arrange.rbxmx to see what the link shows." }).waitFor();
  await drop(other, [{ name: "arrange.rbxmx", bytes: SCENE }]);
  await other.locator(".heading", { hasText: "“House”" }).waitFor();
  await other.waitForSelector("canvas.three[data-triangles='48']");
  for (const one of [page, other]) {
    await one.getByRole("button", { name: "Copy a link to this view" }).click();
    await one.locator(".status p", { hasText: "Copied a link" }).waitFor();
    const copied = new URLSearchParams(new URL(await one.evaluate(() => navigator.clipboard.readText())).hash.slice(1));
    assert.deepEqual([copied.get("select"), copied.get("camera")], ["House", "90,80,70,0,0,0"]);
  }
  await other.context().close();
});

test("nothing failed", { skip }, () => assert.deepEqual(errors, []));
