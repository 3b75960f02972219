// The dialogs: insert an object, convert, paste.

import type { Loss, Output, SecondLifeReport, Setting, Target } from "rezkit";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Losses } from "./drawer";
import { actions } from "./explorer";
import { about, add, type Doc, downloads, files, nameOf, plain, sentence, size, stemOf } from "./files";
import { ClassIcon, classNames, isA, isService } from "./icons";
import { Check, Choice, dialog, RIGS, Table } from "./ui";

const close = () => (dialog.value = undefined);

function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  // The focus may be below what is seen first.
  useEffect(() => (ref.current!.showModal(), ref.current!.scrollTo(0, 0)), []);
  return (
    <dialog ref={ref} aria-label={title} onClose={close} onClick={(event) => event.target === ref.current && ref.current!.close()}>
      <div><h2>{title}</h2>{children}</div>
    </dialog>
  );
}

/** What a button makes: the result, or why there is none. */
function useMade<T>() {
  const [state, set] = useState<{ made?: T; error?: { kind: string; text: string }; isBusy?: boolean }>({});
  const run = async (make: () => Promise<T | undefined>) => {
    set({ isBusy: true });
    const failed = (error: any) => ({ error: { kind: error.kind, text: sentence(error) } });
    set(await make().then((made) => ({ made }), failed));
  };
  return { ...state, run };
}

