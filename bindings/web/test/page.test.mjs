// Walks through the page in a browser, as a person does: open, select, edit, insert, move, switch, undo, save, reload.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { box, browser, drop, item, open, part, region, said as saidIn, serve, walk } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const shots = join(here, "../target/pictures");
mkdirSync(shots, { recursive: true });

const driver = await browser();
const built = existsSync(join(here, "../target/page/index.html"));
const skip = driver && built ? false : "the page is not built, or playwright-core or a browser is not installed";
const EVIL = "&lt;img src=x onerror=window.attacked=1&gt;";
const script = '<ProtectedString name="Source"><![CDATA[print("hello")\n]]></ProtectedString>';
const model = `<roblox version="4">${item("Model", "House", "", item("Part", "Door", part) + item("Part", "Wall", part))}${item("Folder", "Box")}${item("Script", EVIL, script)}</roblox>`;
const wrap = (...all) => `<roblox version="4">${all.join("")}</roblox>`;
const cli = process.env.REZKIT ?? join(root, "target/debug/rezkit");
const other = `<roblox version="4">${item("Part", "Other", part)}</roblox>`;

let server;
let context;
let page;
const errors = [];

before(async () => {
  if (skip) return;
  server = await serve(join(here, "../target/page"));
  page = await open(driver, errors);
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  context = page.context();
  await page.goto(server.address);
  await page.waitForSelector("body[data-ready]");
});

after(async () => {
  await driver?.close();
  server?.close();
});

