// Tests the package in Node. Its results must equal those of the command line, for each fixture and each real file;
// broken files must only throw its own error class, and memory must not grow. REZKIT is the path of the command line;
// with SAMPLE=n, only each nth file is tried.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { about, classes, detect, diff, init, load, memory, needed, RezkitError, unpack } from "../target/package/node.js";
import { box, region, walk } from "./browser.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const cli = process.env.REZKIT ?? join(root, "target/debug/rezkit");
const sample = Number(process.env.SAMPLE ?? 1);
const skip = existsSync(cli) ? false : "the command line is not built";

function below(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? below(path) : [path];
    });
}
const corpus = process.env.CORPUS ?? join(root, "../shared/corpus");

const files = [...below(join(root, "fixtures")), ...below(corpus)].filter((_, index) => index % sample === 0);
const name = (path) => path.slice(path.lastIndexOf("/") + 1);

await init();

/** What a command prints, a JSON value a line. */
function printed(...args) {
  const { stdout } = spawnSync(cli, args, { maxBuffer: 1 << 30 });
  return stdout.toString().split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

/** An asset of a file, or the error. */
function opened(path) {
  try {
    return load(readFileSync(path), { name: name(path) });
  } catch (error) {
    assert.ok(error instanceof RezkitError, `${path}: ${error}`);
    assert.notEqual(error.kind, "crash", `${path}: ${error}`);
    return error;
  }
}

test("facts, findings, scripts and assets are those of the command line", { skip }, () => {
  // All files in one call, since starting the program takes longer than reading a file.
  const by = (lines, key) => {
    const all = new Map();
    for (const { [key]: file, ...line } of lines) all.set(file, [...(all.get(file) ?? []), line]);
    return all;
  };
  const info = by(printed("info", "--json", ...files), "path");
  const check = by(printed("check", "--json", ...files), "file");
  const scripts = by(printed("scripts", "--json", ...files), "file");
  const assets = by(printed("assets", "--json", ...files), "file");
  // Only the command line has folders, and refuses paths out of them.
  const isOut = (loss) => loss.includes("the path leads out of the folder");
  let same = 0;
  for (const path of files) {
    const asset = opened(path);
    if (asset instanceof RezkitError) {
      assert.ok((info.get(path) ?? []).every((line) => "error" in line), `${path}: the command line reads it, and here: ${asset}`);
      continue;
    }
    const { title, ...facts } = asset.describe();
    assert.ok(title);
    // After parsing, escapes in the command line's JSON make no difference.
    const told = info.get(path);
    // The engine has no table of clients, and so it knows no name of another year.
    for (const { facts = {} } of told ?? []) for (const fact of ["oldest client", "decided by", "which it lacks", "in no client"]) delete facts[fact];
    for (const { facts = {} } of told ?? []) {
      const left = facts["not supported"]?.filter((loss) => !isOut(loss));
      if (left?.length) facts["not supported"] = left;
      else delete facts["not supported"];
    }
    assert.deepEqual([facts], told, path);
    // The command line leaves out a line that is not known.
    const findings = asset.check().map(({ line, ...rest }) => (line === null ? rest : { ...rest, line }));
    const isKnown = ({ rule }) => !rule.endsWith(".stored-names");
    assert.deepEqual(findings.filter(isKnown), (check.get(path) ?? []).filter((one) => isKnown(one) && !isOut(one.found)), path);
    const found = asset.scripts().map(({ source, ...rest }) => ({ ...rest, lines: (source.match(/[^\n]*\n|[^\n]+$/g) ?? []).length }));
    assert.deepEqual(found, scripts.get(path) ?? [], path);
    const uses = Object.entries(asset.assets()).map(([reference, paths]) => ({ asset: reference, paths }));
    const order = (list) => [...list].sort((a, b) => (a.asset < b.asset ? -1 : 1));
    assert.deepEqual(order(uses), order(assets.get(path) ?? []), path);
    asset.free();
    same += 1;
  }
  console.log(`${same} of ${files.length} files with equal answers`);
  assert.ok(same > files.length / 3);
});

test("avatar items are checked with a type and with numbers as the command line does", { skip }, () => {
  const path = join(root, "docs/pictures/party-hat.rbxmx");
  const folder = mkdtempSync(join(tmpdir(), "rezkit-avatar-"));
  const rules = { AccessoryRules: { NeckAccessory: { Attachments: [{ Name: "NeckAttachment", Size: [1, 1, 1], Offset: [0, 0, 0] }] } } };
  writeFileSync(join(folder, "rules.json"), JSON.stringify(rules));
  const asset = load(readFileSync(path), { name: name(path) });
  const type = (kind) => (kind === null ? [] : ["--type", kind]);
  for (const [kind, numbers] of [[null, undefined], ["Hat", undefined], ["Neck", undefined], ["Neck", rules], ["Neck", JSON.stringify(rules)]]) {
    const more = numbers ? ["--rules", join(folder, "rules.json")] : [];
    const lines = printed("check", "--profile", "roblox-avatar", "--json", "--verbose", ...type(kind), ...more, path);
    const options = { rules: numbers, type: kind ?? undefined };
    const report = asset.avatarItems(options);
    const rows = report.items.flatMap(({ path: item, rows }) => rows.map(({ rule, path, found, allowed, verdict }) => [item, rule, path, found, allowed, verdict].join("|")));
    assert.deepEqual(rows.sort(), lines.map(({ item, rule, path, found, allowed, verdict }) => [item, rule, path, found, allowed, verdict].join("|")).sort());
    const broken = lines.filter(({ verdict }) => verdict === "failed").map(({ rule, path }) => `${rule} ${path}`);
    assert.deepEqual(asset.check("roblox-avatar", options).map(({ rule, path }) => `${rule} ${path}`).sort(), broken.sort());
    assert.equal(report.items[0].kind, kind ?? "Hat");
  }
  assert.throws(() => asset.avatarItems({ type: "Boat" }), /expected one of Hat, .*LeftShoe/);
  assert.throws(() => asset.check("roblox-avatar", { rules: "?" }), /not JSON/);
  assert.throws(() => asset.check({ kind: "Hat" }), /unknown option/);
  rmSync(folder, { recursive: true });
  asset.free();
});

test("an unedited file is saved byte for byte as the command line does", { skip }, () => {
  const graded = new Map(printed("roundtrip", "--json", ...files).map((line) => [line.path, line.grade]));
  let exact = 0;
  for (const path of files) {
    const asset = opened(path);
    if (asset instanceof RezkitError || graded.get(path) !== "exact") continue;
    const bytes = readFileSync(path);
    // For compressed containers, the content must be the same.
    const saved = asset.save();
    if (Buffer.compare(bytes, saved) === 0) exact += 1;
    else assert.deepEqual(diff(asset, load(saved, { name: name(path) })), { changes: [], count: 0 }, path);
    asset.free();
  }
  console.log(`${exact} files saved with the same bytes`);
});

test("conversions are those of the command line, and scenes have the triangles of the GLB", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "rezkit-"));
  let converted = 0;
  let scenes = 0;
  try {
    // One file of each format and version, since each conversion starts a process.
    const seen = new Set();
    for (const path of files) {
      const asset = opened(path);
      if (asset instanceof RezkitError) continue;
      const { format, version } = asset.describe();
      if (seen.has(`${format} ${version}`)) continue;
      seen.add(`${format} ${version}`);
      for (const { name: to, extension } of asset.targets()) {
        const file = `out.${extension}`;
        const where = join(folder, `${seen.size}-${to}`);
        let output;
        try {
          output = asset.convert(to, { name: file, allowLoss: true, fill: "neutral" });
        } catch (error) {
          assert.ok(error instanceof RezkitError && error.kind !== "crash", `${path} to ${to}: ${error}`);
        }
        const args = ["convert", "--allow-loss", "--fill", "neutral", "--to", to, path, join(where, file)];
        execFileSync("mkdir", ["-p", where]);
        const { status, stderr } = spawnSync(cli, args);
        assert.equal(status === 0, Boolean(output), `${path} to ${to}: ${stderr}`);
        if (!output) continue;
        for (const { path: inner, bytes } of output.files) {
          const theirs = readFileSync(join(where, inner));
          if (theirs.equals(bytes)) continue;
          // The sign of a computed NaN depends on the processor.
          const [ours, other] = [bytes, theirs].map((bytes) => load(bytes, { name: inner }));
          assert.deepEqual(diff(ours, other), { changes: [], count: 0 }, `${path} to ${to}: ${inner}`);
          // LZ4 finds other repetitions with 32 bits, so a large binary document is compared as XML.
          if (inner.endsWith(".rbxm")) assert.deepEqual(...[ours, other].map((asset) => asset.convert("rbxmx").files));
          else assert.match(JSON.stringify(ours.get("")), /NaN/);
        }
        converted += 1;
        if (to === "glb") {
          const scene = asset.scene();
          let triangles = 0;
          scene.meshes.forEach((mesh, index) =>
            mesh.primitives.forEach((_, number) => (triangles += scene.primitive(index, number).indices.length / 3)),
          );
          assert.equal(triangles, trianglesOf(output.files[0].bytes), path);
          for (const path of asset.nodePaths(scene)) if (path !== null) asset.node(path);
          scene.free();
          scenes += 1;
        }
      }
      asset.free();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.log(`${converted} conversions with equal bytes, ${scenes} scenes`);
  assert.ok(converted > 20 && scenes > 5);
});

