// The sentence of the last panic. The engine tells it before it stops.

let sentence = "";

export function panicked(text) {
  sentence = text;
}

export function lastPanic() {
  const text = sentence;
  sentence = "";
  return text;
}
