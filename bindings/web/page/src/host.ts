// What a program provides that shows the page in itself, such as bindings/vscode, and what it calls. The host owns one file
// with its steps, undo and saving; the page shows it, and tells each edit.

import type { Step } from "./worker";

/** The file of the host: its bytes, the steps that were made since, and how many of these are not undone. */
export interface Hosted {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  steps: Step[];
  at: number;
  isReadOnly: boolean;
  /** The files that it may refer to. */
  beside: { name: string; bytes: Uint8Array<ArrayBuffer> }[];
}

/** What the host calls. Each promise is kept when the page shows the new state. */
export interface Controls {
  open(file: Hosted): Promise<void>;
  /** Undoes or does again, until this number of steps is left. */
  go(at: number): Promise<void>;
  /** The content as it is to be saved; with `isLater`, edits and looks do not wait for it. */
  bytes(isLater: boolean): Promise<Uint8Array>;
  /** Lists the differences from another version. */
  compare(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

export interface Host {
  /** Whether only a picture of the file is shown. */
  isPicture: boolean;
  start(page: Controls): void;
  /** Called after each new edit, with its number: it replaces the steps from there on. */
  edited(step: Step, at: number): void;
  download(name: string, bytes: Uint8Array): void;
}

/** Set by a script that runs before the page's. */
export const host = (globalThis as { rezkitHost?: Host }).rezkitHost;