/** How many triangles the meshes of a GLB have, from its JSON alone. */
function trianglesOf(glb) {
  const view = new DataView(glb.buffer, glb.byteOffset, glb.length);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + view.getUint32(12, true))));
  let sum = 0;
  for (const { primitives } of json.meshes ?? []) {
    for (const { indices, attributes } of primitives) sum += json.accessors[indices ?? attributes.POSITION].count / 3;
  }
  return sum;
}

test("values are those of the command line, and an edit is what the command line makes", { skip }, () => {
  const path = join(root, "fixtures/llsd/nested.bin");
  const asset = load(readFileSync(path), { name: "nested.bin" });
  for (const { path: at } of asset.tree.children()) {
    const [{ value }] = printed("get", "--json", path, at);
    assert.deepEqual(asset.get(at), value);
  }
  const text = new TextEncoder().encode("<llsd><map><key>a</key><integer>1</integer></map></llsd>");
  const [old, now] = [load(text), load(text)];
  assert.deepEqual(now.set("a", 2), []);
  const { changes } = diff(old, now);
  assert.deepEqual(changes, [{ path: "a", node: null, type: "integer", old: 1, new: 2, change: "changed" }]);
  assert.equal(new TextDecoder().decode(now.save()), "<llsd><map><key>a</key><integer>2</integer></map></llsd>");
  assert.throws(() => now.set("b", 2), { name: "RezkitError", kind: "argument" });
});

