// The editor of scripts and texts: CodeMirror.

import { xml } from "@codemirror/lang-xml";
import { defaultHighlightStyle, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { json } from "@codemirror/legacy-modes/mode/javascript";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { EditorState, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup, EditorView } from "codemirror";
import { useEffect, useRef } from "preact/hooks";
import { lineEnd } from "./tree";

/** Lua's colouring, with the words and the interpolated strings that Luau adds. */
const luau = StreamLanguage.define({
  ...lua,
  name: "luau",
  token(stream, state) {
    if (stream.match(/^(continue|export|type)\b(?=\s*[\w;]|\s*$)/)) return "keyword";
    if (stream.match(/^`(?:[^`\\]|\\.)*`?/)) return "string";
    return lua.token(stream, state);
  },
});

const LANGUAGES = { luau: [luau], xml: [xml()], json: [StreamLanguage.define(json)], plain: [] };

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.tagName], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.attributeValue], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.standard(tags.variableName), tags.attributeName], color: "var(--code-name)" },
]);

/** How long the editor waits after the last key before it reports a change, in milliseconds. */
const PAUSE = 400;

/** `shown` is a new object with each answer. The text has the same line ends as long as the editor exists. */
export interface Shown {
  shown: { text: string };
  language: keyof typeof LANGUAGES;
  label: string;
  line?: { line: number };
  change?: (text: string) => Promise<unknown>;
  travel?: (by: -1 | 1) => void;
}

export default function Code({ shown, language, label, line, change, travel }: Shown) {
  const { text } = shown;
  const box = useRef<HTMLDivElement>(null);
  const told = useRef(text);
  /** The number of changes that are not in the file yet: answers may be older than these. */
  const left = useRef(0);
  const report = useRef(change);
  report.current = change;
  const view = useRef<EditorView>(null);
  useEffect(() => {
    let timer = 0;
    const tell = () => {
      clearTimeout(timer);
      const now = made.state.sliceDoc();
      if (now === told.current) return;
      told.current = now;
      left.current += 1;
      void report.current?.(now).catch(() => {}).then(() => (left.current -= 1));
    };
    // One history, with the edits made elsewhere: the editor's own one would undo what is in the other.
    const go = (by: -1 | 1) => () => (tell(), travel?.(by), true);
    const keys = Prec.highest(keymap.of([{ key: "Mod-z", run: go(-1) }, ...["Mod-y", "Mod-Shift-z"].map((key) => ({ key, run: go(1) }))]));
    const made = new EditorView({
      parent: box.current!,
      doc: text,
      extensions: [
        keys,
        // Other line ends stay as they are, and are shown as signs.
        EditorState.lineSeparator.of(lineEnd(text)),
        EditorView.clipboardInputFilter.of((text, { lineBreak }) => text.replace(/\r\n|\r|\n/g, lineBreak)),
        basicSetup,
        LANGUAGES[language],
        syntaxHighlighting(colours),
        syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
        EditorView.lineWrapping,
        EditorView.editable.of(Boolean(change)),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          clearTimeout(timer);
          timer = window.setTimeout(tell, PAUSE);
        }),
        EditorView.domEventHandlers({ blur: tell }),
      ],
    });
    view.current = made;
    return () => {
      tell();
      made.destroy();
    };
  }, []);
  // A new text from outside, such as after undo.
  useEffect(() => {
    const { current } = view;
    if (!current || left.current || text === told.current) return;
    told.current = text;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: text } });
  }, [shown]);
  useEffect(() => {
    const { current } = view;
    if (!current || !line) return;
    const { from, to } = current.state.doc.line(Math.min(line.line, current.state.doc.lines));
    current.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    current.focus();
  }, [line]);
  return <div class="code" ref={box} />;
}
