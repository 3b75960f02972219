// The page: the line on top, and the panels around the view.

import { effect, signal } from "@preact/signals";
import { CircleHelp, ClipboardPaste, FilePlus2, FolderOpen, FileInput, ListTree, PanelLeft, PanelRight, Plus, Redo2, Save, Search, Share, SlidersHorizontal, TriangleAlert, Undo2 } from "lucide-preact";
import cottage from "../../../../docs/pictures/cottage.rbxmx?url";
import island from "../../../../docs/pictures/island.rbxlx?url";
import upload from "../../../../fixtures/slmesh/upload.slm?url";
import { render } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Convert, Help, Insert, Paste } from "./dialogs";
import { compared, Drawer, drawer, StatusLine } from "./drawer";
import { back, front } from "./engine";
import { command, Context, Explorer } from "./explorer";
import { about, add, adopt, cancel, close, current, Doc, files, own, plain, restore, save, say, sentence, shown, waiting } from "./files";
import { type Controls, host } from "./host";
import { FileIcon, setClasses } from "./icons";
import { Properties } from "./properties";
import { wanted } from "./scripts";
import { dialog, Menu, Select, stored, Tool } from "./ui";
import { handle, Item, Middle, Pictures, threeView, view } from "./view";
import "./style.css";

const layout = stored("layout", { left: 236, right: 264, below: 200, hasLeft: true, hasRight: true });
/** The panel that is shown as a sheet on a small screen. */
const sheet = signal<"left" | "right" | undefined>(undefined);
const opening = signal(false);

/** The files that the user chooses, with handles where the browser has them. */
async function choose(isFolder = false) {
  const picker = (window as any).showOpenFilePicker;
  if (picker && !isFolder) {
    try {
      const handles: FileSystemFileHandle[] = await picker({ multiple: true });
      return add(await Promise.all(handles.map(async (handle) => ({ handle, file: await handle.getFile(), path: handle.name }))));
    } catch (error: any) {
      if (error.name === "AbortError") return;
    }
  }
  const input = Object.assign(document.createElement("input"), { type: "file", multiple: true, webkitdirectory: isFolder });
  input.onchange = () => void add([...input.files!].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
  input.click();
}

/** The files of a drop, including those in folders. */
async function dropped(transfer: DataTransfer) {
  const items = [...transfer.items].filter(({ kind }) => kind === "file");
  const handles = await Promise.all(items.map((item) => (item as any).getAsFileSystemHandle?.().catch(() => undefined)));
  const left = items.map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry !== null && entry !== undefined);
  if (!left.length) return [...transfer.files].map((file) => ({ file, path: file.name }));
  const found: { file: File; path: string; handle?: FileSystemFileHandle }[] = [];
  const many = left.length;
  // A stack instead of recursion, so that deep folders cannot overflow the call stack.
  left.reverse();
  while (left.length) {
    const entry = left.pop()!;
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      const path = entry.fullPath.replace(/^\//, "");
      found.push({ file, path, handle: handles.length === many ? handles.find((handle) => handle?.kind === "file" && handle.name === path) : undefined });
      continue;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (!some.length) break;
      left.push(...some.reverse());
    }
  }
  return found;
}

const EMPTY = '<roblox version="4">\n</roblox>\n';
const create = () => add([{ file: new Blob([EMPTY]), path: "new.rbxmx" }]);

