// A tree view for files of any size. Only visible rows have elements, and their data is loaded in pages on demand.

import { make } from "./dom.js";
import { plain, say } from "./texts.js";

/** The number of nodes in a page, which are loaded together. */
const PAGE = 200;
/**
 * The maximum height of the scrolled element in pixels. Browsers limit the height of elements to some millions of pixels.
 * For longer trees, scrolling by one pixel moves the rows by more than one.
 */
const HIGHEST = 8_000_000;

export class Tree {
  /** `ask(path, from, max)` returns a promise of the children's rows. `picked(row)` is called when a row is selected. */
  constructor(root, ask, picked) {
    this.ask = ask;
    this.picked = picked;
    this.lines = [];
    this.current = 0;
    this.space = make("div", { class: "space", role: "presentation" });
    this.element = make("div", {
      class: "tree",
      role: "tree",
      tabindex: "0",
      "aria-label": say("treeLabel"),
      onscroll: () => this.draw(),
      onkeydown: (event) => this.key(event),
      onclick: (event) => this.click(event),
    });
    this.element.append(this.space);
    this.lines = this.placeholders(root, -1);
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  get rowHeight() {
    return parseFloat(getComputedStyle(this.element).getPropertyValue("--row")) || 28;
  }

  placeholders(row, level) {
    return Array.from({ length: row.count }, (_, index) => ({ parent: row, index, level: level + 1 }));
  }

  /** Replaces the tree with a flat list of rows, such as search results. */
  show(rows) {
    this.lines = rows.map((row, index) => ({ row, index, level: 0, parent: { count: rows.length, path: "" } }));
    this.current = 0;
    this.element.scrollTop = 0;
    this.draw();
  }

  /** Opens and selects a node. `steps` contains the child index at each level, from the root to the node. */
  async reveal(steps) {
    let at = -1;
    for (const [level, step] of steps.entries()) {
      if (level) await this.toggle(at, true);
      // Skips the descendants of open siblings.
      let index = at + 1;
      for (let left = step; left > 0; index += 1) if (this.lines[index + 1].level === level) left -= 1;
      at = index;
      await this.load(this.lines[at]);
    }
    await this.go(at);
  }

  /** Loads the page that contains a line, unless it is already loaded. */
  async load(line) {
    const from = line.index - (line.index % PAGE);
    const pages = (line.parent.pages ??= new Map());
    if (!pages.has(from)) pages.set(from, this.ask(line.parent.path, from, PAGE));
    const rows = await pages.get(from);
    if (!line.row) line.row = rows[line.index - from];
  }

  draw() {
    const height = this.rowHeight;
    const total = this.lines.length * height;
    const shown = Math.min(total, HIGHEST);
    const seen = this.element.clientHeight;
    const scroll = this.element.scrollTop;
    // If the element is lower than all rows together, converts the scroll position in proportion.
    const top = shown === total ? scroll : (scroll / Math.max(1, shown - seen)) * (total - seen);
    this.space.style.height = `${shown}px`;
    const first = Math.max(0, Math.floor(top / height) - 4);
    const last = Math.min(this.lines.length, Math.ceil((top + seen) / height) + 4);
    const rows = [];
    for (let index = first; index < last; index += 1) {
      const element = this.row(index);
      element.style.top = `${index * height - top + scroll}px`;
      rows.push(element);
    }
    this.space.replaceChildren(...rows);
    const id = rows.find((row) => row.classList.contains("current"))?.id;
    if (id) this.element.setAttribute("aria-activedescendant", id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  row(index) {
    const line = this.lines[index];
    const { row, level, parent } = line;
    const element = make("div", {
      class: index === this.current ? "row current" : "row",
      id: `row-${index}`,
      role: "treeitem",
      "aria-level": String(level + 1),
      "aria-posinset": String(line.index + 1),
      "aria-setsize": String(parent.count),
      "aria-selected": String(index === this.current),
    });
    element.dataset.index = index;
    element.style.paddingInlineStart = `${0.4 + Math.min(level, 30) * 1.1}em`;
    if (!row) {
      element.textContent = "…";
      this.load(line).then(
        () => this.lines[index] === line && this.soon(),
        () => {},
      );
      return element;
    }
    if (row.count) element.setAttribute("aria-expanded", String(Boolean(line.open)));
    const turn = make("span", { class: "turn", "aria-hidden": "true" }, row.count ? (line.open ? "▾" : "▸") : "");
    const value = row.value === null ? "" : ` = ${plain(row.value)}`;
    element.append(turn, make("bdi", {}, plain(row.name)), make("span", { class: "kind" }, ` ${plain(row.kind)}`), value);
    element.title = plain(row.path);
    return element;
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  async toggle(index, open) {
    const line = this.lines[index];
    if (!line?.row?.count || Boolean(line.open) === open) return;
    line.open = open;
    if (open) {
      const more = this.placeholders(line.row, line.level);
      // `concat` and not `splice(...more)`, since the number of arguments of a call is limited.
      this.lines = this.lines.slice(0, index + 1).concat(more, this.lines.slice(index + 1));
    } else {
      let end = index + 1;
      while (end < this.lines.length && this.lines[end].level > line.level) end += 1;
      this.lines.splice(index + 1, end - index - 1);
    }
    this.draw();
  }

  /** Reloads the current line and its siblings after a name changed, since this can change the paths in all of them. */
  async renew() {
    const { current, lines } = this;
    const { parent, index: place } = lines[current];
    parent.pages = undefined;
    let at = lines.findIndex((line) => line.parent === parent);
    let siblings = 0;
    for (; at < this.lines.length; at += 1) {
      await this.toggle(at, false);
      this.lines[at].row = undefined;
      siblings += 1;
      if (siblings === parent.count) break;
    }
    await this.go(this.lines.findIndex((line) => line.parent === parent && line.index === place));
  }

  /** Reloads the tree and closes all nodes. */
  reset(root) {
    root.pages = undefined;
    this.lines = this.placeholders(root, -1);
    return this.go(0);
  }

  async go(index) {
    if (!this.lines.length) return;
    this.current = Math.max(0, Math.min(index, this.lines.length - 1));
    const height = this.rowHeight;
    const total = this.lines.length * height;
    const shown = Math.min(total, HIGHEST);
    const seen = this.element.clientHeight;
    const scale = shown === total ? 1 : (shown - seen) / (total - seen);
    const top = this.current * height * scale;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top + height > this.element.scrollTop + seen) this.element.scrollTop = top + height - seen;
    this.draw();
    const line = this.lines[this.current];
    await this.load(line).catch(() => {});
    if (this.lines[this.current] === line && line.row) this.picked(line.row);
  }

  click(event) {
    const element = event.target.closest(".row");
    if (!element) return;
    const index = Number(element.dataset.index);
    if (event.target.classList.contains("turn")) this.toggle(index, !this.lines[index].open);
    this.go(index);
  }

  key(event) {
    const line = this.lines[this.current];
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
    const parent = () => {
      let index = this.current;
      while (index > 0 && this.lines[index].level >= line.level) index -= 1;
      return index;
    };
    const moves = {
      ArrowDown: () => this.go(this.current + 1),
      ArrowUp: () => this.go(this.current - 1),
      PageDown: () => this.go(this.current + page),
      PageUp: () => this.go(this.current - page),
      Home: () => this.go(0),
      End: () => this.go(this.lines.length - 1),
      ArrowRight: () => (line?.open ? this.go(this.current + 1) : this.toggle(this.current, true)),
      ArrowLeft: () => (line?.open ? this.toggle(this.current, false) : this.go(parent())),
      Enter: () => this.go(this.current),
    };
    if (moves[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      moves[event.key]();
    }
  }
}
