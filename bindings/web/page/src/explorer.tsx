// The explorer: the tree of the current file, or what a search found.

import { signal } from "@preact/signals";
import { ChevronRight, ClipboardPaste, Copy, CopyPlus, Group, PencilLine, Plus, Scissors, Trash2, Ungroup } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { VList, type VListHandle } from "virtua";
import { clipboard, count, current, type Doc, type Edit, names, parentOf, plain, say, tops } from "./files";
import { ClassIcon } from "./icons";
import type { Line, Row } from "./tree";
import { dialog, Menu, Tool } from "./ui";

const ROW = 24;
/** The path that is being renamed. */
const renaming = signal<string | undefined>(undefined);
const menu = signal<{ x: number; y: number } | undefined>(undefined);

type Models = { path: string; bytes: Uint8Array }[];
const ignored = () => {};

export const actions = {
  rename: (doc: Doc, path: string, name: string) => doc.edit(`Renamed ${names([path])} to ${plain(name)}`, [{ do: "rename", path, name }]),
  remove(doc: Doc) {
    const paths = tops(doc.selection.value);
    return doc.edit(`Removed ${names(paths)}`, paths.map((path) => ({ do: "remove" as const, path })));
  },
  async copy(doc: Doc) {
    const paths = tops(doc.selection.value);
    clipboard.value = { name: names(paths), models: await doc.ask("copies", [paths], 0) };
    say(`Copied ${names(paths)}`);
  },
  async paste(doc: Doc, parent = doc.selection.value[0] ?? "") {
    const { name, models } = clipboard.value!;
    await this.insert(doc, name, models.map(({ path }) => ({ do: "insert", model: path, parent })), models);
  },
  /** Puts copies beside what is selected, with values that are set in them. */
  async duplicate(doc: Doc, changes: { path: string; value: string }[] = []) {
    const paths = tops(doc.selection.value);
    const models = await doc.ask<Models>("copies", [paths, changes], 0);
    await this.insert(doc, names(paths), models.map(({ path }, at) => ({ do: "insert", model: path, parent: parentOf(paths[at]) })), models);
  },
  async move(doc: Doc, paths: string[], parent: string) {
    const wanted = tops(paths).filter((path) => path !== parent && parentOf(path) !== parent && !parent.startsWith(`${path}/`));
    if (!wanted.length) return;
    await doc.edit(`Moved ${names(wanted)} to ${plain(parent) || "the root"}`, wanted.map((path) => ({ do: "move" as const, path, parent })));
    await this.changed(doc);
  },
  async insert(doc: Doc, name: string, edits: Edit[], models?: Models) {
    await doc.edit(`Inserted ${name}`, edits, models ? { models: Object.fromEntries(models.map(({ path, bytes }) => [path, bytes])) } : {});
    await this.changed(doc);
  },
  /** Selects what the last edit moved or inserted. */
  async changed(doc: Doc) {
    const { touched } = doc.applied().at(-1)!;
    const paths = touched ? await doc.ask<string[]>("paths", [touched], 0) : [];
    if (paths.length) await doc.reveal(paths.at(-1)!, paths);
  },
};

/** The commands on the selection: their names, keys and icons. */
const COMMANDS: { name: string; key: string; icon: ComponentChildren; run: (doc: Doc) => unknown; fits?: (doc: Doc) => boolean; isAlways?: boolean }[] = [
  { name: "Insert an object", key: "Ctrl+I", icon: <Plus size={15} />, run: () => (dialog.value = "insert"), isAlways: true },
  { name: "Rename", key: "F2", icon: <PencilLine size={15} />, run: (doc) => (renaming.value = doc.selection.value[0]) },
  { name: "Duplicate", key: "Ctrl+D", icon: <CopyPlus size={15} />, run: (doc) => actions.duplicate(doc) },
  { name: "Copy", key: "Ctrl+C", icon: <Copy size={15} />, run: (doc) => actions.copy(doc) },
  { name: "Cut", key: "Ctrl+X", icon: <Scissors size={15} />, run: (doc) => actions.copy(doc).then(() => actions.remove(doc)) },
  { name: "Paste into", key: "Ctrl+V", icon: <ClipboardPaste size={15} />, run: (doc) => clipboard.value && actions.paste(doc), fits: () => Boolean(clipboard.value), isAlways: true },
  { name: "Group", key: "Ctrl+G", icon: <Group size={15} />, run: async (doc) => (await import("./arrange")).group(doc) },
  { name: "Ungroup", key: "Ctrl+U", icon: <Ungroup size={15} />, run: async (doc) => (await import("./arrange")).ungroup(doc) },
  { name: "Delete", key: "Delete", icon: <Trash2 size={15} />, run: (doc) => actions.remove(doc) },
];

const fits = ({ fits, isAlways }: (typeof COMMANDS)[0], doc: Doc) => (isAlways || doc.selection.value.length > 0) && (fits?.(doc) ?? true);

