// The dialogs: insert an object, convert, paste.

import { signal } from "@preact/signals";
import type { Loss, Output, SecondLifeReport, Setting, Target } from "rezkit";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Losses } from "./drawer";
import { actions, inserting } from "./explorer";
import { about, add, type Doc, downloads, files, nameOf, plain, sentence, size, stemOf } from "./files";
import { ClassIcon, classNames, isA, isService } from "./icons";
import { Check, Choice, RIGS, Table } from "./ui";

export const converting = signal(false);
export const pasting = signal(false);
export const helping = signal(false);

function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current!.showModal(), []);
  return (
    <dialog ref={ref} aria-label={title} onClose={close} onClick={(event) => event.target === ref.current && ref.current!.close()}>
      <div><h2>{title}</h2>{children}</div>
    </dialog>
  );
}

const USUAL = "Part MeshPart Model Folder Script LocalScript ModuleScript SpawnLocation Attachment Decal PointLight Sound RemoteEvent StringValue NumberValue BoolValue".split(" ");
/** Classes that are created by code or by Studio only. */
const ABSTRACT = /^(Instance|Object|.*Base|BasePart|LuaSourceContainer|GuiObject|GuiButton|GuiLabel|JointInstance|Light|Constraint|PVInstance|DataModel|Player)$/;

export function Insert({ doc }: { doc: Doc }) {
  const [text, set] = useState("");
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return USUAL;
    const all = classNames().filter((name) => name.toLowerCase().includes(wanted) && isA(name, "Instance") && !isService(name) && !ABSTRACT.test(name));
    return all.sort((a, b) => Number(b.toLowerCase().startsWith(wanted)) - Number(a.toLowerCase().startsWith(wanted)) || a.length - b.length).slice(0, 60);
  }, [text]);
  const into = doc.selection.value[0];
  const close = () => (inserting.value = false);
  const insert = (name?: string) => {
    if (!name) return;
    close();
    actions.insert(doc, name, [{ do: "add", class: name, parent: into ?? "" }]).catch(() => {});
  };
  return (
    <Dialog title={`Insert into ${into ? `“${plain(nameOf(into))}”` : "the root"}`} close={close}>
      <input aria-label="Class" placeholder="Search for a class" value={text} onInput={(event) => set(event.currentTarget.value)} onKeyDown={(event) => event.key === "Enter" && insert(found[0])} />
      <ul class="classes">{found.map((name) => <li key={name}><button type="button" onClick={() => insert(name)}><ClassIcon kind={name} /> {name}</button></li>)}</ul>
      {!found.length && <p class="dim">No class has this name.</p>}
    </Dialog>
  );
}

/** The topics of the options that apply to a conversion. */
function topics(format: string, target?: Target): string[] {
  if (!target?.by_scene) return ["Result"];
  const isRoblox = /^rbxmx?$/.test(target.name);
  const motion = isRoblox ? ["Played", "Curves", "Rig"] : target.name === "anim" ? ["Played", "Motion", "Curves", "Joints", ...(format === "bvh" ? ["Bvh"] : [])] : [];
  return [...motion, ...(["rbxmesh", "slmesh"].includes(format) ? ["Levels"] : []), ...(/^rbx(binary|xml)$|slmesh/.test(format) ? ["Scene"] : [])];
}

const isDocument = (doc: Doc) => /^rbx(binary|xml)$/.test(doc.kind.value?.format ?? "");

/** An input for an option, as the engine describes it. */
function Option({ doc, setting, value, set }: { doc: Doc; setting: Setting; value: any; set: (value: any) => void }) {
  const { name, help, values } = setting;
  const label = name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
  const models = files.value.filter((one) => one !== doc && isDocument(one)).map((one) => [String(one.key), plain(one.name)] as const);
  const options = name === "rig" ? [...RIGS, ...models] : values.map((one) => [one, one] as const);
  return (
    <div>
      {options.length ? <Choice label={label} value={value ?? ""} set={set} options={[["", "Default"], ...options]} /> : null}
      {!options.length && !setting.value && <Check label={label} value={value ?? false} set={(on) => set(on || undefined)} />}
      {!options.length && setting.value && (
        <label>{label}<input value={value ?? ""} placeholder={setting.value.toLowerCase()} onInput={(event) => set(event.currentTarget.value)} /></label>
      )}
      <small class="dim">{help}</small>
    </div>
  );
}

