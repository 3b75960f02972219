// The dialogs: insert an object, convert, paste.

import { signal } from "@preact/signals";
import type { Loss, Output, SecondLifeReport, Target } from "rezkit";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Losses } from "./drawer";
import { actions, inserting } from "./explorer";
import { add, type Doc, downloads, files, plain, sentence, size, stemOf } from "./files";
import { ClassIcon, classNames, isA, isService } from "./icons";

export const converting = signal(false);
export const pasting = signal(false);

function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => ref.current!.showModal(), []);
  return (
    <dialog ref={ref} aria-label={title} onClose={close} onClick={(event) => event.target === ref.current && ref.current!.close()}>
      <div>
        <h2>{title}</h2>
        {children}
      </div>
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
  const close = () => (inserting.value = false);
  const insert = (name?: string) => {
    if (!name) return;
    close();
    actions.insert(doc, name).catch(() => {});
  };
  const into = doc.selection.value[0];
  return (
    <Dialog title={`Insert into ${into ? `“${plain(into.split("/").pop())}”` : "the root"}`} close={close}>
      <input type="search" aria-label="Class" placeholder="Search for a class" value={text} onInput={(event) => set(event.currentTarget.value)} onKeyDown={(event) => event.key === "Enter" && insert(found[0])} />
      <ul class="classes">
        {found.map((name) => (
          <li key={name}>
            <button type="button" onClick={() => insert(name)}>
              <ClassIcon kind={name} /> {name}
            </button>
          </li>
        ))}
      </ul>
      {!found.length && <p class="dim">No class has this name.</p>}
    </Dialog>
  );
}

const PRIORITIES = [["", "As in the file"], ["0", "Idle"], ["1", "Movement"], ["2", "Action"], ["3", "Action2"], ["4", "Action3"], ["5", "Action4"], ["1000", "Core"]];

