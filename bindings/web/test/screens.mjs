// Screenshots of the page in target/pictures: each state, in four widths, light and dark. Arguments choose states by name.
// What axe finds in a state is printed.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { box, browser, drop, item, region, serve, walk } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const out = join(here, "../target/pictures");
const SIZES = [[360, 740], [768, 1024], [1280, 800], [1920, 1080]];
const file = (path) => ({ name: path.split("/").pop(), bytes: readFileSync(join(root, path)) });
const wait = (page) => page.waitForTimeout(1500);
const SCRIPT =
  '<roblox version="4"><Item class="Folder"><Properties><string name="Name">Game</string></Properties><Item class="Script"><Properties>' +
  '<string name="Name">Door</string><ProtectedString name="Source"><![CDATA[-- Opens a door.\nlocal door = script.Parent\n\ntype State = "open" | "closed"\nlocal state: State = "closed"\n\n' +
  'local function toggle(player: Player?)\n\tif not player then\n\t\treturn\n\tend\n\tfor index, part in ipairs(door:GetChildren()) do\n\t\tif part.Name == "Handle" then continue end\n' +
  '\t\tprint(`{player.Name} moves {part.Name}`, index * 0.5)\n\tend\nend\n\ndoor.Touched:Connect(toggle)\n]]></ProtectedString></Properties></Item></Item></roblox>';

const ID = "0a0a0a0a-0000-4000-8000-000000000001";
const INVENTORY = {
  "archive.xml": '<archive major_version="0" minor_version="3"/>',
  [`inventory/Things__${ID}/Chair__${ID}.xml`]: `<InventoryItem><Name>A chair</Name><Description>of oak</Description><AssetType>6</AssetType><AssetID>${ID}</AssetID></InventoryItem>`,
  [`assets/${ID}_object.xml`]: box("Seat", 9),
};
const text = (name, text, y) => item("TextLabel", name, `<string name="Text">${text}</string><int name="TextSize">28</int><UDim2 name="Size"><XS>0.4</XS><XO>0</XO><YS>0</YS><YO>48</YO></UDim2><UDim2 name="Position"><XS>0.3</XS><XO>0</XO><YS>0.5</YS><YO>${y}</YO></UDim2>`);
const GUI = `<roblox version="4">${item("Folder", "StarterGui", "", item("ScreenGui", "Menu", "", text("A", "Play", -30) + text("B", "Settings", 30)))}${item("Part", "Floor")}</roblox>`;
const kit = await import("../target/package/node.js");
await kit.init();
const MOTION = kit.load(Buffer.from(walk), { name: "walk.bvh" }).convert("anim").files[0].bytes;

/** Selects the first node of a name in the explorer, if the explorer is shown. */
async function select(page, name) {
  const row = page.locator(".tree .row", { hasText: name }).first();
  if (await row.isVisible()) await row.click();
}

/** The states: the files that are dropped, and what is done then. */
const STATES = {
  empty: [],
  place: [[file("docs/pictures/island.rbxlx")]],
  model: [[file("docs/pictures/cottage.rbxmx"), file("docs/pictures/island.rbxlx")], (page) => select(page, "Door")],
  mesh: [[file("fixtures/rbxmesh/v7_00_all.mesh")]],
  skinned: [[{ name: "walk.bvh", bytes: walk }], (page) => page.getByRole("button", { name: "Skeleton" }).click()],
  m3d: [[file("fixtures/m3d/ascii-all.a3d")]],
  secondlife: [[file("fixtures/slmesh/upload.slm")]],
  llsd: [[file("fixtures/llsd/every_type.xml")]],
  script: [[{ name: "door.rbxmx", bytes: SCRIPT }], async (page) => (await wait(page), await select(page, "Door"))],
  search: [[{ name: "door.rbxmx", bytes: SCRIPT }], async (page) => {
    await page.keyboard.press("Control+Shift+F");
    await page.locator("#grep").fill("part.Name");
    await page.getByLabel("Replace with").fill("item.Name");
  }],
  handles: [[file("docs/pictures/cottage.rbxmx")], async (page) => {
    await page.locator("canvas.three").focus();
    await page.keyboard.press("2");
    await select(page, "Door");
  }],
  arrange: [[file("docs/pictures/cottage.rbxmx")], async (page) => {
    await select(page, "Door");
    const arrange = page.getByRole("button", { name: "Arrange" });
    if (await arrange.isVisible()) await arrange.click();
  }],
  before: [[file("docs/pictures/island.rbxlx")], async (page) => (await page.waitForTimeout(2000), await page.getByRole("button", { name: "Before and after" }).click())],
  differences: [[file("docs/pictures/cottage.rbxmx"), file("docs/pictures/island.rbxlx")], async (page) => {
    await page.getByRole("button", { name: "Differences" }).click();
    await page.getByLabel("Compare with").selectOption({ index: 1 });
  }],
  inventory: [[{ name: "inventory.iar", bytes: gzipSync(region(INVENTORY)) }], async (page) => {
    await wait(page);
    await select(page, "A chair");
  }],
  gui: [[{ name: "gui.rbxmx", bytes: GUI }], async (page) => (await wait(page), await page.getByRole("button", { name: "User interface" }).click())],
  motions: [[{ name: "walk.anim", bytes: MOTION }]],
  help: [[file("docs/pictures/cottage.rbxmx")], (page) => page.getByRole("button", { name: "Help" }).click()],
  motion: [[{ name: "walk.bvh", bytes: walk }]],
  broken: [[{ name: "broken.mesh", bytes: "version 5.00\nabc" }]],
  fifty: [Array.from({ length: 50 }, (_, at) => ({ ...file("docs/pictures/cottage.rbxmx"), name: `cottage-${at + 1}.rbxmx` })), (page) => page.waitForTimeout(4000)],
  findings: [[file("fixtures/rbxmesh/v4_01_skin.mesh")], (page) => page.getByRole("button", { name: /finding/i }).click()],
  sheet: [[file("docs/pictures/cottage.rbxmx")], async (page) => {
    const explorer = page.locator(".sheets button").first();
    if (await explorer.isVisible()) await explorer.click();
    await select(page, "Wall");
    const properties = page.locator(".sheets button").last();
    if (await properties.isVisible()) await properties.click();
  }],
};

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
mkdirSync(out, { recursive: true });
const wanted = process.argv.slice(2);
const driver = await browser();
if (!driver) throw new Error("playwright-core or a browser is missing");
const server = await serve(join(here, "../target/page"));
for (const [name, [files = [], then]] of Object.entries(STATES)) {
  if (wanted.length && !wanted.includes(name)) continue;
  for (const colorScheme of ["light", "dark"]) {
    const context = await driver.newContext({ viewport: { width: 1280, height: 800 }, colorScheme, reducedMotion: "reduce", serviceWorkers: "block" });
    const page = await context.newPage();
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      await page.goto("about:blank");
      await page.goto(server.address);
      const forget = (name) => new Promise((done) => Object.assign(indexedDB.deleteDatabase(name), { onsuccess: done, onerror: done, onblocked: done }));
      for (const name of ["rezkit", "rezkit-states"]) await page.evaluate(forget, name);
      await page.reload();
      await page.waitForSelector("body[data-ready]");
      if (files.length) await drop(page, files);
      await wait(page);
      await then?.(page);
      await wait(page);
      await page.screenshot({ path: join(out, `${name}-${width}-${colorScheme}.png`) });
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      for (const { id, nodes } of violations) console.log(`${name}, ${width}, ${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(" ").slice(0, 300)}`);
    }
    await context.close();
  }
  console.log(name);
}
await driver.close();
server.close();
