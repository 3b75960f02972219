// The lines of the explorer: nodes that are loaded in pages when they are seen.

import { signal } from "@preact/signals";

export interface Row {
  path: string;
  name: string;
  kind: string;
  value: string | null;
  count: number;
}

export interface Line {
  row?: Row;
  index: number;
  level: number;
  parent?: Line;
  open: boolean;
  children?: Line[];
  /** The pages that were asked for, by their first index. */
  pages?: Map<number, Promise<void>>;
}

export const parentOf = (path: string) => {
  // Slashes in names are escaped.
  const at = path.search(/(?<!\\)\/(?:[^/\\]|\\.)*$/);
  return at < 0 ? "" : path.slice(0, at);
};

/** The numbers of a text. */
export const numbers = (text = "") => text.split(/[,;\s]+/).filter(Boolean).map(Number);
/** A number as short as it can be without a change of a float of 32 bits. */
export const short = (value: number) => String(Number(value.toPrecision(7)) + 0);

/** What most lines of a text end with. */
export const lineEnd = (text: string) => (text.split("\r\n").length * 2 > text.split("\n").length + 1 ? "\r\n" : "\n");

/** What names the file of an asset in an address: an id, or a path in the folder of rbxasset://. */
export const assetIn = (address = "") => (/(\d{3,})\s*"?$/.exec(address) ?? /rbxasset:\/\/([^"]+)/.exec(address))?.[1];

/** The number of nodes that are loaded together. */
export const PAGE = 200;

export class Tree {
  root: Line = { index: 0, level: -1, open: true };
  lines = signal<Line[]>([]);
  /** The path that the explorer scrolls to. */
  target = signal<string | undefined>(undefined);

  /** The root that replaces the present one when it is loaded. */
  private renewed?: Line;

  constructor(private ask: (path: string, from: number, max: number) => Promise<Row[]>) {}

  /** Begins with a root and its first children. */
  reset(root: Row, rows: Row[]) {
    this.root = { row: root, index: 0, level: -1, open: true };
    this.root.children = this.below(this.root);
    rows.forEach((row, at) => (this.root.children![at].row = row));
    this.root.pages = new Map([[0, Promise.resolve()]]);
    this.update();
  }

  /** Opens what is seen first: the only root, or the workspace. */
  async show() {
    const roots = this.root.children ?? [];
    const first = roots.find(({ row }) => row?.kind === "Workspace") ?? (roots.length === 1 ? roots[0] : undefined);
    if (first) await this.toggle(first, true);
  }

  private below(line: Line): Line[] {
    return Array.from({ length: line.row!.count }, (_, index) => ({ index, level: line.level + 1, parent: line, open: false }));
  }

  private async fill(line: Line) {
    line.children = this.below(line);
    line.pages = new Map();
    if (line.children.length) await this.load(line.children[0]);
  }

  /** Loads the page of a line. */
  load(line: Line): Promise<void> {
    const parent = line.parent!;
    const from = line.index - (line.index % PAGE);
    const known = parent.pages!.get(from);
    if (known) return known;
    const page = this.ask(parent.row!.path, from, PAGE).then((rows) => {
      rows.forEach((row, at) => parent.children![from + at] && (parent.children![from + at].row = row));
      this.update();
    });
    parent.pages!.set(from, page);
    return page.catch(() => void parent.pages!.delete(from));
  }

  update() {
    const lines: Line[] = [];
    // A stack instead of recursion, so that deep trees cannot overflow the call stack.
    const left = [...(this.root.children ?? [])].reverse();
    while (left.length) {
      const line = left.pop()!;
      lines.push(line);
      if (line.open && line.children) for (let at = line.children.length - 1; at >= 0; at -= 1) left.push(line.children[at]);
    }
    this.lines.value = lines;
  }

  async toggle(line: Line, open = !line.open) {
    if (!line.row?.count) return;
    line.open = open;
    if (open && !line.children) await this.fill(line);
    this.update();
  }

  /** Opens the nodes above a node. `steps` are the child indices from the root to it. */
  async reveal(steps: number[]) {
    let line = this.root;
    for (const [level, step] of steps.entries()) {
      if (level) await this.toggle(line, true);
      line = line.children![step];
      if (!line.row) await this.load(line);
    }
    this.target.value = line.row?.path;
  }

  /** Reads the open nodes again after a change. Of several at once, the last one counts. */
  async refresh(root: Row) {
    const now: Line = { row: root, index: 0, level: -1, open: true };
    this.renewed = now;
    const again = async (old: Line, now: Line): Promise<void> => {
      now.open = old.open;
      if (!old.open || !now.row?.count) return;
      await this.fill(now);
      for (const child of old.children?.filter((one) => one.open && one.row) ?? []) {
        const near = now.children![Math.min(child.index, now.children!.length - 1)];
        if (!near.row) await this.load(near);
        const same = now.children!.find(({ row }) => row?.path === child.row!.path) ?? near;
        if (same.row?.name === child.row!.name || same.row?.kind === child.row!.kind) await again(child, same);
      }
    };
    await again(this.root, now);
    if (this.renewed !== now) return;
    this.root = now;
    this.update();
  }
}