export function Convert({ doc }: { doc: Doc }) {
  const [targets, setTargets] = useState<Target[]>([]);
  const [name, setName] = useState("");
  const [options, set] = useState<Record<string, any>>({});
  const [made, setMade] = useState<{ files: { path: string; bytes: Uint8Array }[]; losses: Loss[] }>();
  const [error, setError] = useState<{ kind: string; text: string }>();
  const [isBusy, setBusy] = useState(false);
  const failed = (error: any) => setError({ kind: error.kind, text: sentence(error) });
  useEffect(() => {
    doc.ask<Target[]>("targets", [], 1).then((found) => (setTargets(found), setName((found.find((one) => one.name === "glb") ?? found[0])?.name ?? "")), failed);
  }, []);
  const target = targets.find((one) => one.name === name);
  const { format, hasGeometry } = doc.kind.value!;
  const settings = about.value.settings.filter(({ topic, name }) => topics(format, target).includes(topic) && target?.options.includes(name) && !["path", "joints"].includes(name));
  const run = async (call: "convert" | "extract", more: object = {}) => {
    setBusy(true);
    setError(undefined);
    setMade(undefined);
    try {
      const all: Record<string, any> = { ...options, ...more };
      const given = Object.fromEntries(settings.map(({ name }) => [name, all[name]]).filter(([, value]) => value !== undefined && value !== ""));
      const rig = files.value.find(({ key }) => String(key) === given.rig);
      if (rig) given.rig = await rig.bytes();
      setMade(await doc.later(call, call === "convert" ? [name, { name: `${stemOf(doc.name)}.${target!.extension}`, ...given }] : [], 2));
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
    }
  };
  const pack = async (file: File) => {
    try {
      const { unzipSync } = await import("fflate");
      const texts = Object.entries(unzipSync(new Uint8Array(await file.arrayBuffer()))).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]);
      await doc.edit(`Put back ${plain(file.name)}`, [], { pack: Object.fromEntries(texts) });
      converting.value = false;
    } catch (error) {
      failed(error);
    }
  };
  const total = made?.files.reduce((sum, { bytes }) => sum + bytes.length, 0) ?? 0;
  const what = made?.files.length === 1 ? plain(made.files[0].path) : `${made?.files.length} files as ZIP`;
  return (
    <Dialog title={`Convert ${plain(doc.name)}`} close={() => (converting.value = false)}>
      <Choice label="To" value={name} set={(value) => (setName(value), setMade(undefined))} options={targets.map((one) => [one.name, `${one.title} (${one.name})`])} />
      {settings.length > 0 && (
        <details>
          <summary>Options</summary>
          <div class="options">
            {settings.map((one) => <Option key={one.name} doc={doc} setting={one} value={options[one.name]} set={(value) => set({ ...options, [one.name]: value })} />)}
          </div>
        </details>
      )}
      <p class="bar">
        <button type="button" class="main" disabled={!target || isBusy} onClick={() => run("convert")}>{isBusy ? "Converting …" : "Convert"}</button>
        <button type="button" disabled={isBusy} onClick={() => run("extract")}>Extract scripts, textures and other files</button>
      </p>
      {error && (
        <p class="bad" role="alert">
          {error.text}{" "}
          {["unwritable", "incomplete"].includes(error.kind) && !options["allow-loss"] && (
            <button type="button" onClick={() => (set({ ...options, "allow-loss": true }), run("convert", { "allow-loss": true }))}>Drop it and convert</button>
          )}
        </p>
      )}
      {made && !made.files.length && <p>There are no such files in it.</p>}
      {made && made.files.length > 0 && (
        <>
          <p class="bar"><button type="button" class="main" onClick={() => downloads(made.files, stemOf(doc.name))}>Download {what} ({size(total)})</button></p>
          <div class="made"><Losses doc={doc} losses={made.losses} /></div>
        </>
      )}
      {isDocument(doc) && (
        <details>
          <summary>Put extracted and edited scripts back</summary>
          <input type="file" aria-label="ZIP archive" accept=".zip" onChange={(event) => event.currentTarget.files![0] && pack(event.currentTarget.files![0])} />
        </details>
      )}
      {hasGeometry && <SecondLife doc={doc} />}
    </Dialog>
  );
}

const SHAPES = { hulls: "Convex hulls", mesh: "The lowest level", box: "A box", none: "None" };

