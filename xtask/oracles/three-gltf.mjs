// Loads GLB files with three.js's own loader and compares the result with `rezkit info`: triangles as drawn, nodes,
// joints, animations, and the bounds of files without skins.
//   npm install three && node xtask/oracles/three-gltf.mjs REZKIT FILE.glb…
// Files with Draco are only counted, since Draco needs a worker, which Node does not have. Prints each difference; the
// exit status is 1 if there is one.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The parts of a browser that the loader uses. Pictures are not compared.
globalThis.self = globalThis;
globalThis.createImageBitmap = async () => ({ width: 1, height: 1, close() {} });
const warnings = [];
console.warn = (...texts) => warnings.push(texts.join(" "));

const require = createRequire(join(process.cwd(), "package.json"));
const THREE = await import(pathToFileURL(require.resolve("three/src/Three.js").replace("/src/Three.js", "/build/three.module.js")));
const addon = (name) => import(pathToFileURL(require.resolve(`three/addons/${name}`)));
const { GLTFLoader } = await addon("loaders/GLTFLoader.js");
const { MeshoptDecoder } = await addon("libs/meshopt_decoder.module.js");

async function theirs(file) {
  const bytes = await readFile(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const gltf = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(buffer, "");
  const facts = { triangles: 0, joints: new Set(), animations: gltf.animations.length, skins: 0 };
  const bounds = new THREE.Box3();
  for (const scene of gltf.scenes) {
    scene.updateMatrixWorld(true);
    scene.traverse((object) => {
      if (object.isSkinnedMesh) {
        facts.skins += 1;
        object.skeleton.bones.forEach((bone) => facts.joints.add(bone));
      }
      if (!object.isMesh) return;
      const { index, attributes } = object.geometry;
      facts.triangles += (index ? index.count : attributes.position.count) / 3;
      const point = new THREE.Vector3();
      for (let i = 0; i < attributes.position.count; i += 1) {
        bounds.expandByPoint(point.fromBufferAttribute(attributes.position, i).applyMatrix4(object.matrixWorld));
      }
    });
  }
  return { ...facts, joints: facts.joints.size, bounds: [bounds.min.toArray(), bounds.max.toArray()] };
}

const [rezkit, ...files] = process.argv.slice(2);
let failed = 0;
let draco = 0;
for (const file of files) {
  const { facts } = JSON.parse(execFileSync(rezkit, ["info", "--json", file], { encoding: "utf8" }));
  const differences = [];
  try {
    const three = await theirs(file);
    for (const name of ["triangles", "joints", "animations"]) {
      if ((facts[name] ?? 0) !== three[name]) differences.push(`${name}: ${facts[name]}, three.js ${three[name]}`);
    }
    if (!three.skins && three.triangles && facts.bounds) {
      const size = Math.max(...facts.bounds.flat().map(Math.abs));
      const far = facts.bounds.flat().map((at, index) => Math.abs(at - three.bounds.flat()[index]));
      if (!(Math.max(...far) <= 1e-5 * size)) differences.push(`bounds: ${JSON.stringify(facts.bounds)}, three.js ${JSON.stringify(three.bounds)}`);
    }
  } catch (error) {
    if (/DRACOLoader/.test(error.message)) {
      draco += 1;
      continue;
    }
    differences.push(`three.js: ${error.message}`);
  }
  differences.push(...warnings.splice(0).map((text) => `three.js warns: ${text}`));
  failed += differences.length ? 1 : 0;
  differences.forEach((difference) => console.log(`${file}: ${difference}`));
}
console.log(`${files.length - failed - draco} equal, ${failed} different, ${draco} with Draco not loaded`);
process.exit(failed ? 1 : 0);
