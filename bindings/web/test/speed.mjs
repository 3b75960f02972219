// Measures times of the page with a processor that is slowed down four times: `node test/speed.mjs [MESH [PLACE]]`
// prints milliseconds. Files come from a server on this machine. What edits cost: places.mjs.

import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { browser, drop, serve } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [mesh, place] = process.argv.slice(2);
const driver = await browser();
if (!driver) throw new Error("playwright-core or Chromium is missing");
const server = await serve(join(here, "../target/page"));
/** The speed of the network in megabits each second; 0 does not limit it. */
const MEGABITS = Number(process.env.MEGABITS ?? 0);
const SLOWER = Number(process.env.SLOWER ?? 4);

/** A page of its own, with an empty cache. */
async function open() {
  const page = await (await driver.newContext({ serviceWorkers: "block" })).newPage();
  page.setDefaultTimeout(120_000);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  if (MEGABITS) await devtools.send("Network.enable");
  const speed = MEGABITS * 125_000;
  if (MEGABITS) await devtools.send("Network.emulateNetworkConditions", { offline: false, latency: 20, downloadThroughput: speed, uploadThroughput: speed });
  return page;
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

/** The time of what is done, five times, each in a page of its own. */
async function time(what, done) {
  const times = [];
  for (let round = 0; round < 5; round += 1) times.push(await done(await open()));
  console.log(`${what}: ${Math.round(median(times))} ms (${Math.round(times[0])} to ${Math.round(times.at(-1))})`);
}

async function ready(page) {
  await page.goto(server.address);
  await page.waitForSelector("body[data-ready]");
}

/** From the drop of a file until something of a selector is there, and painted. */
async function shown(page, path, selector) {
  await ready(page);
  await page.evaluate((selector) => {
    const watched = (resolve) => {
      const start = performance.now();
      const look = () => {
        if (!document.querySelector(selector)) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
      };
      const observer = new MutationObserver(look);
      observer.observe(document.body, { subtree: true, childList: true, attributes: true });
    };
    globalThis.took = new Promise((resolve) => addEventListener("drop", () => watched(resolve), { capture: true, once: true }));
  }, selector);
  await drop(page, [{ name: path.split("/").pop(), bytes: readFileSync(path) }]);
  const took = await page.evaluate(() => globalThis.took);
  await page.context().close();
  return took;
}

await time("the page is ready, from an empty cache", async (page) => {
  const start = performance.now();
  await ready(page);
  const took = performance.now() - start;
  await page.context().close();
  return took;
});
if (mesh) {
  await time(`${statSync(mesh).size} bytes in 3D, from the drop`, (page) => shown(page, mesh, "canvas[data-triangles]"));
}
if (place) {
  const size = statSync(place).size;
  await time(`${size} bytes in the tree, from the drop`, (page) => shown(page, place, ".tree .row bdi"));
}

await driver.close();
server.close();
