// Syntax highlighting for Luau.

import { make } from "./dom.js";

const KEYWORDS = new Set(
  "and break continue do else elseif end export false for function if in local nil not or repeat return then true type typeof until while".split(" "),
);
const TOKEN =
  /(?<comment>--(?!\[=*\[).*)|(?<string>"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|`(?:\\.|[^`\\])*`?)|(?<long>(?:--)?\[(?<level>=*)\[)|(?<number>\b0[xXbB][\da-fA-F_]+|\b\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?)|(?<word>[A-Za-z_]\w*)/g;

/** Yields each line of a script as a list of strings and highlighted elements. */
export function* lines(source) {
  let closing;
  let kind;
  for (const line of source.split("\n")) {
    const parts = [];
    let at = 0;
    if (closing) {
      const end = line.indexOf(closing);
      at = end < 0 ? line.length : end + closing.length;
      parts.push(make("span", { class: kind }, line.slice(0, at)));
      if (end >= 0) closing = undefined;
    }
    TOKEN.lastIndex = at;
    for (let match; !closing && (match = TOKEN.exec(line)); ) {
      const { comment, string, long, level, number, word } = match.groups;
      parts.push(line.slice(at, match.index));
      at = TOKEN.lastIndex;
      let text = match[0];
      if (long) {
        kind = long.startsWith("--") ? "comment" : "string";
        const end = line.indexOf(`]${level}]`, at);
        if (end < 0) closing = `]${level}]`;
        const to = end < 0 ? line.length : end + level.length + 2;
        text += line.slice(at, to);
        at = to;
        TOKEN.lastIndex = to;
        parts.push(make("span", { class: kind }, text));
      } else if (comment) parts.push(make("span", { class: "comment" }, text));
      else if (string) parts.push(make("span", { class: "string" }, text));
      else if (number) parts.push(make("span", { class: "number" }, text));
      else if (word && KEYWORDS.has(word)) parts.push(make("span", { class: "keyword" }, text));
      else parts.push(text);
    }
    parts.push(line.slice(at));
    yield parts.filter((part) => part !== "");
  }
}
