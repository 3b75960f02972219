// Measures the page with generated places: `node test/places.mjs [COUNT…]`, by default with 60,951 and 115,732 instances. It
// prints, as rows of a table, times in milliseconds and the memory of the browser's renderers. SLOWER slows the processor.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { browser, held, item, serve } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const kit = await import("../target/package/node.js");
await kit.init();
const driver = await browser();
if (!driver) throw new Error("playwright-core or Chromium is missing");
const server = await serve(join(here, "../target/page"));
const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [60_951, 115_732];
/** How many instances an edit changes, and how many places are opened and closed. */
const [MANY, ROUNDS] = [2000, 10];

/** A place of so many instances: cells of 12 parts in six materials, with a decal, a script, a value and a folder. */
function place(count) {
  const part = (cell, at) => {
    const [x, y, z] = [(cell % 90) * 24 + (at % 4) * 5, 2 + Math.floor(at / 4) * 3, Math.floor(cell / 90) * 24 + ((at * 7) % 4) * 5];
    const [c, s] = at % 3 ? [1, 0] : [Math.cos(cell), Math.sin(cell)];
    const rotation = [c, 0, s, 0, 1, 0, -s, 0, c].map((value, of) => `<R${Math.floor(of / 3)}${of % 3}>${value}</R${Math.floor(of / 3)}${of % 3}>`).join("");
    const frame = `<CoordinateFrame name="CFrame"><X>${x}</X><Y>${y}</Y><Z>${z}</Z>${rotation}</CoordinateFrame>`;
    const color = `<Color3uint8 name="Color3uint8">${0xff000000 + (((cell * 2654435761 + at * 40503) % 64) << 18) + ((cell + at) % 32) * 8}</Color3uint8>`;
    const material = `<token name="Material">${[256, 512, 272, 816, 1280, 1056][(cell + at) % 6]}</token>`;
    const size = `<Vector3 name="size"><X>${2 + (at % 3)}</X><Y>${1 + (cell % 3)}</Y><Z>${2 + (cell % 2)}</Z></Vector3>`;
    const shape = at === 7 || at === 8 ? `<token name="shape">${at === 7 ? 2 : 0}</token>` : "";
    const own = `<bool name="Anchored">true</bool>${frame}${color}${material}${size}${shape}`;
    return item(at === 5 ? "WedgePart" : "Part", at === 0 && cell < MANY ? "Chosen" : `Part${at}`, own, at === 3 ? item("Decal", "Decal") : "");
  };
  const script = '<ProtectedString name="Source"><![CDATA[print(script.Parent.Name)\n]]></ProtectedString>';
  const cell = (index) =>
    item("Model", `Cell${index}`, "", Array.from({ length: 12 }, (_, at) => part(index, at)).join("") + item("Script", "Script", script) + item("StringValue", "Value") + item("Folder", "Folder"));
  const cells = Array.from({ length: Math.floor((count - 3) / 17) }, (_, index) => cell(index));
  const rest = Array.from({ length: (count - 3) % 17 }, (_, at) => item("Folder", `Rest${at}`));
  const text = `<roblox version="4">${item("Workspace", "Workspace", "", [...cells, ...rest, item("Camera", "Camera")].join(""))}${item("Lighting", "Lighting")}</roblox>`;
  const asset = kit.load(Buffer.from(text), { name: "place.rbxlx" });
  const { instances } = asset.describe().facts;
  if (instances !== count) throw new Error(`expected ${count} instances, made ${instances}`);
  const [{ bytes }] = asset.convert("rbxl").files;
  asset.free();
  return bytes;
}

/** The memory of the browser's renderers in megabytes. */
function memory() {
  const of = (pid) => {
    try {
      const isOne = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer");
      return isOne ? Number(/Pss:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0) : 0;
    } catch {
      return 0;
    }
  };
  return Math.round(readdirSync("/proc").filter((name) => /^\d+$/.test(name)).reduce((sum, pid) => sum + of(pid), 0) / 1000);
}