test("the text of a value counts against maxBytes", { skip }, () => {
  // Each byte, a vertical tab, is six letters of JSON.
  const bytes = Buffer.concat([Buffer.from("<? llsd/binary ?>\ns\0\x04\0\0", "latin1"), Buffer.alloc(0x40000, 0x0b)]);
  assert.equal(load(bytes, { name: "a.llsd" }).get("").length, 0x40000);
  assert.throws(() => load(bytes, { name: "a.llsd", maxBytes: 1_500_000 }).get(""), { kind: "limit" });
});

test("edits of the tree and selectors are those of the command line", { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), "rezkit-"));
  const model = join(root, "docs/pictures/cottage.rbxmx");
  const asset = load(readFileSync(model), { name: "cottage.rbxmx" });
  const wanted = "Part[Material = Wood]";
  const { nodes, count } = asset.query(wanted);
  assert.deepEqual(nodes.map(({ path }) => path), printed("find", "--json", model, wanted).map(({ path }) => path));
  assert.equal(count, nodes.length);
  const copied = asset.edit({ do: "copy", path: "Cottage/Door", model: "door.rbxmx" }).files[0];
  assert.equal(copied.path, "door.rbxmx");
  writeFileSync(join(folder, "door.rbxmx"), copied.bytes);
  const edits = [
    { do: "add", class: "Folder", parent: "Cottage", properties: [["Name", "Parts"]] },
    { do: "move", path: "Cottage/Knob", parent: "Cottage/Parts" },
    { do: "rename", path: "Cottage/Lintel", name: "Beam" },
    { do: "remove", path: "Cottage/Chimney" },
    { do: "set", path: "Cottage/Path.Anchored", value: "false" },
    { do: "insert", model: "door.rbxmx", parent: "Cottage/Parts" },
  ];
  asset.edit(edits, { models: { "door.rbxmx": copied.bytes } });
  const script =
    "add Folder Cottage Name=Parts\nmove Cottage/Knob Cottage/Parts\nrename Cottage/Lintel Beam\nremove Cottage/Chimney\n" +
    `set Cottage/Path.Anchored false\ninsert ${JSON.stringify(join(folder, "door.rbxmx"))} Cottage/Parts\n`;
  const out = join(folder, "out.rbxmx");
  execFileSync(cli, ["edit", model, "-o", out], { input: script, stdio: ["pipe", "pipe", "ignore"] });
  assert.equal(Buffer.from(asset.save()).toString(), readFileSync(out, "utf8"));
  const walls = asset.query("#Wall").nodes.map(({ path }) => ({ do: "rename", path, name: "Side" }));
  asset.edit(walls, { atOnce: true });
  assert.deepEqual([walls.length, asset.query("#Side").count, asset.query("#Wall").count], [2, 2, 0]);
  // One edit that fails leaves all others out.
  const before = Buffer.from(asset.save());
  assert.throws(() => asset.edit([{ do: "remove", path: "Cottage/Parts" }, { do: "remove", path: "nothing" }]), { kind: "argument" });
  assert.deepEqual(Buffer.from(asset.save()), before);
});

