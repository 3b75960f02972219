// A file that is open in an editor: its bytes, and the steps that were made since. The page shows it, and makes the bytes.

import { type CustomDocument, type CustomDocumentEditEvent, EventEmitter, type FileStat, FileType, Uri, window, workspace } from "vscode";
import type { Packed } from "./messages";
import type { Page } from "./page";

/** Files that other files of these kinds name by their paths. */
const REFERS = /\.(gltf|obj)$/i;
const BESIDE = /\.(bin|mtl|png|jpe?g|webp|gif|bmp|tga)$/i;
/** The number of bytes of such files that are read at most. */
const MOST = 300e6;

export const nameOf = (uri: Uri) => uri.path.slice(uri.path.lastIndexOf("/") + 1);
export const read = async (uri: Uri) => new Uint8Array(await workspace.fs.readFile(uri));

async function beside(uri: Uri) {
  const found: { name: string; bytes: Uint8Array }[] = [];
  if (!REFERS.test(uri.path)) return found;
  const folder = Uri.joinPath(uri, "..");
  let left = MOST;
  for (const [name, type] of await workspace.fs.readDirectory(folder)) {
    if (type !== FileType.File || !BESIDE.test(name)) continue;
    const bytes = await read(Uri.joinPath(folder, name));
    left -= bytes.length;
    if (left < 0) break;
    found.push({ name, bytes });
  }
  return found;
}

export class Document implements CustomDocument {
  /** The page that shows the document, once it is ready. */
  page?: Page;
  private steps: Packed[] = [];
  private at = 0;
  private saved = 0;
  /** Counts contents: undo of an edit of another content does nothing. */
  private content = 0;
  private readonly edits = new EventEmitter<CustomDocumentEditEvent<Document>>();
  readonly onDidEdit = this.edits.event;
  private readonly ready = new EventEmitter<Page>();
  /** Called when VS Code does not need the document any more. */
  ended = () => {};

  private constructor(readonly uri: Uri, readonly turn: number, private bytes: Uint8Array, private disk: FileStat | undefined) {}

  /** `turn` is larger for what is opened later. */
  static async open(uri: Uri, turn: number, backup?: string) {
    const disk = await Promise.resolve(workspace.fs.stat(uri)).catch(() => undefined);
    const bytes = uri.scheme === "untitled" && !backup ? new TextEncoder().encode('<roblox version="4">\n</roblox>\n') : await read(backup ? Uri.parse(backup) : uri);
    const made = new Document(uri, turn, bytes, disk);
    // The file itself differs from the backup.
    if (backup) made.saved = -1;
    return made;
  }

  get isReadOnly() {
    return workspace.fs.isWritableFileSystem(this.uri.scheme) === false;
  }

  /** Brings a page that is ready to the document's state. */
  async show(page: Page) {
    const { bytes, steps, at, isReadOnly } = this;
    await page.call("open", { name: nameOf(this.uri), bytes, steps, at, isReadOnly, beside: await beside(this.uri) });
    this.page = page;
    this.ready.fire(page);
  }

  /** The page, as soon as it shows the document. */
  shown(): Promise<Page> {
    return this.page ? Promise.resolve(this.page) : new Promise((resolve) => this.ready.event(resolve));
  }

  /** Takes an edit of the page. Undo and redo are VS Code's. */
  edited(step: Packed, at: number) {
    const { content } = this;
    if (this.saved > at) this.saved = -1;
    this.steps = [...this.steps.slice(0, at), step];
    this.at = at + 1;
    const go = (to: number) => () => (this.content === content ? this.go(to) : void window.showWarningMessage(`${nameOf(this.uri)} was read again since this edit, which cannot be undone any more.`));
    this.edits.fire({ document: this, label: step.label, undo: go(at), redo: go(at + 1) });
  }

  private async go(at: number) {
    this.at = at;
    await this.page?.call("go", at);
  }

  /** The content as it is to be saved. */
  async present(isLater = false): Promise<Uint8Array> {
    return this.at || this.page ? (await this.shown()).call<Uint8Array>("bytes", isLater) : this.bytes;
  }

  async save(target = this.uri) {
    const bytes = await this.present();
    // Edits that are made from here on are not in the file.
    const { at } = this;
    await workspace.fs.writeFile(target, bytes);
    if (target.toString() !== this.uri.toString()) return;
    this.saved = at;
    this.disk = await workspace.fs.stat(target);
  }

  /** The file as it is on the disk: by undoing if nobody else wrote it, otherwise by reading it. */
  async revert() {
    const disk = await workspace.fs.stat(this.uri);
    if (this.saved >= 0 && disk.mtime === this.disk?.mtime && disk.size === this.disk.size) return this.go(this.saved);
    [this.bytes, this.disk] = [await read(this.uri), disk];
    [this.steps, this.at, this.saved] = [[], 0, 0];
    this.content += 1;
    if (this.page) await this.show(this.page);
  }

  dispose() {
    this.ended();
    this.edits.dispose();
    this.ready.dispose();
  }
}
