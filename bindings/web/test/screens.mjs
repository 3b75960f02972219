// Screenshots of the page in target/pictures: each state, in four widths, light and dark. Arguments choose states by name.

import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { browser, drop, serve, walk } from "./browser.mjs";

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
    }
    await context.close();
  }
  console.log(name);
}
await driver.close();
server.close();