test("properties have the names, the items and the defaults of Studio", () => {
  const asset = load(readFileSync(join(root, "docs/pictures/cottage.rbxmx")), { name: "cottage.rbxmx" });
  const found = new Map(asset.node("Cottage/Door").properties().map((one) => [one.title, one]));
  assert.equal(found.get("Size").name, "size");
  assert.equal(found.get("Color").kind, "Color3uint8");
  assert.ok(found.get("Material").items.includes("Grass"));
  const { source, text } = found.get("Massless");
  assert.deepEqual([source, text], ["default", "false"]);
  assert.equal(classes().find(({ name }) => name === "Part").base, "FormFactorPart");
  asset.edit({ do: "add", class: "BrickColorValue", parent: "", properties: [["Value", "Bright red"]] });
  const color = asset.node("BrickColorValue").properties().find(({ name }) => name === "Value");
  assert.deepEqual([color.text, color.items.length], ["Bright red", 204]);
});

test("errors have kind, path and offset", () => {
  const wrong = (run, kind) => assert.throws(run, (error) => error instanceof RezkitError && error.kind === kind);
  assert.throws(() => load(new TextEncoder().encode("version 2.00\n")), { kind: "unreadable", path: "header.size", offset: 13 });
  wrong(() => load(new TextEncoder().encode("hello")), "unknown");
  wrong(() => load("text"), "argument");
  wrong(() => load(new Uint8Array(100), { maxBytes: 99 }), "limit");
  wrong(() => load({ length: 2e9 }), "argument");
  const asset = load(new TextEncoder().encode("<llsd><integer>1</integer></llsd>"));
  wrong(() => asset.get("nothing"), "argument");
  wrong(() => asset.convert("nothing"), "argument");
  wrong(() => asset.convert("json", { deny: "nothing" }), "argument");
  wrong(() => asset.node(3), "argument");
  wrong(() => asset.scene(), "argument");
  asset.free();
  asset.free();
  wrong(() => asset.describe(), "argument");
  assert.equal(detect(new Uint8Array(3)), null);
  assert.ok(about().rules.length > 100 && about().kinds.length > 20);
});

/** Extensions that files of many other programs have, too. */
const GENERAL = new Set(["xml", "json"]);