const row = (name) => page.locator(".tree .row", { has: page.locator(`bdi:text-is("${name}")`) });
/** Selects a node, and waits for its properties. */
async function choose(name) {
  await row(name).click();
  await page.locator(".heading", { hasText: `“${name}”` }).waitFor();
}
const field = (label) => page.locator(".right").getByLabel(label, { exact: true });
const said = (text) => saidIn(page, text);
const shot = (name) => page.screenshot({ path: join(shots, `${name}.png`) });
const rows = () => page.locator(".tree .row bdi").allInnerTexts();
async function put(label, value) {
  await field(label).fill(value);
  await field(label).press("Enter");
}
async function saved() {
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Control+s")]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}
async function accessible(what) {
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`), [], what);
}

test("a model is opened, and a part selected in the tree and in 3D", { skip }, async () => {
  await accessible("the empty page");
  await drop(page, [{ name: "new.rbxmx", bytes: model }, { name: "other.rbxmx", bytes: other }]);
  await row("House").waitFor();
  await page.locator(".tree").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await choose("Door");
  await page.waitForSelector("canvas[data-triangles='24']");
  await page.waitForSelector("canvas[data-marked='1']");
  assert.equal(await page.evaluate(() => window.attacked), undefined);
  const { width, height } = await page.locator(".middle").boundingBox();
  assert.ok(width * height >= 0.55 * 1280 * 800, `the view has ${width} x ${height}`);
  await accessible("a model");
});

test("six types are set", { skip }, async () => {
  await field("Anchored").uncheck();
  await said("Set Anchored");
  await put("Size Y", "7");
  await said("Set Size");
  await field("Material").selectOption("Grass");
  await said("Set Material");
  await put("Color, red, green, blue", "1, 2, 3");
  await said("Set Color");
  await put("CFrame orientation Y", "90");
  await said("Set CFrame");
  await put("Transparency", "0.5");
  await said("Set Transparency");
  const file = await saved();
  assert.equal(file.name, "new.rbxmx");
  const text = file.bytes.toString();
  assert.match(text, /<bool name="Anchored">false<\/bool>/);
  assert.match(text, /<Y>7<\/Y>/);
  assert.match(text, /<token name="Material">1280<\/token>/);
  assert.match(text, /name="Color3uint8">4278256131</);
  assert.match(text, /<R02>1<\/R02>/);
  assert.match(text, /<float name="Transparency">0\.5<\/float>/);
  await said("Saved new.rbxmx");
});

test("a value that does not fit is refused beside its field, and changes nothing", { skip }, async () => {
  await put("Color, red, green, blue", "red");
  await page.locator(".right [role=alert]").waitFor();
  assert.equal(await field("Color, red, green, blue").getAttribute("aria-invalid"), "true");
  await field("Color, red, green, blue").press("Escape");
  assert.equal(await page.locator(".tab.current .changed").count(), 0);
});

test("instances are inserted, renamed, moved, duplicated and removed", { skip }, async () => {
  await row("Box").click();
  await page.keyboard.press("Control+i");
  await page.getByLabel("Class").fill("PointLight");
  await page.getByLabel("Class").press("Enter");
  await row("PointLight").waitFor();
  await row("Door").dragTo(row("Box"));
  await said("Moved Door to Box");
  assert.deepEqual((await rows()).slice(0, 5), ["House", "Wall", "Box", "PointLight", "Door"]);
  await row("Door").click();
  await page.keyboard.press("F2");
  await page.getByLabel("New name").fill("Gate");
  await page.getByLabel("New name").press("Enter");
  await said("Renamed Door to Gate");
  await page.locator(".tree").focus();
  await page.keyboard.press("Control+d");
  await page.waitForFunction(() => [...document.querySelectorAll(".tree bdi")].filter((one) => one.textContent === "Gate").length === 2);
  await page.keyboard.press("Delete");
  await page.waitForFunction(() => [...document.querySelectorAll(".tree bdi")].filter((one) => one.textContent === "Gate").length === 1);
  await shot("edited");
});

test("everything is undone and done again", { skip }, async () => {
  const before = await rows();
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("Control+z");
  await page.waitForFunction(() => ![...document.querySelectorAll(".tree bdi")].some((one) => /PointLight|Gate/.test(one.textContent)));
  assert.ok((await rows()).includes("Door"));
  assert.equal(await page.locator(".tab.current .changed").count(), 0, "as saved");
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("Control+y");
  await page.waitForFunction((wanted) => [...document.querySelectorAll(".tree bdi")].filter(({ textContent }) => textContent === "Gate").length === wanted, before.filter((name) => name === "Gate").length);
});

test("a part is copied into another file, and each file keeps its state", { skip }, async () => {
  await row("Wall").click();
  await page.keyboard.press("Control+c");
  await said("Copied Wall");
  await page.getByRole("button", { name: "other.rbxmx", exact: true }).click();
  await row("Other").click();
  await page.keyboard.press("Control+v");
  await row("Wall").waitFor();
  await page.getByRole("button", { name: /^new\.rbxmx/ }).click();
  await row("Gate").waitFor();
  assert.equal(await row("Wall").getAttribute("aria-selected"), "true");
  assert.equal(await page.locator(".tab .changed").count(), 2);
});

test("many are found by a selector and set", { skip }, async () => {
  await page.getByLabel("Search", { exact: true }).fill("Part[Anchored = true]");
  await page.locator(".results", { hasText: "1 found" }).waitFor();
  await page.getByLabel("Search", { exact: true }).fill("Part");
  await page.locator(".results", { hasText: "2 found" }).waitFor();
  await page.getByRole("button", { name: "Select all" }).click();
  await page.locator(".heading", { hasText: "and 1 more" }).waitFor();
  await put("Reflectance", "0.25");
  await said("Set Reflectance of 2 instances");
  // The parts differ in the other components, which stay.
  const parts = (text) => [...text.matchAll(/<Vector3 name="size">(.*?)<\/Vector3>/gs)].map(([, size]) => size.match(/[-\d.]+(?=<)/g).join());
  const before = parts((await saved()).bytes.toString());
  assert.notEqual(before[0], before[1]);
  assert.equal(await field("Size Y").inputValue(), "");
  await put("Size Z", "6");
  await said("Set Size of 2 instances");
  assert.deepEqual(parts((await saved()).bytes.toString()), before.map((size) => size.replace(/[^,]+$/, "6")));
  await page.getByRole("button", { name: "Clear the search" }).click();
});

test("tags and attributes are added, changed and removed", { skip }, async () => {
  await choose("Wall");
  await field("Tags: add a tag").fill("Lamp");
  await field("Tags: add a tag").press("Enter");
  await page.locator(".tag", { hasText: "Lamp" }).waitFor();
  await page.getByLabel("Name of a new attribute").fill("Health");
  await page.getByLabel("Value of a new attribute").fill("100");
  await page.getByLabel("Value of a new attribute").press("Enter");
  await put("Health", "55");
  await said("Set Health");
  await page.getByRole("button", { name: "Remove the tag Lamp" }).click();
  await page.locator(".tag", { hasText: "Lamp" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Remove the attribute Health" }).click();
  await field("Health").waitFor({ state: "detached" });
  for (let step = 0; step < 5; step += 1) await page.keyboard.press("Control+z");
});

test("a failure of the engine restarts it and keeps every change", { skip }, async () => {
  await choose("Wall");
  await put("Transparency", "0.75");
  await said("Set Transparency");
  for (const worker of page.workers()) await worker.evaluate(() => void setTimeout(() => { throw new Error("on purpose"); }));
  await page.waitForTimeout(300);
  await choose("House");
  await choose("Wall");
  assert.equal(await field("Transparency").inputValue(), "0.75");
  await put("Reflectance", "0.5");
  await said("Set Reflectance");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await said("Undone");
});

test("a script is edited", { skip }, async () => {
  await page.locator(".tree .row bdi", { hasText: "<img" }).click();
  const editor = page.locator(".cm-content");
  await editor.waitFor();
  assert.match(await editor.innerText(), /print\("hello"\)/);
  await editor.click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("-- first\n");
  // At once: what is typed is saved.
  assert.match((await saved()).bytes.toString(), /CDATA\[-- first\nprint\("hello"\)/);
  await accessible("a script");
  await shot("script");
  // The editor and the buttons have one history.
  const script = () => page.locator(".cm-content").innerText();
  await editor.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("abc");
  await page.waitForTimeout(600);
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => !document.querySelector(".cm-content").textContent.includes("abc"));
  await page.keyboard.press("Control+y");
  await page.waitForFunction(() => document.querySelector(".cm-content").textContent.includes("abc"));
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.waitForFunction(() => !document.querySelector(".cm-content").textContent.includes("abc"));
  assert.match(await script(), /-- first/);
});

test("differences and findings are listed", { skip }, async () => {
  await page.getByRole("button", { name: /edits/ }).click();
  await page.locator(".drawer td", { hasText: "changed" }).first().waitFor();
  await accessible("differences");
  // What the other file changed since both came from a third one: the door's colour and the wall's name.
  const [base, theirs] = [model, model.replace(">Wall<", ">Fence<").replace("4288914085", "4278190335")];
  await drop(page, [{ name: "mine.rbxmx", bytes: model }, { name: "theirs.rbxmx", bytes: theirs }, { name: "base.rbxmx", bytes: base }]);
  await row("House").waitFor();
  await page.getByLabel("Compare with").selectOption({ label: "theirs.rbxmx" });
  await page.getByLabel("Both come from").selectOption({ label: "base.rbxmx" });
  await shot("merge");
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await said("Merged theirs.rbxmx");
  const joined = (await saved()).bytes.toString();
  assert.ok(joined.includes(">Fence<") && joined.includes("4278190335") && !joined.includes(">Wall<"));
  for (const name of ["mine", "theirs", "base"]) await page.getByRole("button", { name: `Close ${name}.rbxmx` }).click();
  await page.locator(".tab", { hasText: "new.rbxmx" }).getByRole("button").first().click();
  await row("House").waitFor();
  await page.getByRole("button", { name: /findings|No findings/i }).click();
  await page.getByLabel("Check").selectOption("roblox-upload");
  await page.locator(".drawer", { hasText: /rule|×/ }).waitFor();
  await accessible("findings");
  await page.keyboard.press("Escape");
});

test("avatar items have tables, by the type and the numbers that are chosen", { skip }, async () => {
  await drop(page, [{ name: "party-hat.rbxmx", bytes: readFileSync(join(root, "docs/pictures/party-hat.rbxmx")) }]);
  await row("PartyHat").waitFor();
  await page.getByRole("button", { name: /finding|Checking/i }).first().click();
  await page.getByLabel("Check").selectOption("roblox-avatar");
  const drawer = (text) => page.locator(".drawer", { hasText: text }).waitFor();
  await drawer("PartyHat (Hat, Classic): would be refused");
  await drawer("within 3 x 4 x 3 around the attachment");
  await accessible("avatar items");
  await page.getByLabel("Type").selectOption("Neck");
  await drawer("one of NeckAttachment");
  await page.getByLabel("Type").selectOption("");
  const numbers = (text) => page.getByLabel("Numbers").setInputFiles({ name: "rules.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await numbers(JSON.stringify({ AccessoryRules: { Hat: { Attachments: [{ Name: "HatAttachment", Size: [1, 1, 1], Offset: [0, 0, 0] }] } } }));
  await drawer("within 1 x 1 x 1 around the attachment");
  await numbers("?");
  await drawer("not JSON");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Close party-hat.rbxmx" }).click();
});

test("single differences are taken, conflicts decided, and scripts compared by lines", { skip }, async () => {
  const source = (text) => `<ProtectedString name="Source"><![CDATA[${text}]]></ProtectedString>`;
  const game = (color, lines, more) => wrap(item("Part", "Wall", part.replace("4288914085", color)), item("Script", "Main", source(lines.join("\n"))), more);
  const lines = Array.from({ length: 30 }, (_, at) => `print(${at})`);
  const base = game("4278190080", lines, "");
  const mine = game("4278190335", lines, "");
  const theirs = game("4278255360", lines.with(9, "print('nine')"), item("Folder", "Added"));
  await drop(page, [{ name: "ours.rbxmx", bytes: mine }, { name: "theirs.rbxmx", bytes: theirs }, { name: "base.rbxmx", bytes: base }]);
  await row("Wall").waitFor();
  await page.getByRole("button", { name: "Differences" }).click();
  await page.getByLabel("Compare with").selectOption({ label: "theirs.rbxmx" });
  await page.locator("code.gone", { hasText: "10 print('nine')" }).waitFor();
  assert.equal(await page.locator("code.new").innerText(), "+ 10 print(9)");
  assert.equal(await page.locator("code.line").count(), 4, "the lines around it, too");
  await accessible("lines");
  await shot("differences");
  await page.getByRole("button", { name: "Take Main.Source" }).click();
  await said("Took Main.Source");
  await page.locator("code.line").first().waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Take Added" }).click();
  await said("Took Added");
  await page.getByLabel("Compare with").selectOption({ label: "the file as opened" });
  await page.getByRole("button", { name: "Put back Added" }).click();
  await said("Put back Added");
  const text = (await saved()).bytes.toString();
  assert.ok(text.includes("print('nine')") && !text.includes("Added") && text.includes("4278190335"));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await choose("Wall");
  await put("Transparency", "0.5");
  await said("Set Transparency");
  await page.getByRole("button", { name: "Copy the edits as a command" }).click();
  await said("Copied the command");
  const command = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(command, /^# Took Main\.Source$/m);
  if (existsSync(cli)) {
    writeFileSync(join(shots, "ours.rbxmx"), mine);
    execFileSync("bash", ["-c", `rezkit() { "${cli}" "$@"; }\n${command}`], { cwd: shots });
    assert.match(readFileSync(join(shots, "ours.rbxmx"), "utf8"), /"Transparency">0\.5</);
  }
  // Both changed the colour.
  await page.getByLabel("Compare with").selectOption({ label: "theirs.rbxmx" });
  await page.getByLabel("Both come from").selectOption({ label: "base.rbxmx" });
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await page.locator(".drawer summary", { hasText: "Conflict" }).waitFor();
  await accessible("a conflict");
  await shot("conflict");
  await page.getByRole("button", { name: "Take the other value" }).click();
  await said("Took Wall.Color3uint8");
  assert.ok((await saved()).bytes.toString().includes("4278255360"));
  for (const name of ["ours", "theirs", "base"]) await page.getByRole("button", { name: `Close ${name}.rbxmx` }).click();
  await page.locator(".tab", { hasText: "new.rbxmx" }).getByRole("button").first().click();
  await page.keyboard.press("Escape");
});

test("a reload restores files and edits", { skip }, async () => {
  await choose("Wall");
  await put("Name", "Fence");
  await row("Fence").waitFor();
  await page.waitForTimeout(300);
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await row("House").waitFor();
  await page.locator(".tree").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await row("Fence").waitFor();
  assert.equal(await page.locator(".tab").count(), 2);
  assert.equal(await page.locator(".tab .changed").count(), 2);
  await page.keyboard.press("Control+z");
  await row("Wall").waitFor();
});

test("a model is converted", { skip }, async () => {
  await page.getByRole("button", { name: "Convert or extract" }).click();
  await page.getByLabel("To", { exact: true }).selectOption("glb");
  await page.getByRole("button", { name: "Convert", exact: true }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /^Download/ }).click()]);
  const bytes = readFileSync(await download.path());
  assert.equal(bytes.subarray(0, 4).toString(), "glTF");
  assert.equal(bytes.readUInt32LE(8), bytes.length);
  await accessible("converting");
  await page.keyboard.press("Escape");
});

test("an animation plays", { skip }, async () => {
  await drop(page, [{ name: "walk.bvh", bytes: walk }]);
  await page.locator(".timeline").waitFor();
  const time = () => page.locator(".timeline output").innerText();
  const first = await time();
  await page.waitForFunction((before) => document.querySelector(".timeline output").textContent !== before, first);
  await page.getByRole("button", { name: "Pause" }).click();
  await accessible("an animation");
  await shot("animation");
  // The same motion on another rig, beside it.
  const own = await page.locator(".measures").innerText();
  await page.getByLabel("Rig beside it").selectOption("R15");
  await page.locator(".measures", { hasText: "180 triangles" }).waitFor();
  await shot("figures");
  await page.getByLabel("Rig beside it").selectOption("");
  await page.waitForFunction((own) => document.querySelector(".measures").textContent === own, own);
});

test("LLSD is shown and edited as text", { skip }, async () => {
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.getByRole("menuitem", { name: "A text" }).click();
  await page.getByLabel(/LLSD as XML/).fill("{'a':i1,'b':[r2.5,'text']}");
  await page.locator("dialog").getByRole("button", { name: "Open", exact: true }).click();
  await choose("a");
  await put("Value", "42");
  await said("Set Value");
  await page.waitForFunction(() => document.querySelector(".cm-content").textContent.includes("i42"));
  await accessible("LLSD");
});

test("a tree of 100,000 nodes scrolls", { skip }, async () => {
  await drop(page, [{ name: "many.xml", bytes: `<llsd><array>${"<integer>7</integer>".repeat(100_000)}</array></llsd>` }]);
  await row("0").waitFor();
  await page.locator(".tree").focus();
  await page.keyboard.press("End");
  await page.locator(".tree .row.selected", { hasText: "99999" }).waitFor();
  assert.ok((await page.locator(".tree .row").count()) < 150);
});

test("broken files stay in the list with a sentence", { skip }, async () => {
  await drop(page, [{ name: "broken.mesh", bytes: Buffer.from("version 5.00\nabc") }]);
  await page.locator(".tab.failed", { hasText: "broken.mesh" }).waitFor();
  await page.locator("[role=alert]", { hasText: /./ }).waitFor();
  await accessible("a broken file");
});

test("an archive of OpenSim is one scene", { skip }, async () => {
  const files = { "archive.xml": '<archive major_version="0" minor_version="8"/>', "objects/a.xml": box("A", 9), "objects/b.xml": box("B", 20) };
  await drop(page, [{ name: "region.oar", bytes: gzipSync(region(files)) }]);
  await page.locator(".tab.open.current", { hasText: "region.xml" }).waitFor();
  await page.waitForFunction(() => document.querySelector("canvas.three")?.dataset.triangles === "32");
  assert.equal(await page.locator(".tab", { hasText: /[ab]\.xml/ }).count(), 0);
  await shot("archive");
});

test("a model in a ZIP archive has the files beside it", { skip }, async () => {
  const { zipSync } = await import("fflate");
  const bin = new Uint8Array(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  const gltf = {
    asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }], bufferViews: [{ buffer: 0, byteLength: 36 }],
    buffers: [{ uri: "a.bin", byteLength: 36 }],
  };
  const zip = zipSync({ "in/a.gltf": Buffer.from(JSON.stringify(gltf)), "in/a.bin": bin, "in/notes.txt": Buffer.from("x") });
  await drop(page, [{ name: "model.zip", bytes: zip }]);
  await page.locator(".tab.open.current", { hasText: "a.gltf" }).waitFor();
  await page.waitForFunction(() => document.querySelector("canvas.three")?.dataset.triangles === "1");
  assert.equal(await page.locator(".tab", { hasText: /a\.bin|notes/ }).count(), 0);
});

test("a compressed file is saved compressed, and closing a changed one asks", { skip }, async () => {
  await drop(page, [{ name: "small.rbxmx.gz", bytes: gzipSync(Buffer.from(other)) }]);
  await row("Other").waitFor();
  await choose("Other");
  await field("Anchored").uncheck();
  await said("Set Anchored");
  const file = await saved();
  assert.equal(file.name, "small.rbxmx.gz");
  assert.equal(gunzipSync(file.bytes).toString(), other.replace(">true<", ">false<"));
  await field("Anchored").check();
  await said("Set Anchored");
  const [dialog] = await Promise.all([page.waitForEvent("dialog"), page.getByRole("button", { name: "Close small.rbxmx.gz" }).click()]);
  assert.match(dialog.message(), /small\.rbxmx\.gz has changes/);
  await page.locator(".tab", { hasText: "small.rbxmx.gz" }).waitFor({ state: "detached" });
});

test("two hundred files appear one by one, and can be cancelled", { skip }, async () => {
  const before = await page.locator(".tab").count();
  await drop(page, Array.from({ length: 200 }, (_, at) => ({ name: `many-${at}.rbxmx`, bytes: other })));
  await page.locator(".tab.open", { hasText: "many-0.rbxmx" }).waitFor();
  await page.locator(".queue").getByRole("button", { name: "Cancel" }).click();
  await page.locator(".queue").waitFor({ state: "detached" });
  assert.equal(await page.locator(".tab").count(), before + 200);
  assert.ok((await page.locator(".tab.cancelled").count()) > 0);
});

test("a small screen shows the view first, and panels as sheets", { skip }, async () => {
  await page.getByRole("button", { name: /^new\.rbxmx/ }).click();
  await page.setViewportSize({ width: 360, height: 740 });
  const wide = () => [...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > 361 && !one.closest(".tabs")).map((one) => one.outerHTML.slice(0, 90));
  assert.deepEqual(await page.evaluate(wide), []);
  await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Explorer" }).click();
  await row("House").waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await accessible("dark");
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("nothing is asked of the network after loading, and nothing failed", { skip }, async () => {
  const known = server.requests.filter((path) => !/^\/(|assets\/.*|samples\/.*)$/.test(path));
  assert.deepEqual(known, []);
  assert.deepEqual(errors, []);
});

test("a link opens a file with its selection and camera, and keys walk", { skip }, async () => {
  const second = await context.newPage();
  second.setDefaultTimeout(60_000);
  const name = readdirSync(join(here, "../target/page/assets")).find((name) => name.startsWith("island"));
  await second.goto(`${server.address}#open=assets/${name}&select=Workspace&camera=10,20,30,0,0,0`);
  await second.locator(".heading", { hasText: "“Workspace”" }).waitFor();
  const canvas = second.locator("canvas.three[data-triangles]");
  await canvas.waitFor();
  const link = async () => {
    await second.evaluate(() => navigator.clipboard.writeText("nothing"));
    await second.getByRole("button", { name: "Copy a link to this view" }).click();
    const copied = await second.waitForFunction(() => navigator.clipboard.readText().then((text) => text !== "nothing" && text));
    return new URLSearchParams(new URL(await copied.jsonValue()).hash.slice(1));
  };
  const first = await link();
  assert.deepEqual([first.get("select"), first.get("camera")], ["Workspace", "10,20,30,0,0,0"]);
  await canvas.focus();
  await second.keyboard.down("w");
  // Each frame is a step, however long it takes.
  await second.evaluate(async () => {
    for (let frame = 0; frame < 6; frame += 1) await new Promise((drawn) => requestAnimationFrame(drawn));
  });
  await second.keyboard.up("w");
  const [x, y, z] = (await link()).get("camera").split(",").map(Number);
  assert.ok(Math.hypot(x, y, z) < Math.hypot(10, 20, 30) - 0.2, `${[x, y, z]}`);
  await second.screenshot({ path: join(shots, "walk.png") });
  await second.getByRole("button", { name: "Show all" }).click();
  await second.waitForTimeout(300);
  await second.screenshot({ path: join(shots, "sky.png") });
  await second.close();
});