/** Opens a file from an address, and shows the same as a link. */
async function openUrl(address: string, name?: string, link = new URLSearchParams()) {
  try {
    const url = new URL(address, location.href);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url.href} answered with ${response.status}.`);
    await add([{ file: await response.blob(), path: name ?? decodeURIComponent(url.pathname.split("/").pop() || "file") }], (doc) => {
      doc.address = url.href;
      look(doc, link);
    });
    await select(current.value!, link);
  } catch (error) {
    say(`The address could not be opened; its server has to allow other pages. ${sentence(error)}`, true);
  }
}

/** Puts the camera where a link has it. */
function look(doc: Doc, link: URLSearchParams) {
  const camera = (link.get("camera") ?? "").split(",").map(Number);
  if (camera.length === 6 && camera.every(Number.isFinite)) doc.camera = [camera.slice(0, 3), camera.slice(3)];
}

/** Selects what a link names. */
async function select(doc: Doc, link: URLSearchParams) {
  const path = link.get("select");
  if (path && doc.status.value === "open") await doc.reveal(path);
}

/** Shows what the address of the page names: a file at an address, or one of the files that the user has or opens next. */
async function follow() {
  const link = new URLSearchParams(location.hash.slice(1));
  const [address, name] = [link.get("open") ?? new URLSearchParams(location.search).get("open"), link.get("file")];
  if (address) return openUrl(address, undefined, link);
  if (!name) return;
  const stop = effect(() => {
    const doc = shown.value.find((one) => one.name === name || one.path === name);
    if (!doc) return say(`Open ${plain(name)} to see what the link shows.`);
    if (doc.status.value !== "open") return;
    look(doc, link);
    queueMicrotask(() => {
      stop();
      if (current.value === doc) view.value?.home(doc.camera);
      current.value = doc;
      void select(doc, link);
    });
  });
}

function leave(doc: Doc) {
  if (!doc.changed.value || confirm(`${plain(doc.name)} has changes that are not saved. Close it?`)) close(doc);
}

function Tab({ doc }: { doc: Doc }) {
  const { status, changed, kind, error } = doc;
  const isCurrent = current.value === doc;
  const element = useRef<HTMLDivElement>(null);
  const show = () => {
    current.value = doc;
    say("");
    if (status.value === "cancelled") void doc.open();
  };
  useEffect(() => void (isCurrent && element.current?.scrollIntoView({ block: "nearest", inline: "nearest" })), [isCurrent, shown.value.length, status.value]);
  return (
    <div ref={element} class={`tab ${isCurrent ? "current" : ""} ${status.value}`} onAuxClick={(event) => event.button === 1 && leave(doc)}>
      <button type="button" aria-current={isCurrent ? "true" : undefined} title={error.value || plain(doc.path)} onClick={show}>
        {status.value === "failed" ? <TriangleAlert size={15} class="icon red" /> : <FileIcon format={kind.value?.format} />}
        <bdi>{plain(doc.name)}</bdi>
        {changed.value && <span class="changed" title="Changed"><span class="hidden">changed</span></span>}
      </button>
      <Tool label={`Close ${plain(doc.name)}`} run={() => leave(doc)} />
    </div>
  );
}

const OPEN = [
  { name: "Files …", icon: <FileInput size={15} />, run: () => choose(), key: "Ctrl+O" },
  { name: "A folder …", icon: <FolderOpen size={15} />, run: () => choose(true) },
  { name: "A text …", icon: <ClipboardPaste size={15} />, run: () => (dialog.value = "paste") },
  { name: "A new model", icon: <FilePlus2 size={15} />, run: create },
];

function Top() {
  const { value: doc } = current;
  const isOpen = doc?.status.value === "open";
  const toggle = (of: "hasLeft" | "hasRight") => ({ run: () => (layout.value = { ...layout.value, [of]: !layout.value[of] }), "aria-pressed": layout.value[of], of: "tool" });
  const all = shown.value.map(({ key, path }) => [String(key), plain(path)] as const);
  return (
    <header class="top">
      <h1>rezkit</h1>
      {!host && (
        <button type="button" class="main" aria-label="Open" aria-expanded={opening.value} onClick={() => (opening.value = !opening.value)}>
          <FolderOpen size={15} /> <span>Open</span>
        </button>
      )}
      {opening.value && <Menu label="Open" x={8} y={38} commands={OPEN} close={() => (opening.value = false)} />}
      {(!host || shown.value.length > 1) && (
        <nav class="tabs" aria-label="Open files" onWheel={(event) => event.currentTarget.scrollBy(event.deltaY, 0)}>
          {shown.value.map((one) => <Tab key={one.key} doc={one} />)}
        </nav>
      )}
      {doc && shown.value.length > 6 && (
        <Select label="All files" value={String(doc.key)} set={(key) => (current.value = shown.value.find((one) => String(one.key) === key))} options={all} />
      )}
      {doc && (
        <div class="tools" role="toolbar" aria-label="File">
          {!host && (
            <>
              <Tool label="Undo (Ctrl+Z)" of="tool" run={() => doc.travel(-1)} disabled={!doc.at.value}><Undo2 size={16} /></Tool>
              <Tool label="Redo (Ctrl+Y)" of="tool" run={() => doc.travel(1)} disabled={doc.at.value === doc.steps.value.length}><Redo2 size={16} /></Tool>
              <Tool label="Save (Ctrl+S)" of="tool" run={() => save(doc)} disabled={!isOpen}><Save size={16} /></Tool>
            </>
          )}
          <Tool label="Convert or extract" of="tool" run={() => (dialog.value = "convert")} disabled={!isOpen || /^(image|archive)$/.test(doc.kind.value?.format ?? "")}><Share size={16} /></Tool>
        </div>
      )}
      {isOpen && (
        <label class="search">
          <Search size={14} />
          <input
            id="search" type="search" aria-label="Search"
            placeholder={doc.kind.value?.hasInstances ? "Name, class or Part[Anchored=false]" : "Search"} value={doc.query.value}
            onInput={(event) => {
              void doc.search(event.currentTarget.value);
              if (matchMedia("(max-width: 760px)").matches) sheet.value = "left";
              else layout.value = { ...layout.value, hasLeft: true };
            }}
            onKeyDown={(event) => {
              if (event.key === "Escape") void doc.search("");
              if (event.key !== "ArrowDown" && event.key !== "Enter") return;
              document.querySelector<HTMLElement>(".tree")?.focus();
              if (doc.found.value?.rows.length) doc.selection.value = [doc.found.value.rows[0].path];
            }}
          />
        </label>
      )}
      <Tool label="Help (?)" of="tool help" run={() => (dialog.value = "help")}><CircleHelp size={16} /></Tool>
      {isOpen && (
        <div class="tools panels" role="toolbar" aria-label="Panels">
          <Tool label="Explorer" {...toggle("hasLeft")}><PanelLeft size={16} /></Tool>
          <Tool label="Properties" {...toggle("hasRight")}><PanelRight size={16} /></Tool>
        </div>
      )}
    </header>
  );
}

/** A line between panels that can be dragged, or moved with the arrow keys. */
function Divider({ of, sign, label }: { of: "left" | "right" | "below"; sign: number; label: string }) {
  const set = (size: number) => (layout.value = { ...layout.value, [of]: Math.max(140, Math.min(of === "below" ? innerHeight * 0.7 : 620, size)) });
  const isAcross = of === "below";
  const move = (event: PointerEvent) => {
    if (!(event.currentTarget as HTMLElement).hasPointerCapture(event.pointerId)) return;
    set(layout.value[of] + sign * (isAcross ? event.movementY : event.movementX));
  };
  return (
    <div
      class={`divider ${of}`} role="separator" tabIndex={0} aria-label={label} aria-orientation={isAcross ? "horizontal" : "vertical"}
      aria-valuenow={Math.round(layout.value[of])} aria-valuemin={140} aria-valuemax={620}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)} onPointerMove={move}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -16, ArrowUp: -16, ArrowRight: 16, ArrowDown: 16 }[event.key];
        if (by) set(layout.value[of] + sign * by);
      }}
    />
  );
}

const SAMPLES = [[cottage, "cottage.rbxmx", "A cottage", "a Roblox model"], [island, "island.rbxlx", "An island", "a Roblox place"], [upload, "upload.slm", "An upload", "to Second Life"]];

const KINDS = [
  ["Roblox", "places, models, meshes, animations (.rbxl, .rbxlx, .rbxm, .rbxmx, .mesh)"],
  ["Second Life", "meshes, animations, materials, LLSD and a viewer’s settings (.llmesh, .slm, .anim, .xml, .llsd), archives of OpenSim (.oar, .iar)"],
  ["Model 3D", "binary and text (.m3d, .a3d)"],
  ["Others", "glTF, OBJ, STL, PLY, BVH, ZIP and gzip of all of these"],
];

function Empty() {
  return (
    <main class="empty">
      <div class="zone">
        <h2>Drop files or a folder here</h2>
        <p><button type="button" class="main" onClick={() => choose()}>Open files</button></p>
        <dl>
          {KINDS.map(([of, what]) => [<dt key={of}>{of}</dt>, <dd key={what}>{what}</dd>])}
        </dl>
        <p class="samples">
          Or try{" "}
          {SAMPLES.map(([address, name, title, what]) => (
            <button key={name} type="button" onClick={() => openUrl(address, name)}>{title} <small>{what}</small></button>
          ))}
        </p>
        <p class="dim">Everything stays in this browser: no file is sent anywhere.</p>
      </div>
    </main>
  );
}

function Unread({ doc }: { doc: Doc }) {
  const { value: status } = doc.status;
  return (
    <main class="empty">
      <div class="zone">
        {status === "failed" ? (
          <>
            <h2>{plain(doc.name)} cannot be read</h2>
            <p class="bad" role="alert">{doc.error.value}</p>
          </>
        ) : <p role="status">{status === "cancelled" ? "Reading was cancelled." : `Reading ${plain(doc.name)} …`}</p>}
      </div>
    </main>
  );
}

function Body() {
  const { value: doc } = current;
  if (!doc) return <Empty />;
  if (doc.status.value !== "open") return <Unread doc={doc} />;
  const { left, right, below, hasLeft, hasRight } = layout.value;
  const has = { left: hasLeft && doc.kind.value!.format !== "image", right: hasRight && doc.kind.value!.format !== "image" };
  const style = { "--left": has.left ? `${left}px` : "0px", "--right": has.right ? `${right}px` : "0px", "--below": drawer.value ? `${below}px` : "0px" };
  return (
    <div class={`body ${sheet.value ? `sheet-${sheet.value}` : ""}`} style={style}>
      {has.left && (
        <aside class="left" aria-label="Explorer">
          {doc.kind.value!.hasInstances && <Tool label="Insert an object (Ctrl+I)" of="plain insert" run={() => (dialog.value = "insert")}><Plus size={15} /></Tool>}
          <Explorer key={doc.key} doc={doc} />
        </aside>
      )}
      <main class="middle">
        {doc.inventory ? <Item key={doc.key} doc={doc} /> : <Middle key={doc.key} doc={doc} />}
        {has.left && <Divider of="left" sign={1} label="Width of the explorer" />}
        {has.right && <Divider of="right" sign={-1} label="Width of the properties" />}
        {drawer.value && <Divider of="below" sign={-1} label="Height of the drawer" />}
      </main>
      {has.right && <aside class="right" aria-label="Properties" tabIndex={0}><Properties key={doc.key} doc={doc} /></aside>}
      {drawer.value && <Drawer doc={doc} />}
      <nav class="sheets" aria-label="Panels">
        {([["left", "Explorer", ListTree], ["right", "Properties", SlidersHorizontal]] as const).map(([of, name, Icon]) => (
          <button key={of} type="button" aria-pressed={sheet.value === of} onClick={() => (sheet.value = sheet.value === of ? undefined : of)}><Icon size={18} /> {name}</button>
        ))}
      </nav>
    </div>
  );
}

function App() {
  const { value: doc } = current;
  const isOpen = doc?.status.value === "open";
  if (host && !doc) return null;
  if (host?.isPicture) return isOpen ? <main class="middle small"><Pictures key={doc.key} doc={doc} /></main> : <Unread doc={doc!} />;
  return (
    <>
      <Top />
      <Body />
      {waiting.value > 0 && (
        <p class="queue" role="status">{waiting.value} files wait to be read{" "}<button type="button" onClick={cancel}>Cancel</button></p>
      )}
      <StatusLine doc={doc} />
      <Context />
      {isOpen && dialog.value === "insert" && <Insert doc={doc} />}
      {isOpen && dialog.value === "convert" && <Convert doc={doc} />}
      {dialog.value === "paste" && <Paste />}
      {dialog.value === "help" && <Help />}
    </>
  );
}

function key(event: KeyboardEvent) {
  const { value: doc } = current;
  const target = event.target as HTMLElement;
  const isTyping = target.closest("input:not([type=checkbox]), textarea, select, .cm-editor, dialog");
  const isCommand = event.ctrlKey || event.metaKey;
  const run = (call: () => unknown) => {
    event.preventDefault();
    if (host) event.stopPropagation();
    call();
  };
  const name = event.key.toLowerCase();
  const isUndo = isCommand && (name === "z" || name === "y");
  const isClean = !isTyping || (target instanceof HTMLInputElement && target.value === target.defaultValue);
  // The host undoes, saves and opens when such a key gets to it; what is being typed is undone by its field.
  if (host && isUndo && !isClean) return event.stopPropagation();
  if (host && (isUndo || (isCommand && (name === "s" || name === "o" || name === "w")))) return;
  if (isCommand && name === "o") return run(() => choose());
  if (name === "?" && !isTyping) return run(() => (dialog.value = "help"));
  if (!doc || doc.status.value !== "open") return;
  if (isCommand && name === "s") {
    // Text that is still being typed is part of the file.
    (document.activeElement as HTMLElement | null)?.blur?.();
    return run(() => setTimeout(() => save(doc)));
  }
  if (isCommand && event.shiftKey && name === "f" && doc.kind.value!.hasInstances) {
    const { value: query } = doc.query;
    if (query && drawer.value !== "scripts") wanted.value = { ...wanted.value, text: query };
    drawer.value = "scripts";
    return run(() => setTimeout(() => document.querySelector<HTMLInputElement>("#grep")?.select()));
  }
  // In a field without a change of its own, undo and redo are those of the file.
  if (isTyping && !(isUndo && isClean)) return;
  if (isCommand && name === "z") return run(() => doc.travel(event.shiftKey ? 1 : -1));
  if (isCommand && name === "y") return run(() => doc.travel(1));
  if ((isCommand && name === "f") || name === "/") return run(() => document.getElementById("search")?.focus());
  if (name === "f" && !isCommand) {
    const { value: three } = view;
    if (three) run(() => (doc.selection.value.length ? three.frameOf(three.selected, undefined, 1.6) : three.home()));
    return;
  }
  if (!isCommand && /^[1-4]$/.test(name) && doc.kind.value!.hasInstances) return run(() => (handle.value = ([undefined, "move", "scale", "turn"] as const)[Number(name) - 1]));
  if (name === "escape") {
    if (sheet.value) sheet.value = undefined;
    else if (drawer.value) drawer.value = undefined;
    else doc.selection.value = [];
    return;
  }
  command(doc, event);
}

function wire() {
  document.addEventListener("keydown", key);
  addEventListener("dragover", (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.add("dragging");
  });
  addEventListener("dragleave", () => document.body.classList.remove("dragging"));
  addEventListener("drop", (event: DragEvent) => {
    document.body.classList.remove("dragging");
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    dropped(event.dataTransfer).then(add, (error) => say(sentence(error), true));
  });
  addEventListener("beforeunload", (event) => {
    if (!host && files.value.some(({ changed }) => changed.value)) event.preventDefault();
  });
}

/** Lets what is being typed become an edit, and all edits be applied. */
async function committed(doc: Doc) {
  (document.activeElement as HTMLElement | null)?.blur?.();
  await new Promise((resolve) => setTimeout(resolve));
  await doc.settled();
}

const controls: Controls = {
  open: adopt,
  async go(at) {
    const doc = own();
    while (doc.at.value !== at) await doc.travel(at < doc.at.value ? -1 : 1);
  },
  async bytes(isLater) {
    const doc = own();
    if (!isLater) await committed(doc);
    return isLater ? doc.later("save", [], 6) : doc.bytes();
  },
  async compare(name, bytes) {
    const doc = own();
    const other = new Doc(new Blob([bytes]), name, undefined, undefined, true);
    files.value = [...files.value.filter(({ path }) => path !== name), other];
    await other.open();
    if (other.status.value !== "open") return say(other.error.value, true);
    [current.value, compared.value, drawer.value] = [doc, String(other.key), "changes"];
  },
};

async function main() {
  wire();
  render(<App />, document.getElementById("app")!);
  const asked = front.call("about", [], 2).then((found) => (setClasses(found.classes), (about.value = found)));
  // Once the first worker has answered, the second one and the 3D view become ready before they are needed.
  const next = () => (void back.call("close", [0], 9).catch(() => {}), void threeView().catch(() => {}));
  asked.then(next, next);
  if (host) host.start(controls);
  else await restore();
  await follow();
  addEventListener("hashchange", follow);
  await asked;
  document.body.dataset.ready = "true";
  // Optional: without the service worker, the page only needs the network the next time.
  if (import.meta.env.PROD && !host && "serviceWorker" in navigator && location.protocol.startsWith("http")) navigator.serviceWorker.register("sw.js").catch(() => {});
}

main().catch((error) => say(sentence(error), true));