test("each kind has a type and a picture on a desktop, and an editor in VS Code", () => {
  const types = readFileSync(join(root, "share/mime/packages/rezkit.xml"), "utf8");
  const patterns = (text, expression) => [...text.matchAll(expression)].map(([, found]) => found);
  const globs = new Set(patterns(types, /<glob pattern="\*\.(\w+)"/g));
  const { contributes } = JSON.parse(readFileSync(join(root, "bindings/vscode/extension/package.json"), "utf8"));
  const editors = new Set(contributes.customEditors.flatMap(({ selector }) => selector.map(({ filenamePattern }) => filenamePattern.slice(2))));
  for (const extension of about().kinds.flatMap(({ extensions }) => extensions)) {
    if (!GENERAL.has(extension)) assert.ok(globs.has(extension), `no type for ${extension}`);
    if (extension !== "json") assert.ok(editors.has(extension), `no editor for ${extension}`);
  }
  const known = new Set(patterns(types, /<mime-type type="([^"]+)"/g));
  const drawn = readFileSync(join(root, "share/thumbnailers/rezkit.thumbnailer"), "utf8").match(/^MimeType=(.*);$/m)[1].split(";");
  for (const type of drawn) assert.ok(known.has(type), `${type} is not defined`);
});

test("the files beside a file are asked for", () => {
  const obj = new TextEncoder().encode("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n");
  assert.deepEqual(needed(obj, { name: "a.obj" }), [{ kind: "beside", name: "a.mtl" }]);
  const mtl = new TextEncoder().encode("newmtl red\nKd 1 0 0\n");
  for (const files of [{ "a.mtl": mtl }, new Map([["a.mtl", mtl]]), (kind, name) => (name === "a.mtl" ? mtl : null)]) {
    const scene = load(obj, { name: "a.obj", files }).scene();
    assert.deepEqual(scene.materials[0].base_color.slice(1), [0, 0, 1]);
  }
  const failing = load(obj, {
    name: "a.obj",
    files: () => {
      throw new Error("no network");
    },
  });
  assert.ok(failing.scene().meshes.length);
});

test("broken files throw nothing else, and the memory stays flat", () => {
  // Small files, each broken at different positions.
  const small = files.filter((path) => statSync(path).size < 20_000 && !path.endsWith(".tsv"));
  const rounds = Number(process.env.BROKEN ?? 2000);
  let state = 1;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const used = () => memory() + process.memoryUsage().arrayBuffers;
  let early;
  let crashes = 0;
  const kinds = new Map();
  for (let round = 0; round < rounds; round += 1) {
    const path = small[random(small.length)];
    const bytes = Uint8Array.from(readFileSync(path));
    for (let count = random(4); count >= 0 && bytes.length; count -= 1) bytes[random(bytes.length)] = random(256);
    const given = random(4) ? bytes : bytes.subarray(0, random(bytes.length));
    let asset;
    try {
      asset = load(given, { name: name(path), maxBytes: 64e6 });
      asset.describe();
      asset.check();
      asset.tree.children(0, 50);
      asset.find("a", 50);
      asset.scripts();
      asset.extract();
      asset.save();
      const targets = asset.targets();
      if (targets.length) asset.convert(targets[random(targets.length)].name, { allowLoss: true, fill: "neutral" });
      asset.scene().free();
    } catch (error) {
      assert.ok(error instanceof RezkitError, `${path}: ${error.stack}`);
      kinds.set(error.kind, (kinds.get(error.kind) ?? 0) + 1);
      if (error.kind === "crash") {
        crashes += 1;
        console.log(`${path}, round ${round}: ${error.message}`);
      }
    } finally {
      asset?.free();
    }
    if (round === Math.floor(rounds / 4)) early = used();
  }
  console.log(`${rounds} broken files:`, Object.fromEntries(kinds), `memory ${early} then ${used()}`);
  assert.equal(crashes, 0);
  assert.ok(used() <= early * 1.5 + 16e6);
});

test("what is packed is unpacked, and a bomb stops at the limit", async () => {
  const { gzipSync } = await import("node:zlib");
  const text = Buffer.from("<llsd><integer>1</integer></llsd>");
  const [part] = unpack(gzipSync(text));
  assert.ok(text.equals(part.bytes));
  const bomb = gzipSync(Buffer.alloc(100e6));
  assert.throws(() => unpack(bomb, { maxBytes: 1e6 }), { kind: "limit" });
  assert.throws(() => load(bomb, { maxBytes: 1e6 }), { kind: "limit" });
});