async function open() {
  const page = await (await driver.newContext({ serviceWorkers: "block", viewport: { width: 1280, height: 800 } })).newPage();
  page.setDefaultTimeout(120_000);
  const devtools = await page.context().newCDPSession(page);
  if (process.env.SLOWER) await devtools.send("Emulation.setCPUThrottlingRate", { rate: Number(process.env.SLOWER) });
  await page.goto(server.address);
  await page.waitForSelector("body[data-ready]");
  // Who chooses a file takes some seconds, in which the shaders are compiled.
  await page.waitForTimeout(4000);
  await page.evaluate(() => {
    globalThis.still = [];
    new PerformanceObserver((list) => globalThis.still.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  });
  return page;
}

/** What is done, with the longest time in which the page did not answer until everything is quiet. */
async function still(page, done) {
  await page.evaluate(() => void (globalThis.still.length = 0));
  const took = await done();
  await page.waitForTimeout(2500);
  return { took, still: Math.round(await page.evaluate(() => Math.max(0, ...globalThis.still))) };
}
const row = (...cells) => console.log(`| ${cells.join(" | ")} |`);

const files = (bytes) => [{ name: "place.rbxl", bytes }];

/** Drops a place; milliseconds until the tree is there, and until all of the picture is. */
async function shown(page, given) {
  await given.evaluate((transfer) => {
    const start = performance.now();
    globalThis.shown = {};
    const look = () => {
      if (document.querySelector(".tree .row bdi")) globalThis.shown.tree ??= performance.now() - start;
      if (document.querySelector("canvas[data-triangles]")) globalThis.shown.picture ??= performance.now() - start;
      if (!globalThis.shown.picture) requestAnimationFrame(look);
    };
    look();
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => globalThis.shown.picture);
  return page.evaluate(() => globalThis.shown);
}

/** Presses a key, and waits until the edit is in the file and in the picture: milliseconds for both. */
const edited = (page, key) =>
  page.evaluate((key) => {
    const start = performance.now();
    const took = {};
    // How many edits there are.
    const now = () => document.querySelector(".status [role=group] button:last-child").textContent;
    const before = now();
    const look = (resolve) => {
      if (now() !== before) took.edit ??= performance.now() - start;
      if (Number(document.querySelector("canvas.three").dataset.drawn) > start) took.picture ??= performance.now() - start;
      if (took.edit && took.picture) resolve(took);
      else setTimeout(look, 4, resolve);
    };
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey: key !== "Enter", bubbles: true }));
    return new Promise(look);
  }, key);

const least = (all) => Object.fromEntries(Object.keys(all[0]).map((name) => [name, Math.round(Math.min(...all.map((one) => one[name])))]));

for (const count of counts) {
  const bytes = place(count);
  const opened = [];
  let page;
  for (let round = 0; round < 3; round += 1) {
    await page?.context().close();
    page = await open();
    const given = await held(page, files(bytes));
    const { took, still: longest } = await still(page, () => shown(page, given));
    opened.push({ ...took, longest });
  }
  const first = least(opened);
  row(`${count.toLocaleString("en")} instances, the best of three`, "in the file, ms", "in the picture, ms", "still, ms");
  row("open", first.tree, first.picture, first.longest);
  const search = page.getByLabel("Search", { exact: true });
  const selected = await still(page, async () => {
    await search.fill("#Chosen");
    await page.locator(".results", { hasText: `${MANY.toLocaleString("en")} found` }).waitFor();
    await page.getByRole("button", { name: "Select all" }).click();
    await page.locator(".heading", { hasText: `and ${(MANY - 1).toLocaleString("en")} more` }).waitFor();
  });
  row(`select ${MANY.toLocaleString("en")}`, "", "", selected.still);
  /** Does something three times; the best of each. */
  const best = async (what, done) => {
    const all = [];
    for (let round = 0; round < 3; round += 1) {
      const { took, still: longest } = await still(page, await done(round));
      all.push({ ...took, longest });
    }
    const { edit, picture, longest } = least(all);
    row(what, edit, picture ?? "", longest);
  };
  for (const [label, values] of [["Transparency", ["0.5", "0.4", "0.3"]], ["Color, red, green, blue", ["9, 99, 199", "9, 99, 99", "9, 9, 99"]], ["Size X", ["7", "6", "5"]], ["CFrame position Y", ["30", "31", "32"]]]) {
    await best(`${label.replace(/,.*/, "")} of ${MANY.toLocaleString("en")}`, async (round) => {
      const field = page.locator("aside.right").getByLabel(label, { exact: true });
      await field.scrollIntoViewIfNeeded();
      await field.fill(values[round]);
      await page.waitForTimeout(1000);
      return () => edited(page, "Enter");
    });
  }
  await best("undo one of these", async () => {
    await page.locator(".tree").focus();
    return () => edited(page, "z");
  });
  await page.context().close();
  const again = await open();
  again.on("dialog", (dialog) => dialog.accept());
  const sizes = [memory()];
  for (let round = 0; round < ROUNDS; round += 1) {
    await shown(again, await held(again, files(bytes)));
    sizes.push(memory());
    await again.getByRole("button", { name: "Close place.rbxl" }).click();
    await again.waitForSelector(".empty");
  }
  await again.waitForTimeout(3000);
  sizes.push(memory());
  row("memory: empty, with one, with the tenth, after closing it", [sizes[0], sizes[1], sizes.at(-2), sizes.at(-1)].map((size) => `${size} MB`).join(", "), "");
  await again.context().close();
}
await driver.close();
server.close();
