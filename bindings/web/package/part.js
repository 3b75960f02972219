// Loads the second part of the engine when the first part needs it. `kit.js` provides how.

let load = () => {
  throw new Error("the engine is not loaded");
};

export function setPart(found) {
  load = found;
}

export function loadPart() {
  load();
}