test("wrong arguments are refused", () => {
  const asset = load(readFileSync(join(root, "fixtures/rbxxml/every_type.rbxmx")), { name: "a.rbxmx" });
  const [{ path }] = asset.tree.children();
  for (const value of [undefined, null, {}]) assert.throws(() => asset.set(`${path}.Name`, value), { kind: "argument" });
  assert.throws(() => asset.edit(undefined), { kind: "argument" });
  assert.throws(() => asset.edit({ do: "rename", path, name: "a", other: 1 }), { kind: "argument" });
  asset.edit({ do: "add", parent: "", class: "IntValue" });
  asset.set("IntValue.Value", 9007199254740993n);
  assert.equal(asset.get("IntValue.Value"), "9007199254740993");
  const mesh = load(readFileSync(join(root, "fixtures/rbxmesh/v1_00.mesh")), { name: "a.mesh" });
  const scene = mesh.scene();
  for (const call of [() => scene.primitive(9, 0), () => scene.channel(0, 0), () => scene.inverseBind(0), () => asset.nodePaths(scene)]) {
    assert.throws(call, { kind: "argument" });
  }
});

test("a motion is played as it is asked for", () => {
  // Two keys of a joint, in the layout of keyframe motions.
  const numbers = (list) => {
    const buffer = Buffer.alloc(list.length * 4);
    list.forEach(([kind, value], index) => buffer[`write${kind}LE`](value, index * 4));
    return buffer;
  };
  const motion = (priority, [from, to, looped], [fadeIn, fadeOut], hands) =>
    Buffer.concat([
      numbers([["UInt32", 1], ["Int32", priority], ["Float", 2]]),
      Buffer.from([0]),
      numbers([["Float", from], ["Float", to], ["Int32", looped], ["Float", fadeIn], ["Float", fadeOut]]),
      numbers([["UInt32", hands], ["UInt32", 1]]),
      Buffer.from("mHead\0"),
      numbers([["Int32", -1], ["Int32", 1]]),
      Buffer.from([0, 0, 0, 128, 0, 128, 0, 128]),
      numbers([["Int32", 0], ["Int32", 0]]),
    ]);
  const asset = load(motion(3, [0, 2, 0], [0.5, 0.5], 1), { name: "a.anim" });
  const made = (options) => Buffer.from(asset.convert("anim", options).files[0].bytes);
  assert.deepEqual(made({}), motion(3, [0, 2, 0], [0.5, 0.5], 1));
  const options = { priority: 5, loop: [0.5, 1.5], ease: [0.25, 1], handPose: "point right" };
  assert.deepEqual(made(options), motion(5, [0.5, 1.5, 1], [0.25, 1], 8));
  assert.deepEqual(made({ loop: true, handPose: 3 }), motion(3, [0, 2, 1], [0.5, 0.5], 3));
  for (const wrong of [{ priority: 7 }, { loop: "no" }, { ease: 1 }, { handPose: "wave" }]) {
    assert.throws(() => made(wrong), (error) => error.kind === "argument");
  }
});

test("animations become those of Roblox and of Second Life, as with the command line", { skip }, () => {
  const where = mkdtempSync(join(tmpdir(), "rezkit-"));
  const bvh = join(where, "walk.bvh");
  writeFileSync(bvh, walk);
  const asset = load(Buffer.from(walk), { name: "walk.bvh" });
  const rig = asset.convert("rbxm", { rig: "R6" }).files[0].bytes;
  assert.ok(load(rig, { name: "a.rbxm" }).describe().format === "rbxbinary");
  const ways = [
    ["rbxm", {}, []],
    ["rbxmx", { curves: true, priority: 1000, loop: false }, ["--curves", "--priority", "core", "--loop", "off"]],
    ["rbxmx", { tolerance: [1, 0.01], fps: 12, rig: "R6" }, ["--tolerance", "1,0.01", "--fps", "12", "--rig", "R6"]],
    ["rbxmx", { action: 0, joints: "lForeArm = mElbowLeft" }, ["--action", "0", "--joints", join(where, "joints.txt")]],
    ["anim", {}, []],
    ["anim", { exact: true, priority: 4 }, ["--exact", "--priority", "4"]],
  ];
  writeFileSync(join(where, "joints.txt"), "lForeArm = mElbowLeft");
  const seen = new Set();
  for (const [to, options, args] of ways) {
    const out = join(where, `out.${to}`);
    execFileSync(cli, ["convert", "--force", "--to", to, ...args, bvh, out], { stdio: "pipe" });
    const made = Buffer.from(asset.convert(to, { name: `out.${to}`, ...options }).files[0].bytes);
    assert.deepEqual(made, readFileSync(out), `${to} ${args.join(" ")}`);
    seen.add(made.toString("base64"));
  }
  assert.equal(seen.size, ways.length, "each option has an effect");
  for (const wrong of [{ fps: 0 }, { fps: "x" }, { tolerance: 1 }, { curves: 1 }, { rig: "R7" }, { rig }, { action: "no" }, { exact: true }]) {
    assert.throws(() => asset.convert("rbxm", wrong), (error) => error.kind === "argument", JSON.stringify(wrong));
  }
  rmSync(where, { recursive: true });
});

