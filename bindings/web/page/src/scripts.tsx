// Searches all scripts of a document, by line, and replaces what is found after a preview.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { back, EngineError } from "./engine";
import { count, type Doc, many, plain, sentence } from "./files";
import { Check, useTask } from "./ui";
import type { Grep, Grepped } from "./worker";

/** What is searched, kept over files. */
export const wanted = signal<Grep>({ text: "", isRegex: false, isCase: false });
/** How long a search may take, in milliseconds: some expressions never end. */
const LONGEST = 10_000;
/** How long the page waits after the last key. */
const PAUSE = 250;

/** Searches, and stops a search that takes too long. */
function search(doc: Doc, grep: Grep) {
  const late = new EngineError("late", "The search took more than 10 seconds and was stopped.");
  const timer = setTimeout(() => back.stop(late), LONGEST);
  return doc.later<Grepped>("grep", [grep], 2).finally(() => clearTimeout(timer));
}

/** Indented as an editor shows it. */
const indented = (text: string) => plain(text.replaceAll("\t", "    "));

/** A line with what was found in it, and with what it becomes. */
function Text({ text, spans, after }: Grepped["scripts"][0]["lines"][0]) {
  const pieces = spans.map(([from, to], at) => [indented(text.slice(at ? spans[at - 1][1] : 0, from)), <mark key={at}>{indented(text.slice(from, to))}</mark>]);
  return (
    <>
      <code>{pieces}{indented(text.slice(spans.at(-1)![1]))}</code>
      {after !== undefined && <code class="after">{indented(after)}</code>}
    </>
  );
}

export function Scripts({ doc }: { doc: Doc }) {
  const { value: grep } = wanted;
  const [found, setFound] = useState<Grepped>();
  const [error, setError] = useState("");
  const { text, isRegex, isCase, replacement } = grep;
  const find = async (isWanted: () => boolean) => {
    setError("");
    if (text) await new Promise((later) => setTimeout(later, PAUSE));
    const result = text && isWanted() ? await search(doc, grep) : undefined;
    if (isWanted()) setFound(result);
  };
  useTask(find, [doc, doc.version.value, text, isRegex, isCase, replacement], (failed) => (setFound(undefined), setError(sentence(failed))));
  const set = (change: Partial<Grep>) => (wanted.value = { ...grep, ...change });
  const replace = async () => {
    const made: { path: string; source: string }[] = await doc.later("replaced", [grep], 2);
    const edits = made.map(({ path, source }) => ({ do: "set" as const, path: `${path}.Source`, value: source }));
    await doc.edit(`Replaced ${plain(text)} in ${many(made.length, "script")}`, edits, { of: made.map(({ path }) => path), names: ["Source"] }).catch(() => {});
  };
  const go = async (path: string, line: number) => {
    doc.mode.value = "script";
    await doc.reveal(path);
    doc.line.value = { path, line };
  };
  const isReplacing = replacement !== undefined && found !== undefined && found.matches > 0;
  return (
    <>
      <form class="grep" onSubmit={(event) => event.preventDefault()}>
        <input id="grep" type="search" aria-label="Find in scripts" placeholder="Find in scripts" spellcheck={false} value={text} onInput={(event) => set({ text: event.currentTarget.value })} />
        <input aria-label="Replace with" placeholder="Replace with" spellcheck={false} value={replacement ?? ""} onInput={(event) => set({ replacement: event.currentTarget.value })} />
        <Check label="Match case" value={isCase} set={(isCase) => set({ isCase })} />
        <Check label="Regular expression" value={isRegex} set={(isRegex) => set({ isRegex })} />
        {isReplacing && <button type="button" onClick={() => replace().catch((failed) => setError(sentence(failed)))}>Replace {count(found.matches)} in {many(found.count, "script")}</button>}
        {replacement !== undefined && <button type="button" onClick={() => set({ replacement: undefined })}>Do not replace</button>}
      </form>
      {error && <p class="bad" role="alert">{error}</p>}
      <p role="status" class="dim">
        {found && `${count(found.matches)} in ${many(found.count, "script")}, of ${count(found.all)}${found.isCut ? "; the first are listed" : ""}`}
        {found && found.skipped > 0 && `; ${many(found.skipped, "script")} with bytes that are no text would not be changed`}
      </p>
      {found?.scripts.map(({ path, lines }) => (
        <details key={path} open>
          <summary>{plain(path)} <span class="dim">× {count(lines.length)}</span></summary>
          <ul class="lines">
            {lines.map((one) => <li key={one.line}><button type="button" class="link" onClick={() => go(path, one.line)}>{one.line}</button> <Text {...one} /></li>)}
          </ul>
        </details>
      ))}
    </>
  );
}