/** Runs the command of a key, if it is one. */
export function command(doc: Doc, event: KeyboardEvent) {
  if (!doc.kind.value?.hasInstances) return false;
  const name = `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.key.length === 1 ? event.key.toUpperCase() : event.key}`;
  const found = COMMANDS.find(({ key }) => key === name || (key === "Delete" && name === "Backspace" && event.metaKey));
  if (!found || !fits(found, doc)) return false;
  event.preventDefault();
  Promise.resolve(found.run(doc)).catch(ignored);
  return true;
}

/** The menu of the selection. */
export function Context() {
  const { value: at } = menu;
  const { value: doc } = current;
  if (!at || !doc) return null;
  const commands = COMMANDS.map((one) => ({ ...one, isDisabled: !fits(one, doc), run: () => Promise.resolve(one.run(doc)).catch(ignored) }));
  return <Menu label="Commands" {...at} commands={commands} close={() => (menu.value = undefined)} />;
}

function Name({ doc, row }: { doc: Doc; row: Row }) {
  const box = useRef<HTMLInputElement>(null);
  const isOpen = renaming.value === row.path;
  useEffect(() => (box.current?.focus(), box.current?.select()), [isOpen]);
  if (!isOpen) return <bdi class="name">{plain(row.name) || <i>no name</i>}</bdi>;
  const done = (name?: string) => {
    renaming.value = undefined;
    document.querySelector<HTMLElement>(".tree")?.focus();
    if (name && name !== row.name) actions.rename(doc, row.path, name).catch(ignored);
  };
  return (
    <input
      ref={box} class="rename" aria-label="New name" defaultValue={row.name} onClick={(event) => event.stopPropagation()}
      onBlur={(event) => renaming.value === row.path && done(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter") done(event.currentTarget.value);
        if (event.key === "Escape") done();
      }}
    />
  );
}

function Item({ doc, row, line, at, select }: { doc: Doc; row: Row; line?: Line; at: number; select: (at: number, event: MouseEvent) => void }) {
  const { selection, selected, tree, kind } = doc;
  const isSelected = selected.value.has(row.path);
  const hasInstances = kind.value!.hasInstances;
  const drag = (event: DragEvent) => {
    if (!isSelected) selection.value = [row.path];
    event.dataTransfer!.setData("text/x-rezkit", JSON.stringify(selection.value));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    (event.currentTarget as HTMLElement).classList.remove("over");
    const paths = event.dataTransfer!.getData("text/x-rezkit");
    if (paths) actions.move(doc, JSON.parse(paths), row.path).catch(ignored);
  };
  const over = (event: DragEvent) => {
    if (!event.dataTransfer!.types.includes("text/x-rezkit")) return;
    event.preventDefault();
    (event.currentTarget as HTMLElement).classList.add("over");
  };
  return (
    <div
      id={`line-${at}`} class={`row ${isSelected ? "selected" : ""}`} role="treeitem" aria-level={(line?.level ?? 0) + 1} aria-selected={isSelected}
      aria-expanded={line && row.count ? line.open : undefined} style={{ paddingInlineStart: `${4 + Math.min(line?.level ?? 0, 24) * 14}px` }}
      title={line ? undefined : plain(row.path)} draggable={hasInstances && renaming.value !== row.path} onDragStart={drag} onDragOver={over}
      onDragLeave={(event) => event.currentTarget.classList.remove("over")} onDrop={drop} onClick={(event) => select(at, event)}
      onDblClick={() => line && tree.toggle(line)}
      onContextMenu={(event) => {
        event.preventDefault();
        if (!isSelected) selection.value = [row.path];
        if (hasInstances) menu.value = { x: event.clientX, y: event.clientY };
      }}
    >
      <span class="turn" onClick={(event) => line && row.count && (event.stopPropagation(), void tree.toggle(line))}>
        {line && row.count ? <ChevronRight size={14} class={line.open ? "open" : ""} /> : null}
      </span>
      <ClassIcon kind={row.kind} isLeaf={!row.count} />
      <Name doc={doc} row={row} />
      {row.value !== null && row.value !== undefined ? <span class="dim value">{plain(row.value)}</span> : null}
      {!line && <span class="dim value">{plain(parentOf(row.path))}</span>}
      {line && row.value === null && !hasInstances && row.count > 0 ? <span class="dim value">{count(row.count)}</span> : null}
    </div>
  );
}

let typed = { text: "", at: 0 };