test("instances keep their ids, and their scene is that of the whole document", () => {
  const asset = opened(join(root, "docs/pictures/cottage.rbxmx"));
  const parts = asset.found("Part", true);
  assert.deepEqual(parts, asset.query("Part", 1e6).nodes.map(({ path }) => path));
  assert.deepEqual(asset.found("wall"), asset.find("wall", 1e6).nodes.map(({ path }) => path));
  const ids = asset.ids(parts);
  assert.deepEqual(asset.paths(ids), parts);
  assert.deepEqual(Array.from(asset.ids(["Cottage", "nothing"])), [asset.ids(["Cottage"])[0], 2 ** 32 - 1]);
  // What each part looks like alone is what it looks like in the whole.
  const shown = (scene) => {
    const of = asset.nodeIds(scene);
    const meshes = scene.nodes.map(({ mesh, transform }, at) => [of[at], mesh === null ? null : scene.meshes[mesh].primitives.map(({ triangles }) => triangles), transform]);
    return new Map(meshes.filter(([, mesh]) => mesh).map(([id, ...rest]) => [id, rest]));
  };
  const whole = shown(asset.scene());
  for (const id of ids) {
    const alone = shown(asset.sceneOf(Uint32Array.of(id)));
    for (const [key, value] of alone) assert.deepEqual(value, whole.get(key));
    assert.equal(alone.has(id), whole.has(id));
  }
  const [first] = ids;
  assert.equal(asset.dependsOn(Uint32Array.of(first), ["Color3uint8"]), true);
  assert.equal(asset.dependsOn(Uint32Array.of(first), ["Anchored", "CanCollide"]), false);
  const [next, before, bytes] = [asset.nextId(), asset.state(), asset.save()];
  assert.ok(asset.held > bytes.length);
  asset.edit([{ do: "rename", path: parts[0], name: "Renamed" }, { do: "remove", path: asset.paths(ids)[1] }, { do: "add", class: "Part", parent: "" }]);
  const [renamed, removed] = asset.paths(ids);
  assert.match(renamed, /Renamed$/);
  assert.equal(removed, "");
  assert.deepEqual(asset.paths(asset.added(next)), ["Part"]);
  assert.equal(asset.below(asset.ids(["Cottage"])).length, asset.query("Instance", 0).count - 1);
  const [after, changed] = [asset.state(), asset.save()];
  asset.restore(before);
  assert.deepEqual(asset.save(), bytes);
  assert.deepEqual(asset.paths(ids), parts);
  assert.equal(asset.nextId(), next);
  before.free();
  asset.restore(after);
  assert.deepEqual(asset.save(), changed);
  assert.deepEqual(asset.paths(ids).slice(0, 2), [renamed, ""]);
});

test("single differences are taken from another document", () => {
  const path = join(root, "docs/pictures/cottage.rbxmx");
  const [mine, theirs] = [opened(path), opened(path)];
  const [first, second] = theirs.found("Part", true);
  theirs.edit([{ do: "set", path: `${first}.Transparency`, value: "0.5" }, { do: "remove", path: second }, { do: "add", class: "Folder", parent: "Cottage" }], { atOnce: true });
  assert.equal(diff(mine, theirs).count, 3);
  mine.take(theirs, `${first}.Transparency`);
  assert.equal(mine.get(`${first}.Transparency`), 0.5);
  assert.equal(diff(mine, theirs).count, 2);
  mine.take(theirs, [second, "Cottage/Folder"]);
  assert.equal(diff(mine, theirs).count, 0);
  assert.throws(() => mine.take(theirs, second), { kind: "argument" });
});