function Choice({ label, options, value, set }: { label: string; options: string[][]; value: string; set: (value: string) => void }) {
  return (
    <label>
      {label}
      <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map(([key, title]) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

export function Convert({ doc }: { doc: Doc }) {
  const [targets, setTargets] = useState<Target[]>([]);
  const [name, setName] = useState("");
  const [options, set] = useState<Record<string, any>>({ fill: "defaults" });
  const [made, setMade] = useState<{ files: { path: string; bytes: Uint8Array }[]; losses: Loss[] }>();
  const [error, setError] = useState<{ kind: string; text: string }>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    doc.ask("targets", [], 1).then(
      (found: Target[]) => {
        setTargets(found);
        setName(found.find((one) => one.name === "glb")?.name ?? found[0]?.name ?? "");
      },
      (failed) => setError({ kind: failed.kind, text: sentence(failed) }),
    );
  }, []);
  const target = targets.find((one) => one.name === name);
  const change = (more: object) => {
    set({ ...options, ...more });
    setMade(undefined);
  };
  const { kind } = doc;
  const isDocument = (one: Doc) => /^rbx(binary|xml)$/.test(one.kind.value?.format ?? "");
  const hasMotion = target && target.by_scene && (/^rbxmx?$/.test(target.name) || target.name === "anim");
  const isRoblox = target && /^rbx/.test(target.name);
  const run = async (call: "convert" | "extract", more: object = {}) => {
    setBusy(true);
    setError(undefined);
    try {
      const { rig, tolerance, ...rest } = { ...options, ...more } as any;
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== "" && value !== undefined));
      const other = files.value.find(({ key }) => String(key) === rig);
      if (target && hasMotion && rig) given.rig = other ? await other.bytes() : rig;
      if (!hasMotion) for (const one of ["priority", "loop", "curves", "fps", "action", "exact"]) delete given[one];
      if (!isDocument(doc) || target?.by_scene) delete given.fill;
      const args = call === "convert" ? [name, { name: `${stemOf(doc.name)}.${target!.extension}`, ...given }] : [];
      setMade(await doc.later(call, args, 2));
    } catch (failed: any) {
      setMade(undefined);
      setError({ kind: failed.kind, text: sentence(failed) });
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
    } catch (failed: any) {
      setError({ kind: failed.kind, text: sentence(failed) });
    }
  };
  const total = made?.files.reduce((sum, { bytes }) => sum + bytes.length, 0) ?? 0;
  return (
    <Dialog title={`Convert ${plain(doc.name)}`} close={() => (converting.value = false)}>
      <div class="options">
        <Choice label="To" value={name} set={(value) => (setName(value), setMade(undefined))} options={targets.map((one) => [one.name, `${one.title} (${one.name})`])} />
        {isDocument(doc) && !target?.by_scene && (
          <Choice label="Missing values" value={options.fill} set={(fill) => change({ fill })} options={[["defaults", "Defaults of the classes"], ["neutral", "Neutral values"], ["", "Refuse"]]} />
        )}
        {target?.by_scene && ["rbxmesh", "slmesh"].includes(kind.value!.format) && (
          <Choice label="Levels" value={options.levels ?? ""} set={(levels) => change({ levels })} options={[["", "The finest"], ["all", "All"]]} />
        )}
        {hasMotion && (
          <>
            <Choice label="Loop" value={String(options.loop ?? "")} set={(value) => change({ loop: { true: true, false: false }[value] })} options={[["", "As in the file"], ["true", "On"], ["false", "Off"]]} />
            {isRoblox && <Choice label="Priority" value={String(options.priority ?? "")} set={(value) => change({ priority: value === "" ? undefined : Number(value) })} options={PRIORITIES} />}
            {isRoblox && (
              <Choice
                label="Rig"
                value={options.rig ?? ""}
                set={(rig) => change({ rig })}
                options={[["", "Automatic"], ["R6", "R6"], ["R15", "R15"], ...files.value.filter((one) => one !== doc && isDocument(one)).map((one) => [String(one.key), plain(one.name)])]}
              />
            )}
            {isRoblox && (
              <label>
                <input type="checkbox" checked={options.curves ?? false} onChange={(event) => change({ curves: event.currentTarget.checked || undefined })} /> Write CurveAnimations
              </label>
            )}
          </>
        )}
        <label>
          <input type="checkbox" checked={options.allowLoss ?? false} onChange={(event) => change({ allowLoss: event.currentTarget.checked || undefined })} /> Drop what the target cannot store
        </label>
      </div>
      <p class="bar">
        <button type="button" class="main" disabled={!target || isBusy} onClick={() => run("convert")}>
          {isBusy ? "Converting …" : "Convert"}
        </button>
        <button type="button" disabled={isBusy} onClick={() => run("extract")}>
          Extract scripts, textures and other files
        </button>
        {isDocument(doc) && (
          <label class="file">
            Put extracted and edited scripts back
            <input type="file" accept=".zip" onChange={(event) => event.currentTarget.files![0] && pack(event.currentTarget.files![0])} />
          </label>
        )}
      </p>
      {kind.value!.hasGeometry && <SecondLife doc={doc} />}
      {error && (
        <p class="bad" role="alert">
          {error.text}
          {["unwritable", "incomplete"].includes(error.kind) && !options.allowLoss && (
            <button type="button" onClick={() => (change({ allowLoss: true }), run("convert", { allowLoss: true }))}>
              Drop it and convert
            </button>
          )}
        </p>
      )}
      {made && (
        <>
          <p class="bar">
            {made.files.length ? (
              <button type="button" class="main" onClick={() => downloads(made.files, stemOf(doc.name))}>
                Download {made.files.length === 1 ? plain(made.files[0].path) : `${made.files.length} files as ZIP`} ({size(total)})
              </button>
            ) : (
              "There are no such files in it."
            )}
          </p>
          <div class="made">
            <Losses doc={doc} losses={made.losses} />
          </div>
        </>
      )}
    </Dialog>
  );
}

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
        <Choice label="Physics" value={options.physics} set={(physics) => set({ ...options, physics })} options={[["hulls", "Convex hulls"], ["mesh", "The lowest level"], ["box", "A box"], ["none", "None"]]} />
        <label>
          Land impact of at most <input type="number" min={0} step="any" value={options.landImpact} placeholder="any" onInput={(event) => set({ ...options, landImpact: event.currentTarget.value })} />
        </label>
        <label>
          <input type="checkbox" checked={options.fix} onChange={(event) => set({ ...options, fix: event.currentTarget.checked })} /> Change what Second Life would refuse
        </label>
        <p class="bar">
          <button type="button" onClick={run}>
            Prepare
          </button>
          {state}
        </p>
      </div>
      {made && cost && (
        <>
          <p>
            <b>Land impact {number(cost.total)}</b>: download {number(cost.streaming)}, physics {number(cost.physics)}, server {number(cost.server)}
          </p>
          <table>
            <thead>
              <tr>
                {["Object", "Triangles of the levels", "Hulls", "Land impact"].map((name) => (
                  <th scope="col" key={name}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {made.report.parts.slice(0, 50).map((part, at) => (
                <tr key={at}>
                  <th scope="row">{plain(part.name)}</th>
                  <td>{part.levels.map(({ triangles }) => triangles).join(", ")}</td>
                  <td>{part.hulls}</td>
                  <td>{number(part.land_impact.total)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p class="bar">
            <button type="button" class="main" onClick={() => downloads(made.files, stemOf(doc.name))}>
              Download {made.files.length} files as ZIP
            </button>
            <button type="button" onClick={look}>
              Look at it
            </button>
          </p>
          <Losses doc={doc} losses={made.losses} />
        </>
      )}
    </details>
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
      <p class="bar">
        <button type="button" class="main" onClick={open}>
          Open
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
