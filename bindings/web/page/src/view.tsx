// The view in the middle: what fits the selection of the current file.

import { effect, signal } from "@preact/signals";
import { AlignCenterVertical, AlignEndVertical, AlignHorizontalSpaceAround, AlignStartVertical, AppWindow, Axis3d, Bone, Camera, Grid3x3, Link, Maximize, Move3d, Pause, Play, Repeat, Rotate3d, Scale3d, Square, SquareSplitHorizontal, type LucideIcon } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { before, compared } from "./drawer";
import { back, front } from "./engine";
import { host } from "./host";
import { add, count, Doc, download, failed, files, many, names, plain, type Row, say, sentence, stemOf } from "./files";
import { actions } from "./explorer";
import { isA } from "./icons";
import { lineEnd } from "./tree";
import { RIGS, Select, Table, Tool, stored, TURNS, useAnswer, useTask } from "./ui";
import type { Frames, Handle, Handles, Snap } from "./handles";
import type { Gui, Images } from "./gui";
import type { Key } from "./pack";
import type { Look, View as ThreeView } from "./three";
import type { Step } from "./worker";

/** The number of lines of a table. */
const ROWS = 100;

const useCode = () => useAnswer(async () => (await import("./code")).default, [], failed);

const languageOf = (text: string) => (/^\s*(<\?|<llsd|<roblox)/.test(text) ? "xml" : /^\s*[[{]\s*"/.test(text) ? "json" : "plain");

/** A string of the file, such as the source of a script. */
function Text({ doc, path, isScript }: { doc: Doc; path: string; isScript?: boolean }) {
  const Code = useCode();
  const read = async () => {
    const value = await doc.ask("get", [path], 1);
    return { path, text: typeof value === "string" ? value : JSON.stringify(value, null, 2) };
  };
  const shown = useAnswer(read, [doc, path, doc.version.value], failed);
  if (!Code || shown?.path !== path) return <p class="wait">Reading …</p>;
  const of = path.replace(/\.Source$/, "");
  const change = (value: string) => doc.edit(`Edited ${plain(of)}`, [{ do: "set", path, value }], { of: [of], names: ["Source"] });
  const line = isScript && doc.line.value?.path === of ? doc.line.value : undefined;
  return <Code key={path + lineEnd(shown.text)} shown={shown} language={isScript ? "luau" : languageOf(shown.text)} label={plain(of)} line={line} change={isScript ? change : undefined} travel={doc.travel} />;
}

/** The whole file as text: LLSD as it is, or in notation if it is binary. */
function Whole({ doc }: { doc: Doc }) {
  const Code = useCode();
  const read = async () => {
    const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    try {
      return { text: decode(await doc.ask("save", [], 1)), isOwn: true };
    } catch {
      const { files } = await doc.ask("convert", ["notation", {}], 1);
      return { text: decode(files[0].bytes), isOwn: false };
    }
  };
  const shown = useAnswer(read, [doc, doc.version.value], failed);
  if (!Code || !shown) return <p class="wait">Reading …</p>;
  const change = (text: string) => doc.edit("Edited the text", [], { text });
  return <Code key={doc.key + lineEnd(shown.text)} shown={shown} language={languageOf(shown.text)} label={plain(doc.name)} change={shown.isOwn ? change : undefined} travel={doc.travel} />;
}

/** The children of a node as a table, with their values as columns. */
function Values({ doc, path }: { doc: Doc; path: string }) {
  const [max, setMax] = useState(ROWS);
  const read = async () => {
    const [node, found] = await Promise.all([doc.ask<Row>("node", [path], 1), doc.ask<Row[]>("rows", [path, 0, max], 1)]);
    const cells = await Promise.all(found.map((row) => (row.count && row.count <= 24 ? doc.ask<Row[]>("rows", [row.path, 0, 24], 2) : [])));
    return { all: node.count, rows: found.map((row, at) => ({ row, cells: cells[at] })) };
  };
  const { all, rows } = useAnswer(read, [doc, path, max, doc.version.value], failed) ?? { all: 0, rows: [] };
  const columns = [...new Set(rows.flatMap(({ cells }) => cells.filter(({ value }) => value !== null).map(({ name }) => name)))].slice(0, 24);
  const line = ({ row, cells }: (typeof rows)[0]) => [
    <button type="button" class="link" onClick={() => doc.reveal(row.path)}>{plain(row.name)}</button>,
    plain(row.kind),
    row.value === null ? (row.count ? `${count(row.count)} entries` : "") : plain(row.value),
    ...columns.map((name) => plain(cells.find((cell) => cell.name === name)?.value ?? "")),
  ];
  return (
    <div class="table" tabIndex={0} role="region" aria-label="Table">
      <Table heads={["Name", "Type", "Value", ...columns]} rows={rows.map(line)} />
      {all > rows.length && <button type="button" onClick={() => setMax(max * 4)}>Show more of {count(all)}</button>}
    </div>
  );
}

function Picture({ doc }: { doc: Doc }) {
  const url = useMemo(() => URL.createObjectURL(doc.file), [doc]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return <div class="picture"><img src={url} alt={plain(doc.name)} /></div>;
}

/** The levels of detail of a mesh that has several, by its facts. */
function levelsOf({ format, facts }: { format: string; facts: Record<string, any> }) {
  const names = format === "slmesh" ? ["high", "medium", "low", "lowest"] : Array.from({ length: facts["levels of detail"] ?? 0 }, (_, at) => `${at}`);
  const there = names.map((name, at) => [`${at}`, `Level ${name}`, name]).filter(([, , name]) => format !== "slmesh" || facts[`triangles, ${name}`] !== undefined);
  if (there.length < 2) return undefined;
  return [["finest", "Finest level"], ["all", "All levels"], ...there.map(([at, title]) => [at, title])] as [string, string][];
}

const LOOKS: Record<Look, string> = { shaded: "Shaded", unlit: "Unlit", wireframe: "Wireframe", normals: "Normals", uvs: "UV" };
/** The texture coordinates of a mesh over its texture. */
function Uv({ doc }: { doc: Doc }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [index, setIndex] = useState(0);
  const [names, setNames] = useState<string[]>([]);
  const [error, setError] = useState("");
  const draw = async () => {
    const { meshes, materials, images } = await doc.scene({ levels: "finest", hulls: false });
    const all = meshes.flatMap(({ name, primitives }) => primitives.map((primitive, at) => ({ name: primitives.length > 1 ? `${name} ${at + 1}` : name, ...primitive })));
    const mapped = all.filter(({ uvs }) => uvs[0]);
    setNames(mapped.map(({ name }, at) => plain(name) || `Mesh ${at + 1}`));
    const chosen = mapped[Math.min(index, mapped.length - 1)];
    setError(chosen ? "" : "No mesh has texture coordinates.");
    if (!chosen || !canvas.current) return;
    const size = 1024;
    Object.assign(canvas.current, { width: size, height: size });
    const flat = canvas.current.getContext("2d")!;
    const image = images[materials[chosen.material ?? -1]?.base_texture?.image ?? -1];
    if (image?.bytes) {
      const bitmap = await createImageBitmap(new Blob([image.bytes as Uint8Array<ArrayBuffer>])).catch(() => undefined);
      if (bitmap) flat.drawImage(bitmap, 0, 0, size, size);
    }
    flat.strokeStyle = getComputedStyle(canvas.current).color;
    flat.lineWidth = 1;
    flat.beginPath();
    const [uvs, { indices }] = [chosen.uvs[0]!, chosen];
    for (let at = 0; at < indices.length; at += 3) {
      for (const [corner, step] of [0, 1, 2, 0].entries()) {
        const [u, v] = [uvs[indices[at + step] * 2], uvs[indices[at + step] * 2 + 1]];
        flat[corner ? "lineTo" : "moveTo"](u * size, v * size);
      }
    }
    flat.stroke();
  };
  useTask(draw, [doc, index, doc.version.value], (failed) => setError(sentence(failed)));
  return (
    <div class="picture uv">
      {error ? <p class="nothing">{error}</p> : <canvas ref={canvas} role="img" aria-label="Texture coordinates" />}
      {names.length > 1 && (<Select label="Mesh" value={String(index)} set={(at) => setIndex(Number(at))} options={names.map((name, at) => [String(at), name])} />)}
    </div>
  );
}

/** What the 3D view shows, kept over files. */
const look = signal<Look>("shaded");
const levels = signal("finest");
const hulls = signal(false);
const grid = signal(true);
const skeleton = signal(false);
/** Whether the user interface of the screen is shown. */
const screen = signal(false);
/** The rig of a second figure that plays the same animations. */
const rig = signal("");

/** What handles do, and to what they snap. */
export const handle = signal<Handle | undefined>(undefined);
const snap = stored<Snap>("snap", { grid: 1, angle: 15, isLocal: false });
const arranging = signal(false);
const HANDLES: [Handle, string, string, LucideIcon][] = [["move", "Move", "Moved", Move3d], ["scale", "Scale", "Scaled", Scale3d], ["turn", "Turn", "Turned", Rotate3d]];
const GRIDS = [0, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 5, 10];
const ANGLES = [0, 1, 5, 10, 15, 22.5, 30, 45, 90];

/** Copies the address that opens the file with what is selected, seen from here. */
async function link(doc: Doc, camera: [number[], number[]]) {
  const shown = { ...(doc.address ? { open: doc.address } : { file: doc.name }), ...(doc.selection.value[0] ? { select: doc.selection.value[0] } : {}), camera: camera.flat().map((number) => Number(number.toPrecision(5))).join() };
  await navigator.clipboard.writeText(`${location.href.replace(/[?#].*/, "")}#${new URLSearchParams(shown)}`);
  say(doc.address ? "Copied a link to this view." : `Copied a link to this view, for those who have ${plain(doc.name)}.`);
}

export const view = signal<ThreeView | undefined>(undefined);
let shared: Promise<ThreeView> | undefined;

/** The 3D view, which all files share. */
export function threeView() {
  const make = async () => {
    const { View } = await import("./three");
    const canvas = Object.assign(document.createElement("canvas"), { className: "three", tabIndex: 0, role: "img" });
    canvas.setAttribute("aria-label", "3D view. Arrow keys turn it, + and - zoom, F shows the selection.");
    return new View(canvas);
  };
  return (shared ??= make());
}

function Scene({ doc, isHidden }: { doc: Doc; isHidden: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [three, setThree] = useState<ThreeView>();
  const [state, setState] = useState<{ text?: string; error?: string; stop?: () => void }>({ text: "Reading …" });
  const [facts, setFacts] = useState("");
  const [animations, setAnimations] = useState<{ name: string; duration: number }[]>([]);
  const { selection, version } = doc;
  const hasInstances = doc.kind.value!.hasInstances;

  const show = async (isWanted: () => boolean, atEnd: (end: () => void) => void) => {
    const made = await threeView();
    if (!isWanted()) return;
    view.value = made;
    box.current?.prepend(made.canvas);
    setThree(made);
    atEnd(() => {
      doc.camera = made.place();
      made.showGuis([]);
      made.clear();
      made.canvas.remove();
      view.value = undefined;
    });
  };
  useTask(show, [], () => setState({ error: "webgl" }));

  const ofLevels = doc.info.value && levelsOf(doc.info.value as any);
  const chosen = !/^\d/.test(levels.value) || ofLevels?.some(([at]) => at === levels.value) ? levels.value : "finest";
  const isFramed = useRef(false);
  /** The state that the view shows, if it can be changed in parts. */
  const shown = useRef<{ three: ThreeView; doc: Doc; steps: Step[]; options: string }>();
  /** The last change of the view, which the next one waits for. */
  const changing = useRef(Promise.resolve());
  const tell = (sums: ReturnType<ThreeView["sums"]>) => {
    const size = sums.size.map((number) => Number(number.toPrecision(4))).join(" × ");
    const far = sums.far ? ` · ${many(sums.far, "object")} too far away to be drawn` : "";
    setFacts(sums.triangles ? `${many(sums.triangles, "triangle")} · ${count(sums.vertices)} vertices · ${size}${far}` : `${many(sums.joints, "joint")} · ${size}`);
    Object.assign(three!.canvas.dataset, { triangles: String(sums.triangles), drawn: String(performance.now()) });
  };
  const mark = async () => {
    const { value: paths } = selection;
    const keys = hasInstances ? (paths.length ? await doc.ask<Iterable<Key>>("under", [paths], 1).catch(() => []) : []) : three!.below(paths);
    if (selection.value !== paths) return;
    three!.mark(keys);
    marked.current = [...keys];
    await hold();
  };
  const marked = useRef<Key[]>([]);
  const handles = useRef<Handles>();
  /** Shows the handles of what is selected. */
  const hold = async () => {
    const [{ value: paths }, { value: wanted }] = [selection, handle];
    if (!wanted || !paths.length || !hasInstances || !shown.current) return handles.current?.hide();
    const [frames, { Handles }] = await Promise.all([doc.ask<Frames>("frames", [paths], 1), import("./handles")]);
    if (selection.value !== paths || handle.value !== wanted || three !== view.value) return;
    handles.current ??= new Handles(three!);
    handles.current.done = (changes, isCopy) => {
      const of = selection.value;
      if (isCopy) return void (three!.settle(), actions.duplicate(doc, changes).catch(() => {}));
      const label = `${HANDLES.find(([name]) => name === wanted)![2]} ${names(of)}`;
      const edits = changes.map((change) => ({ do: "set" as const, ...change }));
      const whole = frames.parts.map(({ path }) => path);
      doc.edit(label, edits, { of: [...whole, ...frames.models.map(({ path }) => path)], names: ["CFrame", "size"] }).catch(() => three!.settle());
    };
    handles.current.show(wanted, frames, marked.current, snap.value);
    three!.canvas.dataset.handles = wanted;
  };
  useEffect(() => void hold().catch(() => {}), [three, handle.value, snap.value]);
  useEffect(() => () => handles.current?.hide(), []);
  useEffect(() => {
    if (!three) return;
    let isWanted = true;
    const stop = () => {
      isWanted = false;
      front.stop();
      setState({ error: "Cancelled." });
    };
    const options = { levels: /^\d/.test(chosen) ? Number(chosen) : chosen, hulls: hulls.value, ...(rig.value && animations.length ? { rig: rig.value } : {}) };
    const load = async () => {
      if (!isWanted) return;
      const last = shown.current;
      const changed = last && last.three === three && last.doc === doc && last.options === JSON.stringify(options) ? doc.since(last.steps) : undefined;
      const steps = doc.applied();
      const part = changed ? await (changed.length ? doc.ask("part", [changed, options], -1) : { replaced: [] }) : undefined;
      if (!isWanted) return;
      if (part) {
        if (part.scene) tell(await three.add(part.scene, () => true, part.replaced));
        else if (part.replaced.length) tell(three.remove(part.replaced));
        shown.current = { three, doc, steps, options: JSON.stringify(options) };
        return void mark();
      }
      setState({ text: "Reading …", stop });
      const scene = await doc.scene(options);
      if (!isWanted) return;
      shown.current = undefined;
      three.clear();
      // The first piece places the camera, and so does the last one, unless the user moved it in between.
      let placed: string | undefined;
      const place = () => {
        if (!isFramed.current && (!placed || placed === String(three.place()))) three.home(doc.camera);
        placed = String(three.place());
      };
      const sums = await three.add(scene, (part) => {
        if (isWanted && part && !placed) place();
        if (isWanted) setState({ text: part ? `${Math.round(part * 100)} % …` : "Drawing …", stop });
        return isWanted;
      });
      if (!isWanted) return;
      place();
      isFramed.current = true;
      tell(scene.other ? await three.addBeside(scene.other) : sums);
      setAnimations(scene.animations);
      if (!scene.animations.length && !scene.skins.length) shown.current = { three, doc, steps, options: JSON.stringify(options) };
      const title = "3D view";
      // These the page draws itself.
      const losses = scene.losses.filter(({ what }) => !/^a (SurfaceGui|BillboardGui) that is not drawn/.test(what));
      if ((doc.losses.value?.title ?? title) === title) doc.losses.value = losses.length ? { title, losses } : undefined;
      setState({});
      void mark();
    };
    changing.current = changing.current.then(load).catch((error) => {
      if (!isWanted || error.kind === "cancelled") return;
      shown.current = undefined;
      three.clear();
      setState({ error: sentence(error) });
    });
    return () => void (isWanted = false);
  }, [three, doc, version.value, chosen, hulls.value, animations.length ? rig.value : ""]);

  useEffect(() => {
    if (!three) return;
    three.picked = async (key, { add }) => {
      const [path] = typeof key === "number" ? await doc.ask<string[]>("paths", [Uint32Array.of(key)], 0) : [key];
      if (!path) return void (add || (selection.value = []));
      if (add) selection.value = doc.selected.value.has(path) ? selection.value.filter((one) => one !== path) : [...selection.value, path];
      else void doc.reveal(path);
    };
  }, [three, doc]);
  const [guis, setGuis] = useState<Gui[]>([]);
  const images = useRef<Images>(new Map());
  const showGuis = async (isWanted: () => boolean) => {
    if (!three || !hasInstances) return;
    const found = await doc.later<Gui[]>("guis", [], 4);
    const [{ imagesOf }, { surfaces }] = await Promise.all([import("./gui"), import("./surfaces")]);
    const read = async (id: string) => {
      const bytes = await doc.later("sibling", [id], 4);
      if (bytes) images.current.set(id, await createImageBitmap(new Blob([bytes])));
    };
    await Promise.all(imagesOf(found).filter((id) => !images.current.has(id)).map((id) => read(id).catch(() => {})));
    if (!isWanted()) return;
    three.showGuis(surfaces(found, images.current, three.canvas.clientHeight || 1, three.camera.fov));
    setGuis(found.filter(({ kind }) => kind === "ScreenGui"));
    three.canvas.dataset.guis = String(found.length);
  };
  useTask(showGuis, [three, doc, version.value], failed);
  const path = selection.value[0] ?? "";
  const ofChosen = guis.filter((gui) => `${path}/`.startsWith(`${gui.path}/`));
  const starting = guis.filter((gui) => gui.path.startsWith("StarterGui/"));
  const screens = ofChosen.length ? ofChosen : screen.value || state.error ? (starting.length ? starting : guis).filter(({ at }) => at.Enabled !== "false") : [];
  useEffect(() => void (three && mark()), [three, selection.value]);
  useEffect(() => three?.setLook(look.value), [three, look.value]);
  useEffect(() => three?.showGrid(grid.value), [three, grid.value]);
  useEffect(() => three?.showSkeleton(skeleton.value), [three, skeleton.value]);

  if (state.error === "webgl") return isHidden ? null : <Pictures doc={doc} />;
  const { format, name } = doc.kind.value!;
  const { value: snaps } = snap;
  const steps = (all: number[], unit: string) => all.map((step) => [String(step), step ? `${step} ${step === 1 ? unit.replace(/s$/, "") : unit}` : `Any ${unit === "°" ? "angle" : "place"}`] as const);
  return (
    <div class="scene" ref={box} hidden={isHidden}>
      {hasInstances && (
        <div class="tools handles" role="toolbar" aria-label="Handles">
          {HANDLES.map(([of, label, , Icon], at) => (
            <Tool key={of} label={`${label} (${at + 2})`} of="" aria-pressed={handle.value === of} run={() => (handle.value = handle.value === of ? undefined : of)}><Icon size={15} /></Tool>
          ))}
          {handle.value && <Tool label="Along the part’s own axes" of="" aria-pressed={snaps.isLocal} run={() => (snap.value = { ...snaps, isLocal: !snaps.isLocal })}><Axis3d size={15} /></Tool>}
          {handle.value === "move" && <Select label="Snap to" value={String(snaps.grid)} set={(grid) => (snap.value = { ...snaps, grid: Number(grid) })} options={steps(GRIDS, "studs")} />}
          {handle.value && (
            <input
              aria-label={`${handle.value} by x, y, z`} title={`Type x, y, z and Enter: ${{ move: "studs", turn: "degrees", scale: "factors" }[handle.value]}`} placeholder="x, y, z" size={7} spellcheck={false}
              onKeyDown={({ key, currentTarget: box }) => {
                if (key !== "Enter" || !handles.current) return;
                const why = handles.current.by(box.value);
                if (why) say(why, true);
                else box.value = "";
              }}
            />
          )}
          {handle.value === "turn" && <Select label="Snap to" value={String(snaps.angle)} set={(angle) => (snap.value = { ...snaps, angle: Number(angle) })} options={steps(ANGLES, "°")} />}
          {selection.value.length > 0 && <Tool label="Arrange" of="" aria-expanded={arranging.value} run={() => (arranging.value = !arranging.value)}><AlignCenterVertical size={15} /></Tool>}
          {selection.value.length > 0 && arranging.value && three && <Arrange doc={doc} three={three} />}
        </div>
      )}
      <div class="tools" role="toolbar" aria-label="3D view">
        <Select label="Shading" value={look.value} set={(one) => (look.value = one as Look)} options={LOOKS} />
        {ofLevels && <Select label="Level of detail" value={chosen} set={(one) => (levels.value = one)} options={ofLevels} />}
        {name !== "anim" && format === "slmesh" && <Tool label="Convex hulls" of="" aria-pressed={hulls.value} run={() => (hulls.value = !hulls.value)}><Square size={15} /></Tool>}
        <Tool label="Skeleton" of="" aria-pressed={skeleton.value} run={() => (skeleton.value = !skeleton.value)}><Bone size={15} /></Tool>
        {guis.length > 0 && <Tool label="User interface" of="" aria-pressed={screen.value} run={() => (screen.value = !screen.value)}><AppWindow size={15} /></Tool>}
        <Tool label="Grid" of="" aria-pressed={grid.value} run={() => (grid.value = !grid.value)}><Grid3x3 size={15} /></Tool>
        <Tool label="Show all (F shows the selection)" of="" run={() => three?.home()}><Maximize size={15} /></Tool>
        <Tool label="Before and after" of="" aria-pressed={before.value} run={() => (before.value = !before.value)}><SquareSplitHorizontal size={15} /></Tool>
        {!host && <Tool label="Copy a link to this view" of="" run={() => three && link(doc, three.place())}><Link size={15} /></Tool>}
        <Tool label="Save a picture" of="" run={async () => three && download(`${stemOf(doc.name)}.png`, await three.png())}><Camera size={15} /></Tool>
      </div>
      {state.text && (
        <p class="progress" role="status">{state.text}{state.stop && <button type="button" onClick={state.stop}>Cancel</button>}</p>
      )}
      {state.error && <p class="nothing">{state.error}</p>}
      {!state.error && facts && <p class="measures">{facts}</p>}
      {screens.length > 0 && <Screens guis={screens} images={images.current} />}
      {before.value && three && !state.text && <Before doc={doc} three={three} />}
      {animations.length > 0 && three && <Timeline key={doc.key} three={three} animations={animations} />}
    </div>
  );
}

/** User interfaces of the screen, over the view. */
function Screens({ guis, images }: { guis: Gui[]; images: Images }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const show = async () => {
      const { draw } = await import("./gui");
      const { current } = canvas;
      if (!current) return;
      const size = [current.clientWidth, current.clientHeight];
      const [width, height] = size.map((length) => Math.max(1, Math.round(length * devicePixelRatio)));
      Object.assign(current, { width, height });
      draw(current, guis, images, size);
    };
    const observer = new ResizeObserver(() => void show());
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, [guis.map(({ path }) => path).join("\n"), guis[0], images]);
  return <canvas ref={canvas} class="three twin screen" role="img" aria-label="User interface" />;
}

/** What the 3D view showed as the file was opened, or shows of the file that this one is compared with, left of a line. */
function Before({ doc, three }: { doc: Doc; three: ThreeView }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, cut] = useState(50);
  const [error, setError] = useState("");
  const other = files.value.find((one) => one !== doc && String(one.key) === compared.value);
  const show = async (isWanted: () => boolean, atEnd: (end: () => void) => void) => {
    // What is opened for the picture alone has a key of its own.
    const source = other?.source() ?? { ...doc.source(0), key: -doc.key };
    atEnd(() => {
      three.twin?.dispose();
      three.twin = undefined;
      three.canvas.style.clipPath = "";
      if (!other) back.forget(source.key);
    });
    const [{ View }, scene] = await Promise.all([import("./three"), back.ask(source, "scene", [{ levels: "finest", hulls: false }], 3)]);
    if (!isWanted() || !canvas.current) return;
    const made = (three.twin = new View(canvas.current));
    await made.add(scene, isWanted);
    made.setLook(look.value);
    canvas.current!.dataset.triangles = String(made.sums().triangles);
    three.soon();
  };
  useTask(show, [doc, doc.base, three, other?.version.value], (failed) => setError(sentence(failed)));
  useEffect(() => void (three.canvas.style.clipPath = `inset(0 0 0 ${at}%)`), [three, at]);
  return (
    <>
      <canvas ref={canvas} key={other?.version.value ?? ""} class="three twin" role="img" aria-label="Before" style={{ clipPath: `inset(0 ${100 - at}% 0 0)` }} />
      <span class="cut" style={{ left: `${at}%` }} />
      <label class="sides">
        <bdi>{error || (other ? plain(other.name) : "As opened")}</bdi>
        <input type="range" aria-label="Before and now" value={at} onInput={(event) => cut(Number(event.currentTarget.value))} />
        Now
      </label>
    </>
  );
}

/** Aligns, distributes, drops and groups what is selected. */
function Arrange({ doc, three }: { doc: Doc; three: ThreeView }) {
  const run = (call: (of: typeof import("./arrange")) => Promise<unknown>) => () => import("./arrange").then(call).catch(() => {});
  const sides = [["low", AlignStartVertical], ["middle", AlignCenterVertical], ["high", AlignEndVertical]] as const;
  return (
    <div class="arrange" role="group" aria-label="Arrange">
      {["X", "Y", "Z"].map((name, axis) => (
        <p key={name}>
          <b>{name}</b>
          {sides.map(([side, Icon], at) => <Tool key={side} label={`Align ${side} ${name}`} of="" run={run(({ align }) => align(doc, axis, at - 1))}><Icon size={15} /></Tool>)}
          <Tool label={`Same gaps along ${name}`} of="" run={run(({ distribute }) => distribute(doc, axis))}><AlignHorizontalSpaceAround size={15} /></Tool>
        </p>
      ))}
      <button type="button" onClick={run(({ drop }) => drop(doc, three))}>Drop to the ground</button>
      <button type="button" onClick={run(({ group }) => group(doc))}>Group</button>
      <button type="button" onClick={run(({ ungroup }) => ungroup(doc))}>Ungroup</button>
    </div>
  );
}

function Timeline({ three, animations }: { three: ThreeView; animations: { name: string; duration: number }[] }) {
  const [index, setIndex] = useState(0);
  const [time, setTime] = useState(0);
  const [isPlaying, play] = useState(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  const [isLooped, loop] = useState(true);
  const duration = animations[index]?.duration ?? 0;
  const start = () => {
    if (!isPlaying && at.current >= duration) at.current = 0;
    play(!isPlaying);
  };
  const names = animations.map(({ name }, one) => [String(one), plain(name) || `Animation ${one + 1}`] as const);
  const at = useRef(0);
  useEffect(() => {
    at.current = Math.min(at.current, duration);
    three.pose(index, at.current);
    if (!isPlaying || !duration) return;
    let before = performance.now();
    let frame = requestAnimationFrame(function step(now) {
      at.current += (now - before) / 1000;
      before = now;
      if (at.current > duration) at.current = isLooped ? at.current % duration : duration;
      three.pose(index, at.current);
      setTime(at.current);
      if (at.current < duration || isLooped) frame = requestAnimationFrame(step);
      else play(false);
    });
    return () => cancelAnimationFrame(frame);
  }, [three, index, isPlaying, isLooped, animations]);
  return (
    <div class="timeline" role="group" aria-label="Animation">
      <Tool label={isPlaying ? "Pause" : "Play"} of="" run={start}>{isPlaying ? <Pause size={15} /> : <Play size={15} />}</Tool>
      <Select label="Animation" value={String(index)} set={(one) => setIndex(Number(one))} options={[...names, ["-1", "Rest pose"]]} />
      <input
        type="range" aria-label="Time" min={0} max={duration || 1} step="any" value={time}
        onInput={(event) => {
          at.current = Number(event.currentTarget.value);
          play(false);
          setTime(at.current);
          three.pose(index, at.current);
        }}
      />
      <output>{`${time.toFixed(2)} / ${duration.toFixed(2)} s`}</output>
      <Tool label="Loop" of="" aria-pressed={isLooped} run={() => loop(!isLooped)}><Repeat size={15} /></Tool>
      <Select label="Rig beside it" value={rig.value} set={(name) => (rig.value = name)} options={[["", "One figure"], ...RIGS]} />
    </div>
  );
}

/** Pictures that the engine draws, without WebGL. */
export function Pictures({ doc }: { doc: Doc }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, turn] = useState({ yaw: 30, pitch: 20, zoom: 1 });
  const [error, setError] = useState("");
  const draw = async (isWanted: () => boolean) => {
    const { clientWidth, clientHeight } = canvas.current!;
    const size = [Math.max(64, Math.min(clientWidth, 900)), Math.max(64, Math.min(clientHeight, 700))];
    const { width, height, data } = await doc.ask("picture", [{ size, angle: [at.yaw, at.pitch], zoom: at.zoom, background: "none" }], 4);
    if (!isWanted()) return;
    Object.assign(canvas.current!, { width, height });
    canvas.current!.getContext("2d")!.putImageData(new ImageData(data, width, height), 0, 0);
    canvas.current!.dataset.drawn = "true";
    setError("");
  };
  useTask(draw, [doc, doc.version.value, at], (error) => setError(sentence(error)));
  const key = (event: KeyboardEvent) => {
    const by = TURNS[event.key];
    if (!by) return;
    event.preventDefault();
    turn({ yaw: at.yaw + by[0] * 10, pitch: Math.max(-89, Math.min(89, at.pitch - by[1] * 10)), zoom: at.zoom / by[2] });
  };
  return (
    <>
      <canvas ref={canvas} class="three" tabIndex={0} role="img" aria-label="Picture of the model. Arrow keys turn it." onKeyDown={key} />
      {(error || !host?.isPicture) && <p class={error ? "nothing" : "measures"}>{error || "This browser has no WebGL: the engine draws pictures. Arrow keys turn the model."}</p>}
    </>
  );
}

/** What the selected item of an inventory is. */
export function Item({ doc }: { doc: Doc }) {
  const { asset, children, row } = doc.inventory!.all.get(doc.selection.value[0] ?? "")!;
  const Code = useCode();
  const [inner, set] = useState<Doc>();
  const make = () => ({ file: new Blob([asset!.bytes]), path: `${doc.path}/${asset!.name}` });
  useTask(async (isWanted, atEnd) => {
    set(undefined);
    if (!asset) return;
    const { file, path } = make();
    const made = new Doc(file, path);
    atEnd(() => made.forget());
    await made.open();
    if (isWanted()) set(made);
  }, [asset]);
  if (!asset) return <p class="nothing">{row.kind === "Folder" ? children.length === 1 ? "1 entry" : `${count(children.length)} entries` : "The archive does not contain the asset of this item."}</p>;
  if (!inner || !Code) return <p class="wait">Reading …</p>;
  const text = new TextDecoder().decode(asset.bytes);
  if (inner.status.value !== "open" && text.includes("\ufffd")) return <p class="nothing">{inner.error.value}</p>;
  return (
    <>
      {inner.status.value === "open" ? <Middle key={inner.key} doc={inner} /> : <Code key={inner.key} shown={{ text }} language="plain" label={plain(row.name)} />}
      <button type="button" class="open" onClick={() => add([make()])}>Open as a file</button>
    </>
  );
}

/** The modes that fit a file and its selection; the first one is the usual one. */
export function modesOf(doc: Doc, kind?: string): string[] {
  const { name, format, hasInstances, hasGeometry } = doc.kind.value!;
  if (format === "image") return ["picture"];
  const has3d = hasGeometry || format === "gltf";
  const isText = /^llsd|material/.test(format);
  const modes = [kind && isA(kind, "LuaSourceContainer") ? "script" : "", has3d ? "3d" : "", isText ? "text" : "", hasInstances ? "" : "table", has3d && !hasInstances && !/^(anim|bvh)$/.test(name) ? "uv" : ""];
  return modes.filter(Boolean);
}

const NAMES: Record<string, string> = { "3d": "3D", script: "Script", text: "Text", table: "Table", uv: "UV", picture: "Picture" };

export function Middle({ doc }: { doc: Doc }) {
  const path = doc.selection.value[0];
  const kindOf = () => (path === undefined ? undefined : doc.ask<Row>("node", [path], 0).then(({ kind }) => kind, () => undefined));
  const kind = useAnswer(kindOf, [doc, path, doc.version.value], failed);
  const modes = modesOf(doc, kind);
  const { value: wanted } = doc.mode;
  const long = wanted?.startsWith("text:") ? wanted.slice(5) : undefined;
  const mode = long ? "text" : wanted && modes.includes(wanted) ? wanted : modes[0];
  const all = long && !modes.includes("text") ? [...modes, "text"] : modes;
  const hasSeen = useRef(false);
  hasSeen.current ||= mode === "3d";
  return (
    <>
      {all.length > 1 && (
        <div class="modes" role="group" aria-label="View">
          {all.map((one) => <button key={one} type="button" aria-pressed={one === mode} onClick={() => (doc.mode.value = one)}>{NAMES[one]}</button>)}
        </div>
      )}
      {mode === "script" && <Text doc={doc} path={`${path}.Source`} isScript />}
      {mode === "text" && (long ? <Text doc={doc} path={long} /> : <Whole doc={doc} />)}
      {mode === "table" && <Values doc={doc} path={path ?? ""} />}
      {mode === "picture" && <Picture doc={doc} />}
      {mode === "uv" && <Uv doc={doc} />}
      {/* The 3D view stays while a script is shown. */}
      {modes.includes("3d") && hasSeen.current && <Scene doc={doc} isHidden={mode !== "3d"} />}
      {!mode && <p class="nothing">Select something in the explorer.</p>}
    </>
  );
}
