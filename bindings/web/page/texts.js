// Every text of the page.

export const TEXTS = {
  skip: "To the content",
  about: "Looks into, checks, compares and converts files of Roblox, Second Life and Model 3D. Nothing leaves this computer.",
  choose: "Open files",
  folder: "Open a folder",
  paste: "Paste LLSD",
  files: "Files",
  drop: "Drop files, folders or a ZIP archive anywhere on this page.",
  empty: "No file is selected.",
  pasteTitle: "Paste LLSD",
  pasteLabel: "XML, notation or JSON",
  pastedName: "pasted",
  open: "Open",
  cancel: "Cancel",
  loading: "Loading the engine …",
  ready: "Ready.",
  reading: "Reading {name} …",
  done: "Files: {count}.",
  tooLarge: "{size} is more than this page opens ({limit}).",
  crashed: "The engine stopped and was started anew: {text}",
  findings: "findings: {count}",
  errors: "errors: {count}",
  bytes: "{count} bytes",
  overview: "Overview",
  tree: "Tree",
  view: "3D",
  scripts: "Scripts",
  check: "Check",
  convert: "Convert",
  compare: "Compare",
  search: "Search names and classes",
  searchDone: "{count} found.",
  searchMore: "The first {count}.",
  treeLabel: "What is in the file",
  properties: "Properties",
  noProperties: "No properties.",
  name: "Name",
  kind: "Type",
  value: "Value",
  set: "Set",
  setDone: "{path} is set.",
  save: "Save the file",
  saved: "{name} is saved.",
  undo: "Undo",
  undone: "The last change is undone, {count} left.",
  changed: "{count} unsaved changes",
  closeChanged: "{name} has unsaved changes. Close it?",
  whole: "Whole value",
  noThree: "three.js is not there: these are pictures by the kit. Drag or use the arrow keys to turn.",
  sceneLabel: "The model. Drag or use the arrow keys to turn, + and - to zoom.",
  level: "Level of detail",
  finest: "Finest",
  all: "All",
  look: "Look",
  shaded: "Shaded",
  wireframe: "Wireframe",
  normals: "Normals",
  uvs: "Texture coordinates",
  skeleton: "Skeleton",
  hulls: "Convex hulls",
  action: "Animation",
  still: "None",
  time: "Time",
  play: "Play",
  pause: "Pause",
  reset: "Reset the view",
  picture: "Save a picture",
  measures: "{triangles} triangles, {vertices} vertices, {x} × {y} × {z}",
  picked: "{name}: {triangles} triangles, at {point}",
  distance: "{distance} from the point before",
  showInTree: "Show in the tree",
  showIn3D: "Show in 3D",
  notDrawn: "Nothing of {path} is drawn.",
  turntable: "Save a turn (36 pictures)",
  frames: "{count} of {all} pictures.",
  references: "Refers to",
  uses: "Used by",
  noScripts: "No scripts.",
  scriptList: "Scripts",
  suspicious: "lines to look at: {count}",
  suspiciousNote: "What is marked need not be wrong, and what is not marked need not be right: words are found, code is not understood.",
  cut: "… {count} more lines",
  profile: "Also what a platform demands of uploads",
  format: "Only the format",
  checkNone: "No rule is broken.",
  copy: "Copy the list",
  copied: "Copied.",
  severity: "Severity",
  rule: "Rule",
  path: "Path",
  found: "Found",
  demands: "Rule in words",
  target: "Convert to",
  allowLoss: "Leave out what it cannot represent",
  fill: "Fill in what is missing",
  fillNone: "Nothing",
  fillNeutral: "Neutral values",
  fillDefaults: "Defaults of Roblox's classes",
  tryIt: "Convert",
  download: "Download {name} ({size})",
  noLosses: "Nothing is lost.",
  losses: "Losses: {count}",
  extract: "Take out scripts, textures and other files",
  nothingInIt: "There are no files in it.",
  other: "Compare with",
  noOther: "Open a second file to compare.",
  swap: "This file is the newer one",
  same: "No difference.",
  changes: "Differences: {count}",
  before: "Before",
  after: "After",
  change: "Change",
  close: "Close {name}",
};

/** A text, with values in it. */
export function say(key, values = {}) {
  return TEXTS[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** A text from a file, with characters that hide or reorder others written by their numbers. */
export function plain(text) {
  return String(text).replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (char) => (char === "\n" ? "\\n" : `\\u{${char.codePointAt(0).toString(16)}}`),
  );
}

/** A number of bytes for people. */
export function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  let unit = 0;
  let number = bytes;
  while (number >= 1000 && unit < 3) {
    number /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? number : number.toPrecision(3)} ${units[unit]}`;
}

/** A number with separators. */
export const count = (number) => number.toLocaleString("en");