export function Explorer({ doc }: { doc: Doc }) {
  const list = useRef<VListHandle>(null);
  const box = useRef<HTMLDivElement>(null);
  const focus = () => box.current?.querySelector<HTMLElement>(".tree")?.focus();
  const { tree, selection, found } = doc;
  const results = found.value;
  const lines: (Line | Row)[] = results ? results.rows : tree.lines.value;
  const rowOf = (at: number) => (results ? (lines[at] as Row) : (lines[at] as Line | undefined)?.row);
  const chosen = selection.value.at(-1);
  // A line that is not loaded has no path, and neither has an empty selection.
  const now = chosen === undefined ? -1 : lines.findIndex((_, at) => rowOf(at)?.path === chosen);
  const anchor = useRef(0);

  const reveal = (at: number) => at >= 0 && list.current?.scrollToIndex(at, { align: "nearest" });
  useEffect(() => {
    if (!tree.target.value) return;
    reveal(lines.findIndex((_, at) => rowOf(at)?.path === tree.target.value));
    tree.target.value = undefined;
  });

  const go = (at: number, extend = false) => {
    const to = Math.max(0, Math.min(lines.length - 1, at));
    const row = rowOf(to);
    if (!row) {
      if (!results && lines[to]) void tree.load(lines[to] as Line).then(() => go(to));
      return;
    }
    if (extend) {
      const [from, end] = [Math.min(anchor.current, to), Math.max(anchor.current, to)];
      selection.value = [...lines.slice(from, end + 1).flatMap((_, step) => rowOf(from + step)?.path ?? []).filter((path) => path !== row.path), row.path];
    } else {
      selection.value = [row.path];
      anchor.current = to;
    }
    reveal(to);
  };
  const select = (at: number, event: MouseEvent) => {
    focus();
    const path = rowOf(at)!.path;
    if (event.shiftKey) return go(at, true);
    if (!event.ctrlKey && !event.metaKey) return go(at);
    selection.value = doc.selected.value.has(path) ? selection.value.filter((one) => one !== path) : [...selection.value, path];
    anchor.current = at;
  };
  const key = (event: KeyboardEvent) => {
    if (command(doc, event)) return event.stopPropagation();
    const line = results ? undefined : (lines[now] as Line | undefined);
    const page = Math.max(1, Math.floor((list.current?.viewportSize ?? 400) / ROW) - 1);
    const steps: Record<string, () => unknown> = {
      ArrowDown: () => go(now + 1, event.shiftKey),
      ArrowUp: () => go(now < 0 ? 0 : now - 1, event.shiftKey),
      PageDown: () => go(now + page, event.shiftKey),
      PageUp: () => go(now - page, event.shiftKey),
      Home: () => go(0),
      End: () => go(lines.length - 1),
      ArrowRight: () => line && (line.open ? go(now + 1) : tree.toggle(line, true)),
      ArrowLeft: () => line && (line.open ? tree.toggle(line, false) : line.parent?.row && go(lines.indexOf(line.parent))),
      Enter: () => (results && chosen ? doc.reveal(chosen) : line && tree.toggle(line)),
    };
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "a" || !results) return;
      event.preventDefault();
      return void doc.selectFound();
    }
    if (steps[event.key]) {
      event.preventDefault();
      return void steps[event.key]();
    }
    if (event.key.length !== 1 || event.altKey || " /?".includes(event.key)) return;
    const isTyping = Date.now() - typed.at < 800;
    // F alone shows the selection.
    if (event.key.toLowerCase() === "f" && !isTyping) return;
    event.stopPropagation();
    // Type-ahead: the next loaded line whose name begins with what was typed.
    typed = { text: isTyping ? typed.text + event.key.toLowerCase() : event.key.toLowerCase(), at: Date.now() };
    for (let step = typed.text.length === 1 ? 1 : 0; step < lines.length; step += 1) {
      const at = (Math.max(now, 0) + step) % lines.length;
      if (rowOf(at)?.name.toLowerCase().startsWith(typed.text)) return go(at);
    }
  };
  return (
    <>
      {results && (
        <p class="results" role="status">
          <span>
            {results.error ?? `${results.count === undefined ? `more than ${count(results.rows.length)}` : count(results.count)} found${results.isOld ? " before the edit" : ""}`}
            {results.hints?.map((hint) => <span class="hint" key={hint}>{plain(hint)}</span>)}
          </span>
          {results.isOld && <button type="button" onClick={() => doc.search(doc.query.value)}>Search again</button>}
          {results.rows.length > 1 && <button type="button" onClick={() => doc.selectFound()}>Select all</button>}
          <Tool label="Clear the search" run={() => doc.search("")} />
        </p>
      )}
      <div ref={box} class="tree-box" onDragOver={(event) => event.dataTransfer!.types.includes("text/x-rezkit") && event.preventDefault()}>
        <VList
          ref={list as any} class="tree" role={lines.length ? "tree" : undefined} tabIndex={0} aria-label="Explorer"
          aria-multiselectable={lines.length ? "true" : undefined} aria-activedescendant={now >= 0 ? `line-${now}` : undefined} onKeyDown={key as any}
          data={lines} itemSize={ROW} bufferSize={ROW * 8} keepMounted={now >= 0 ? [now] : undefined}
        >
          {(line: Line | Row, at: number) => {
            const row = rowOf(at);
            if (row) return <Item key={at} doc={doc} row={row} line={results ? undefined : (line as Line)} at={at} select={select} />;
            void tree.load(line as Line);
            return <div key={at} class="row" role="presentation">…</div>;
          }}
        </VList>
      </div>
    </>
  );
}