/** A button to download what was made, and what was lost. */
function Made({ doc, files, losses, children }: { doc: Doc; files: { path: string; bytes: Uint8Array }[]; losses: Loss[]; children?: ComponentChildren }) {
  const what = files.length === 1 ? plain(files[0].path) : `${files.length} files as ZIP`;
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return (
    <>
      <p class="bar"><button type="button" class="main" onClick={() => downloads(files, stemOf(doc.name))}>Download {what} ({size(total)})</button>{children}</p>
      <div class="made"><Losses doc={doc} losses={losses} /></div>
    </>
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
  const insert = (name?: string) => {
    if (!name) return;
    close();
    actions.insert(doc, name, [{ do: "add", class: name, parent: into ?? "" }]).catch(() => {});
  };
  return (
    <Dialog title={`Insert into ${into ? `“${plain(nameOf(into))}”` : "the root"}`}>
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
      {options.length > 0 && <Choice label={label} value={value ?? ""} set={set} options={[["", "Default"], ...options]} />}
      {!options.length && !setting.value && <Check label={label} value={value ?? false} set={(on) => set(on || undefined)} />}
      {!options.length && setting.value && <label>{label}<input value={value ?? ""} placeholder={setting.value.toLowerCase()} onInput={(event) => set(event.currentTarget.value)} /></label>}
      <small class="dim">{help}</small>
    </div>
  );
}

export function Convert({ doc }: { doc: Doc }) {
  const [targets, setTargets] = useState<Target[]>([]);
  const [name, setName] = useState("");
  const [options, set] = useState<Record<string, any>>({});
  const { made, error, isBusy, run } = useMade<{ files: { path: string; bytes: Uint8Array }[]; losses: Loss[] }>();
  const find = async () => {
    const found = await doc.ask<Target[]>("targets", [], 1);
    setTargets(found);
    setName((found.find((one) => one.name === "glb") ?? found[0])?.name ?? "");
    return undefined;
  };
  useEffect(() => void run(find), []);
  const target = targets.find((one) => one.name === name);
  const { format, hasGeometry } = doc.kind.value!;
  const settings = about.value.settings.filter(({ topic, name }) => topics(format, target).includes(topic) && target?.options.includes(name) && !["path", "joints"].includes(name));
  const convert = async (more: object = {}) => {
    const all: Record<string, any> = { ...options, ...more };
    const given = Object.fromEntries(settings.map(({ name }) => [name, all[name]]).filter(([, value]) => value !== undefined && value !== ""));
    const rig = files.value.find(({ key }) => String(key) === given.rig);
    if (rig) given.rig = await rig.bytes();
    return doc.later("convert", [name, { name: `${stemOf(doc.name)}.${target!.extension}`, ...given }], 2);
  };
  const pack = async (file: File) => {
    const { unzipSync } = await import("fflate");
    const texts = Object.entries(unzipSync(new Uint8Array(await file.arrayBuffer()))).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]);
    await doc.edit(`Put back ${plain(file.name)}`, [], { pack: Object.fromEntries(texts) });
    close();
    return undefined;
  };
  return (
    <Dialog title={`Convert ${plain(doc.name)}`}>
      <Choice label="To" value={name} set={(value) => (setName(value), run(async () => undefined))} options={targets.map((one) => [one.name, `${one.title} (${one.name})`])} />
      {settings.length > 0 && (
        <details>
          <summary>Options</summary>
          <div class="options">
            {settings.map((one) => <Option key={one.name} doc={doc} setting={one} value={options[one.name]} set={(value) => set({ ...options, [one.name]: value })} />)}
          </div>
        </details>
      )}
      <p class="bar">
        <button type="button" class="main" disabled={!target || isBusy} onClick={() => run(convert)}>{isBusy ? "Converting …" : "Convert"}</button>
        <button type="button" disabled={isBusy} onClick={() => run(() => doc.later("extract", [], 2))}>Extract scripts, textures and other files</button>
      </p>
      {error && (
        <p class="bad" role="alert">
          {error.text}{" "}
          {["unwritable", "incomplete"].includes(error.kind) && !options["allow-loss"] && (
            <button type="button" onClick={() => (set({ ...options, "allow-loss": true }), run(() => convert({ "allow-loss": true })))}>Drop it and convert</button>
          )}
        </p>
      )}
      {made && !made.files.length && <p>There are no such files in it.</p>}
      {made && made.files.length > 0 && <Made doc={doc} {...made} />}
      {isDocument(doc) && (
        <details>
          <summary>Put extracted and edited scripts back</summary>
          <input type="file" aria-label="ZIP archive" accept=".zip" onChange={({ currentTarget: { files } }) => files![0] && run(() => pack(files![0]))} />
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
  const { made, error, isBusy, run } = useMade<Output & { report: SecondLifeReport }>();
  const prepare = () => doc.later("secondLife", [{ ...options, landImpact: options.landImpact ? Number(options.landImpact) : undefined }], 2);
  const look = async () => {
    const asset = made!.files.find(({ path }) => /\.(llmesh|slm)$/.test(path))!;
    close();
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
        <p class="bar"><button type="button" onClick={() => run(prepare)}>Prepare</button> {isBusy ? "Preparing …" : error?.text}</p>
      </div>
      {made && cost && (
        <>
          <p><b>Land impact {number(cost.total)}</b>: download {number(cost.streaming)}, physics {number(cost.physics)}, server {number(cost.server)}</p>
          <div class="made"><Table
            heads={["Object", "Triangles of the levels", "Hulls", "Land impact"]}
            rows={made.report.parts.slice(0, 50).map((part) => [plain(part.name), part.levels.map(({ triangles }) => triangles).join(", "), part.hulls, number(part.land_impact.total)])}
          /></div>
          <Made doc={doc} {...made}><button type="button" onClick={look}>Look at it</button></Made>
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
    <Dialog title="Keys and search">
      {KEYS.map(([title, rows]) => (
        <section key={title} class="keys">
          <h3>{title}</h3>
          <dl>{rows.map(([keys, what]) => [<dt key={keys}><kbd>{keys}</kbd></dt>, <dd key={what}>{what}</dd>])}</dl>
        </section>
      ))}
      <p class="dim">rezkit {import.meta.env.VITE_VERSION}. No file leaves this browser. <a href={GUIDES} target="_blank" rel="noreferrer">Guides</a></p>
      <p class="bar"><button type="button" onClick={close}>Close</button></p>
    </Dialog>
  );
}

export function Paste() {
  const box = useRef<HTMLTextAreaElement>(null);
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
    <Dialog title="Open a text">
      <textarea ref={box} rows={12} spellcheck={false} aria-label="LLSD as XML, notation or JSON, or a Roblox model as XML" placeholder="LLSD as XML, notation or JSON, or a Roblox model as XML" />
      <p class="bar"><button type="button" class="main" onClick={open}>Open</button><button type="button" onClick={close}>Cancel</button></p>
    </Dialog>
  );
}
