// Elements. Texts from files are only ever texts: nothing here makes HTML of them.

import { plain } from "./texts.js";
import { zip } from "./zip.js";

/** An element with attributes and children: elements, or texts. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list" && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

/** A text from a file, in a direction of its own. */
export const foreign = (text) => make("bdi", {}, plain(text));

/** A select with a label. */
export function choice(label, options, change) {
  const select = make("select", { onchange: () => change?.(select.value) });
  for (const [value, text] of options) select.append(make("option", { value }, text));
  return { label: make("label", {}, `${label} `, select), select };
}

/** A checkbox with a label. */
export function tick(label, change) {
  const box = make("input", { type: "checkbox", onchange: () => change?.(box.checked) });
  return { label: make("label", {}, box, ` ${label}`), box };
}

/** An input with a label. */
export function field(label, attributes) {
  const input = make("input", attributes);
  return { label: make("label", {}, `${label} `, input), input };
}

/** A table of rows of texts or elements. */
export function table(caption, heads, rows) {
  const body = make("tbody");
  for (const row of rows) body.append(make("tr", {}, ...row.map((cell) => make("td", {}, cell))));
  const head = make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text))));
  return make("table", { "aria-label": caption }, head, body);
}

/** A file's name without its ending. */
export const stemOf = (name) => name.replace(/\.[^.]*$/, "") || name;

/** Saves files: one as it is, several in an archive. */
export async function saved(files, stem) {
  if (files.length === 1) return download(files[0].path.split("/").pop(), files[0].bytes);
  return download(`${stem}.zip`, await zip(files).arrayBuffer());
}

/** Gives a file to the user. */
export function download(name, bytes) {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