test("an animation is shown on another rig, and a region as one scene", async () => {
  const { gzipSync } = await import("node:zlib");
  const asset = load(Buffer.from(walk), { name: "walk.bvh" });
  const [own, other] = [asset.scene(), asset.sceneOnRig({ rig: "R15" })];
  assert.notEqual(own.nodes.length, other.nodes.length);
  assert.ok(Math.abs(own.animations[0].duration - other.animations[0].duration) < 1e-3);
  assert.ok(other.animations[0].channels.length > 3);
  const made = load(asset.convert("rbxm", { rig: "R15" }).files[0].bytes, { name: "a.rbxm" });
  assert.equal(made.sceneOnRig({ rig: "R15" }), undefined);
  const oar = gzipSync(region({ "archive.xml": '<archive major_version="0" minor_version="8"/>', "objects/a.xml": box("A", 9), "objects/b.xml": box("B", 20) }));
  const [all, ...parts] = unpack(oar, { region: true });
  assert.deepEqual(unpack(oar), parts);
  const files = new Map(parts.map(({ name, bytes }) => [name, bytes]));
  const whole = load(all.bytes, { name: "region.oar", files: (kind, name) => files.get(name.replace(/^(\.\.\/)+/, "")) });
  assert.deepEqual(whole.scene().nodes.map(({ name }) => name).sort(), ["A", "B"]);
});

test("documents need only the first part of the engine", () => {
  // In a process of its own, since an engine is loaded once.
  const program = `
    import { readFileSync } from "node:fs";
    import { init, load } from "./target/package/node.js";
    await init(readFileSync("target/package/engine/rezkit_bg.wasm"), () => { throw new Error("not here"); });
    for (const path of ["rbxbinary/lz4.rbxm", "rbxxml/every_type.rbxmx", "llsd/twice.xml", "llsd/bytes.bin"]) {
      const asset = load(readFileSync("../../fixtures/" + path), { name: path });
      for (const row of asset.tree.children()) { row.properties(); row.children(); asset.get(row.path); }
      asset.describe(); asset.targets(); asset.find("a"); asset.scripts(); asset.assets();
      if (asset.kind.hasInstances) {
        const [{ path }] = asset.query("Instance").nodes;
        asset.edit([{ do: "set", path: path + ".Name", value: "b" }, { do: "add", parent: "", class: "Part", properties: [["Name", "Added"]] }]);
        asset.set("Added.Anchored", true);
      }
      asset.save();
    }
    try { load(readFileSync("../../fixtures/rbxmesh/v1_00.mesh")); } catch ({ kind, message }) { console.log(kind, message); }
    console.log(load(readFileSync("../../fixtures/rbxbinary/lz4.rbxm")).format);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { cwd: join(root, "bindings/web") });
  const without = "crash the engine stopped: its second part could not be loaded: not here";
  assert.deepEqual([stderr.toString(), stdout.toString()], ["", `${without}\nrbxbinary\n`]);
});

test("the program of the README runs", () => {
  const folder = mkdtempSync(join(tmpdir(), "rezkit-"));
  const readme = readFileSync(join(root, "bindings/web/package/README.md"), "utf8");
  writeFileSync(join(folder, "program.mjs"), /```js\n(.*?)```/s.exec(readme)[1]);
  cpSync(join(root, "docs/pictures/cottage.rbxmx"), join(folder, "model.rbxm"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(root, "bindings/web/target/package"), join(folder, "node_modules/rezkit"));
  const printed = execFileSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8" });
  assert.match(printed, /Roblox XML document/);
  assert.match(printed, /Cottage Model/);
  const made = readdirSync(folder).find((file) => file.endsWith(".glb"));
  assert.equal(readFileSync(join(folder, made)).toString("latin1", 0, 4), "glTF");
  rmSync(folder, { recursive: true });
});
