// An inventory archive of OpenSim (IAR) as a tree of folders and items, which answers like the tree of a file.

import type { Row } from "./tree";

export type Packed = { name: string; bytes: Uint8Array<ArrayBuffer> };
interface Entry {
  row: Row;
  /** The child indices from the root. */
  trail: number[];
  children: Entry[];
  /** What the archive tells about an item. */
  fields: [string, string][];
  asset?: Packed;
}

/** The types of assets by their numbers. */
const TYPES: Record<string, string> = { 0: "Texture", 1: "Sound", 2: "Calling card", 3: "Landmark", 5: "Clothing", 6: "Object", 7: "Notecard", 10: "Script", 13: "Body part", 20: "Animation", 21: "Gesture", 24: "Link", 25: "Link to a folder", 49: "Mesh", 56: "Settings", 57: "Material" };

/** The name of a folder or an item in a path, which OpenSim escapes, and to which it adds an id. */
const nameIn = (step: string) => step.replace(/__[\da-f-]{36}(\.xml)?$/i, "").replace(/&#47;/g, "/").replace(/&amp;/g, "&");

/** The elements of an item. */
function fieldsOf(bytes: Uint8Array) {
  // The declaration says UTF-16, but the text is UTF-8.
  const text = new TextDecoder().decode(bytes).replace(/^[^<]*<\?.*?\?>/, "");
  const { children } = new DOMParser().parseFromString(text, "text/xml").documentElement;
  return [...children].map(({ tagName, textContent }): [string, string] => [tagName, textContent ?? ""]);
}

/** The folders and the items of an archive, by their paths. */
function entries(files: Packed[]) {
  const id = (name: string) => /(?:^|\/)assets\/([\da-f-]{36})_[^/]*$/i.exec(name)?.[1].toLowerCase();
  const assets = new Map(files.map((file) => [id(file.name), file]));
  const make = (path: string, name: string, kind: string, trail: number[]): Entry => ({ row: { path, name, kind, value: null, count: 0 }, trail, children: [], fields: [] });
  const all = new Map([["", make("", "", "Folder", [])]]);
  const folders = new Map<string, Entry>();
  const put = (above: Entry, name: string, kind: string) => {
    const own = `${above.row.path && `${above.row.path}/`}${name.replace(/[\\/]/g, "\\$&")}`;
    let path = own;
    for (let at = 1; all.has(path); at += 1) path = `${own}[${at}]`;
    const entry = make(path, name, kind, [...above.trail, above.children.length]);
    above.row.count = above.children.push(entry);
    all.set(path, entry);
    return entry;
  };
  /** The entry of a folder, which is made with those above it. */
  const folder = (path: string): Entry => {
    const [, above, step] = /^(.*\/)?([^/]+)\/$/.exec(path) ?? [];
    if (!step) return all.get("")!;
    const known = folders.get(path) ?? put(folder(above ?? ""), nameIn(step), "Folder");
    folders.set(path, known);
    return known;
  };
  const inside = files.flatMap(({ name, bytes }) => {
    const [, path, file] = /(?:^|\/)inventory\/(.*\/)?([^/]*)$/.exec(name) ?? [];
    return file === undefined ? [] : [{ path: path ?? "", file, bytes }];
  });
  inside.sort((a, b) => a.path.localeCompare(b.path) || a.file.localeCompare(b.file));
  for (const { path } of inside) folder(path);
  for (const { path, file, bytes } of inside) {
    if (!file.endsWith(".xml")) continue;
    const fields = fieldsOf(bytes);
    const of = (name: string) => fields.find(([one]) => one === name)?.[1] ?? "";
    Object.assign(put(folder(path), of("Name") || nameIn(file), TYPES[of("AssetType")] ?? "Item"), { fields, asset: assets.get(of("AssetID").toLowerCase()) });
  }
  return all;
}

/** What is in an inventory: its facts, its entries, and the answers to what the page asks about it. Undefined if it is none. */
export function inventory(files: Packed[]) {
  const all = entries(files);
  if (all.size < 2) return undefined;
  const items = [...all.values()].filter(({ fields }) => fields.length);
  const facts: Record<string, unknown> = { items: items.length, folders: all.size - items.length - 1 };
  for (const { kind } of items.map(({ row }) => row)) facts[kind] = Number(facts[kind] ?? 0) + 1;
  const find = (text: string) => [...all.values()].map(({ row }) => row).filter(({ path, name, kind }) => path && `${name}\n${kind}`.toLowerCase().includes(text.toLowerCase()));
  const answers: Record<string, (...args: any[]) => unknown> = {
    node: (path) => all.get(path)!.row,
    rows: (path, from, max) => all.get(path)!.children.slice(from, from + max).map(({ row }) => row),
    trail: (path) => all.get(path)!.trail,
    properties: (path) => all.get(path)!.fields.map(([name, summary]) => ({ name, title: name, kind: "string", text: null, summary, source: "stored", fields: [] })),
    find: (text, max) => ({ rows: find(text).slice(0, max), count: find(text).length }),
    found: (text) => find(text).map(({ path }) => path),
  };
  return { facts, all, answers };
}