test("without a network, the page that was seen before opens", { skip }, async () => {
  const offline = await driver.newContext();
  const first = await offline.newPage();
  first.setDefaultTimeout(60_000);
  await first.goto(server.address);
  await first.waitForSelector("body[data-ready]");
  await first.waitForFunction(() => navigator.serviceWorker.controller);
  await offline.setOffline(true);
  await first.reload();
  await first.waitForSelector("body[data-ready]");
});

test("a place appears in pieces, and can be cancelled", { skip }, async () => {
  const parts = Array.from({ length: 20_000 }, (_, index) => {
    const [x, z] = [(index % 150) * 5, Math.floor(index / 150) * 5];
    const own = part.replace("<X>0</X>", `<X>${x}</X>`).replace("<Z>0</Z>", `<Z>${z}</Z>`);
    // Hulls are drawn one by one, other parts of one shape by one call.
    return item("Part", "Part_HULL1", own);
  });
  const place = `<roblox version="4">${item("Workspace", "Workspace", "", parts.join(""))}</roblox>`;
  const seen = await page.evaluateHandle(() => {
    const texts = new Set();
    new MutationObserver(() => texts.add(document.querySelector(".progress")?.firstChild?.textContent)).observe(document.body, { childList: true, characterData: true, subtree: true });
    return texts;
  });
  await drop(page, [{ name: "many.rbxlx", bytes: place }]);
  await page.waitForFunction(() => document.querySelector("canvas.three")?.dataset.triangles === "240000");
  const texts = await seen.evaluate((all) => [...all].filter((text) => text?.includes("%")));
  assert.ok(texts.length > 2, String(texts));
  await shot("pieces");
  await drop(page, [{ name: "more.rbxlx", bytes: place }]);
  const cancel = () => {
    const shown = document.querySelector(".progress");
    if (!shown?.textContent.includes("%")) return false;
    shown.querySelector("button").click();
    return true;
  };
  await page.waitForFunction(cancel, undefined, { polling: 20 });
  await page.locator(".nothing", { hasText: "Cancelled." }).waitFor();
  await shot("cancelled");
});
