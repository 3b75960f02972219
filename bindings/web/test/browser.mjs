// Starts a browser and a file server for the tests of the page.

import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

/** A server of a folder, for this machine alone; its address, the requests so far, and what ends it. */
export async function serve(folder) {
  const requests = [];
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://x").pathname);
    requests.push(path);
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    // As servers of files do, with the copies that the build made.
    const packed = existsSync(`${file}.gz`) && { "content-encoding": "gzip" };
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", ...packed });
    return response.end(readFileSync(packed ? `${file}.gz` : file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, requests, close: () => server.close() };
}

/** An installed Chromium, driven by playwright-core; undefined if either is missing. */
export async function browser() {
  const found = ["chromium", "chromium-browser", "google-chrome"].map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));
  const executablePath = process.env.CHROMIUM ?? found;
  const playwright = await import("playwright-core").catch(() => undefined);
  if (!playwright || !executablePath) return undefined;
  const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  return playwright.chromium.launch({ executablePath, args });
}

/** A window with a clipboard, in which every question is agreed to; what fails in it is noted. */
export async function open(driver, errors) {
  const context = await driver.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, serviceWorkers: "block", permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => dialog.accept().catch(() => {}));
  page.setDefaultTimeout(Number(process.env.TIMEOUT ?? 60_000));
  return page;
}

/** Waits until the status line begins with a text. */
export const said = (page, text) =>
  page.waitForFunction((wanted) => document.querySelector(".status p").textContent.startsWith(wanted), text).catch(async (error) => {
    throw new Error(`expected "${text}", found "${await page.locator(".status p").innerText()}"`, { cause: error });
  });

/** Drops files on a page, as a user does. */
export async function drop(page, files) {
  const given = await held(page, files);
  await given.evaluate((transfer) => void document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true })));
}

/** What is dragged with files. To make it takes time, which is none of the page's. */
export async function held(page, files) {
  const given = files.map(({ name, bytes }) => ({ name, text: Buffer.from(bytes).toString("base64") }));
  return page.evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const { name, text } of all) {
      const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    return transfer;
  }, given);
}

/** A motion of a few joints, as BVH. */
export const walk = `HIERARCHY
ROOT hip
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT abdomen
  {
    OFFSET 0 4 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT lShldr
    {
      OFFSET 6 12 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      JOINT lForeArm
      {
        OFFSET 10 0 0
        CHANNELS 3 Zrotation Xrotation Yrotation
        End Site
        {
          OFFSET 9 0 0
        }
      }
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.1
0 40 0 0 0 0 0 0 0 0 0 0 0 0 0
0 41 0 0 5 0 0 0 0 20 0 0 0 30 0
1 40 0 0 9 0 0 0 0 40 0 0 0 60 0
0 40 2 0 0 0 0 0 5 60 0 0 0 20 0
`;

/** An object of OpenSim: a box of 1 x 2 x 3 metres. */
export function box(name, x) {
  const vector = (of, x) => `<${of}><X>${x}</X><Y>0</Y><Z>0</Z></${of}>`;
  return `<SceneObjectGroup><SceneObjectPart><Name>${name}</Name><Scale><X>1</X><Y>2</Y><Z>3</Z></Scale>${vector("GroupPosition", x)}${vector("OffsetPosition", 0)}<RotationOffset><X>0</X><Y>0</Y><Z>0</Z><W>1</W></RotationOffset><Shape><ProfileCurve>1</ProfileCurve><PathCurve>16</PathCurve></Shape></SceneObjectPart></SceneObjectGroup>`;
}

/** A tar archive of texts. Long names have an entry of their own, as OpenSim and GNU tar write them. */
export function region(files) {
  const entry = (name, text, type = "0") => {
    const header = Buffer.alloc(512);
    header.write(name.slice(0, 100)), header.write("0000777", 100), header.write(text.length.toString(8).padStart(11, "0"), 124);
    header.write("        ", 148), header.write(type, 156);
    header.write(`${header.reduce((sum, byte) => sum + byte).toString(8).padStart(6, "0")}\0 `, 148);
    return Buffer.concat([header, Buffer.from(text.padEnd(Math.ceil(text.length / 512) * 512, "\0"))]);
  };
  const entries = Object.entries(files).flatMap(([name, text]) => [...(name.length > 99 ? [entry("././@LongLink", `${name}\0`, "L")] : []), entry(name, text)]);
  return Buffer.concat([...entries, Buffer.alloc(1024)]);
}

/** An instance as XML. */
export const item = (cls, name, more = "", inner = "") =>
  `<Item class="${cls}"><Properties><string name="Name">${name}</string>${more}</Properties>${inner}</Item>`;
const FRAME =
  '<CoordinateFrame name="CFrame"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11>' +
  "<R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame>";
/** The properties of a part. */
export const part = `<bool name="Anchored">true</bool>${FRAME}<Color3uint8 name="Color3uint8">4288914085</Color3uint8><token name="Material">256</token><Vector3 name="size"><X>4</X><Y>1</Y><Z>2</Z></Vector3>`;
