// Compares pictures of the page, which uses three.js, with those of the command line from the same camera: the
// silhouettes must be equal.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { browser } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const cli = process.env.REZKIT ?? join(root, "target/debug/rezkit");
const shots = join(here, "../target/pictures");
mkdirSync(shots, { recursive: true });
const SIZE = 400;
/** Models of each format. PICTURES has others: paths with `:` between them. */
const MODELS = process.env.PICTURES?.split(":") ?? [
  "m3d/ascii-all.a3d", "m3d/voxels-d1-p1.m3d", "m3d/ascii-mesh-slashes.a3d", "m3d/voxels-d4-p2.m3d", "m3d/ascii-mesh.a3d",
  "slmesh/upload.slm", "slmesh/no_geometry.llmesh", "rbxmesh/v2_00.mesh", "rbxmesh/v7_00_all.mesh",
].map((name) => join(root, "fixtures", name));
/** A part of each shape, in a row. */
const item = (shape, index) =>
  `<Item class="Part"><Properties><string name="Name">Part</string><token name="shape">${shape}</token>` +
  `<Vector3 name="size"><X>2</X><Y>3</Y><Z>2</Z></Vector3><CoordinateFrame name="CFrame"><X>${index * 3}</X><Y>0</Y><Z>0</Z>` +
  "<R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11><R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22>" +
  "</CoordinateFrame></Properties></Item>";
const PARTS = `<roblox version="4">${[0, 1, 2, 3, 4].map(item).join("")}</roblox>`;

/** A GLB file with a camera beside and above the model. */
function withCamera(bytes, [min, max]) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length));
  const center = min.map((low, axis) => (low + max[axis]) / 2);
  const radius = Math.hypot(...min.map((low, axis) => max[axis] - low)) / 2;
  const [yaw, pitch, yfov] = [0.6, 0.4, 0.7];
  const away = [Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch), Math.cos(pitch) * Math.cos(yaw)];
  const translation = center.map((at, axis) => at + (away[axis] * radius * 1.1) / Math.sin(yfov / 2));
  // A rotation about y by the yaw, then about x downwards by the pitch.
  const [a, b, c, d] = [Math.cos(yaw / 2), Math.sin(yaw / 2), Math.cos(-pitch / 2), Math.sin(-pitch / 2)];
  const rotation = [a * d, b * c, -b * d, a * c];
  const camera = { type: "perspective", perspective: { yfov, znear: radius / 100, aspectRatio: 1 } };
  json.cameras = [camera];
  json.nodes.push({ camera: 0, translation, rotation });
  json.scenes[0].nodes.push(json.nodes.length - 1);
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
  const head = Buffer.from(bytes.subarray(0, 20));
  head.writeUInt32LE(padded.length, 12);
  head.writeUInt32LE(20 + padded.length + bytes.length - 20 - length, 8);
  return { glb: Buffer.concat([head, padded, bytes.subarray(20 + length)]), camera: { translation, rotation, yfov } };
}

const driver = await browser();
const hasVite = existsSync(join(here, "../node_modules/vite"));
const skip = !driver || !hasVite || !existsSync(cli) ? "a browser, Vite or the command line is missing" : false;
let server;
after(async () => {
  await driver?.close();
  await server?.close();
});

test("pictures have the silhouettes of the command line's", { skip }, async () => {
  const { createServer } = await import("vite");
  server = await createServer({ configFile: join(here, "../vite.config.ts"), server: { host: "127.0.0.1", port: 0 } });
  await server.listen();
  const page = await driver.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(server.resolvedUrls.local[0]);
  await page.waitForSelector("body[data-ready]");
  const folder = mkdtempSync(join(tmpdir(), "rezkit-"));
  const parts = join(folder, "parts.rbxmx");
  writeFileSync(parts, PARTS);
  for (const [index, model] of [parts, ...MODELS].entries()) {
    const [glbPath, png] = ["glb", "png"].map((ending) => join(folder, `${index}.${ending}`));
    execFileSync(cli, ["convert", "--allow-loss", model, glbPath], { stdio: "pipe" });
    const { facts } = JSON.parse(execFileSync(cli, ["info", "--json", glbPath]));
    const { glb, camera } = withCamera(readFileSync(glbPath), facts.bounds);
    writeFileSync(glbPath, glb);
    const size = ["--size", `${SIZE}x${SIZE}`];
    execFileSync(cli, ["render", "--camera", "place", "--background", "none", ...size, glbPath, "-o", png]);
    const given = { glb: glb.toString("base64"), png: readFileSync(png).toString("base64"), camera, SIZE };
    const found = await page.evaluate(async ({ glb, png, camera, SIZE }) => {
      const { front } = await import("/src/engine.ts");
      const { View } = await import("/src/three.ts");
      const bytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
      const source = { key: -1, base: Math.random(), file: new Blob([bytes(glb)]), name: "a.glb", path: "a.glb", steps: [] };
      const canvas = document.createElement("canvas");
      canvas.style.cssText = `width:${SIZE}px;height:${SIZE}px;position:fixed;top:0;left:0`;
      document.body.append(canvas);
      const view = new View(canvas);
      view.hasGrid = false;
      await view.add(await front.ask(source, "scene", [{}]));
      view.draw();
      const radius = view.box().max.distanceTo(view.box().min) / 2;
      // Prevent the next frame from changing this camera.
      view.draw = () => {};
      view.camera.position.fromArray(camera.translation);
      view.camera.quaternion.fromArray(camera.rotation);
      view.camera.fov = (camera.yfov * 180) / Math.PI;
      view.camera.near = radius / 100;
      view.camera.far = radius * 100;
      view.camera.updateProjectionMatrix();
      const drawnByKit = await createImageBitmap(new Blob([bytes(png)]));
      view.renderer.render(view.world, view.camera);
      const shapes = [];
      for (const image of [canvas, drawnByKit]) {
        const flat = new OffscreenCanvas(SIZE, SIZE).getContext("2d");
        flat.drawImage(image, 0, 0, SIZE, SIZE);
        shapes.push(flat.getImageData(0, 0, SIZE, SIZE).data);
      }
      let [different, drawn] = [0, 0];
      for (let pixel = 3; pixel < SIZE * SIZE * 4; pixel += 4) {
        const [a, b] = shapes.map((data) => data[pixel] > 127);
        different += a !== b;
        drawn += a;
      }
      view.renderer.render(view.world, view.camera);
      const picture = canvas.toDataURL("image/png");
      view.dispose();
      canvas.remove();
      return { different, drawn, picture };
    }, given);
    const name = model.split("/").pop();
    writeFileSync(join(shots, `three-${name}.png`), Buffer.from(found.picture.split(",")[1], "base64"));
    writeFileSync(join(shots, `kit-${name}.png`), readFileSync(png));
    const share = found.different / SIZE ** 2;
    console.log(`${name}: ${found.drawn} pixels drawn, ${(share * 100).toFixed(2)} % differ`);
    assert.ok(found.drawn > 500, `${name}: ${found.drawn} pixels`);
    // Relative to the drawn pixels, which are fewer than those of the picture.
    assert.ok(found.different <= found.drawn * 0.03, `${name}: ${found.different} of ${found.drawn} pixels`);
  }
});
