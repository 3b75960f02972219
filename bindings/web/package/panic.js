// The message of the last panic, which the engine reports before it stops.

let sentence = "";

export function panicked(text) {
  sentence = text;
}

export function lastPanic() {
  const text = sentence;
  sentence = "";
  return text;
}
