// Functions that create elements. Strings from files are inserted as text nodes and never parsed as HTML, which
// prevents script injection.

import { plain } from "./texts.js";
import { zip } from "./zip.js";

/** Creates an element. `children` are elements and strings; attributes that start with `on` are event listeners. */
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

/** A string from a file, isolated so that right-to-left text does not reorder the text around it. */
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

/** A table. Each cell is a string or an element. */
export function table(caption, heads, rows) {
  const body = make("tbody");
  for (const row of rows) body.append(make("tr", {}, ...row.map((cell) => make("td", {}, cell))));
  const head = make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text))));
  return make("table", { "aria-label": caption }, head, body);
}

/** A file's name without its extension. */
export const stemOf = (name) => name.replace(/\.[^.]*$/, "") || name;

/** Downloads files: one file directly, several as a ZIP archive. */
export async function saved(files, stem) {
  if (files.length === 1) return download(files[0].path.split("/").pop(), files[0].bytes);
  return download(`${stem}.zip`, await zip(files).arrayBuffer());
}

/** Downloads a file. */
export function download(name, bytes) {
  const address = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
