// Keeps the message of the last panic. The engine reports it before it stops, and `kit.js` adds it to the error.

let sentence = "";

export function panicked(text) {
  sentence = text;
}

export function lastPanic() {
  const text = sentence;
  sentence = "";
  return text;
}