/** Prepares an upload to Second Life, with the cost beside the options. */
function SecondLife({ doc }: { doc: Doc }) {
  const [options, set] = useState<{ physics: string; landImpact: string; fix: boolean }>({ physics: "hulls", landImpact: "", fix: true });
  const [made, setMade] = useState<Output & { report: SecondLifeReport }>();
  const [state, setState] = useState("");
  const run = async () => {
    setState("Preparing …");
    try {
      const { physics, landImpact, fix } = options;
      setMade(await doc.later("secondLife", [{ physics, fix, landImpact: landImpact ? Number(landImpact) : undefined }], 2));
      setState("");
    } catch (error) {
      setMade(undefined);
      setState(sentence(error));
    }
  };
  const look = async () => {
    const asset = made!.files.find(({ path }) => /\.(llmesh|slm)$/.test(path))!;
    converting.value = false;
    await add([{ file: new Blob([asset.bytes as Uint8Array<ArrayBuffer>]), path: asset.path }]);
  };
  const cost = made?.report.land_impact;
  const number = (value: number | null | undefined) => (value === null || value === undefined ? "?" : value.toFixed(2));
  return (
    <details>
      <summary>Upload to Second Life: levels of detail, physics and land impact</summary>
      <div class="options">
        <Choice label="Physics" value={options.physics} set={(physics) => set({ ...options, physics })} options={SHAPES} />
        <label>Land impact of at most <input type="number" min={0} step="any" value={options.landImpact} placeholder="any" onInput={(event) => set({ ...options, landImpact: event.currentTarget.value })} /></label>
        <Check label="Change what Second Life would refuse" value={options.fix} set={(fix) => set({ ...options, fix })} />
        <p class="bar"><button type="button" onClick={run}>Prepare</button> {state}</p>
      </div>
      {made && cost && (
        <>
          <p><b>Land impact {number(cost.total)}</b>: download {number(cost.streaming)}, physics {number(cost.physics)}, server {number(cost.server)}</p>
          <div class="made"><Table
            heads={["Object", "Triangles of the levels", "Hulls", "Land impact"]}
            rows={made.report.parts.slice(0, 50).map((part) => [plain(part.name), part.levels.map(({ triangles }) => triangles).join(", "), part.hulls, number(part.land_impact.total)])}
          /></div>
          <p class="bar">
            <button type="button" class="main" onClick={() => downloads(made.files, stemOf(doc.name))}>Download {made.files.length} files as ZIP</button>
            <button type="button" onClick={look}>Look at it</button>
          </p>
          <Losses doc={doc} losses={made.losses} />
        </>
      )}
    </details>
  );
}

const KEYS: [string, [string, string][]][] = [
  ["File", [["Ctrl+O", "Open files"], ["Ctrl+S", "Save in the file’s own form"], ["Ctrl+Z, Ctrl+Y", "Undo, redo"], ["Ctrl+F or /", "Search"], ["Ctrl+Shift+F", "Find and replace in all scripts"]]],
  ["Explorer", [
    ["Arrow keys", "Move; right and left open and close"], ["Shift or Ctrl + click", "Select several"], ["F2", "Rename"], ["Delete", "Remove"],
    ["Ctrl+C, X, V", "Copy, cut, paste into the selection, also between files"], ["Ctrl+D", "Duplicate"], ["Ctrl+I", "Insert an object"], ["Ctrl+G, Ctrl+U", "Group, ungroup"], ["Letters", "Go to a name"],
  ]],
  ["3D view", [["Drag", "Turn; with the right button move"], ["Wheel, + and -", "Zoom"], ["Click", "Select; with Ctrl or Shift several"], ["F", "Show the selection, or everything"], ["W, A, S, D, E, Q", "Walk; faster with Shift"], ["1, 2, 3, 4", "Select; handles to move, scale and turn what is selected; with Alt a copy"]]],
  ["Search", [["door", "Names and classes that contain it"], ["Part[Anchored=false]", "Instances with a value"], [".Tag, #Name, [$Health>50]", "With a tag, a name, an attribute"], ["Model >> Script", "Scripts in models"]]],
];

const GUIDES = "https://github.com/OWNER/rezkit/tree/main/docs/guide";

/** The keys and what can be searched, and the version. */
export function Help() {
  return (
    <Dialog title="Keys and search" close={() => (helping.value = false)}>
      {KEYS.map(([title, rows]) => (
        <section key={title} class="keys">
          <h3>{title}</h3>
          <dl>{rows.map(([keys, what]) => [<dt key={keys}><kbd>{keys}</kbd></dt>, <dd key={what}>{what}</dd>])}</dl>
        </section>
      ))}
      <p class="dim">rezkit {import.meta.env.VITE_VERSION}. No file leaves this browser. <a href={GUIDES} target="_blank" rel="noreferrer">Guides</a></p>
      <p class="bar"><button type="button" onClick={() => (helping.value = false)}>Close</button></p>
    </Dialog>
  );
}

export function Paste() {
  const box = useRef<HTMLTextAreaElement>(null);
  const close = () => (pasting.value = false);
  const open = () => {
    const text = box.current!.value;
    const start = text.trimStart();
    if (!start) return;
    let ending = start[0] === "<" ? "xml" : "llsd";
    try {
      if (/^[[{]/.test(start)) {
        JSON.parse(start);
        ending = "json";
      }
    } catch {
      // It is notation.
    }
    // Notation cannot be recognized without a header.
    const header = ending === "llsd" && !start.startsWith("<?") ? "<?llsd/notation?>\n" : "";
    close();
    void add([{ file: new Blob([header, text]), path: start.startsWith("<roblox") ? "pasted.rbxmx" : `pasted.${ending}` }]);
  };
  return (
    <Dialog title="Open a text" close={close}>
      <textarea ref={box} rows={12} spellcheck={false} aria-label="LLSD as XML, notation or JSON, or a Roblox model as XML" placeholder="LLSD as XML, notation or JSON, or a Roblox model as XML" />
      <p class="bar"><button type="button" class="main" onClick={open}>Open</button><button type="button" onClick={close}>Cancel</button></p>
    </Dialog>
  );
}
