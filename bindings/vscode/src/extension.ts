// The extension: editors, the picture in the side bar, and comparisons.

import { commands, type CustomDocumentBackup, type CustomDocumentBackupContext, type CustomDocumentEditEvent, type CustomDocumentOpenContext, type CustomEditorProvider, EventEmitter, extensions, type ExtensionContext, TabInputCustom, TabInputText, Uri, type WebviewPanel, type WebviewView, type WebviewViewProvider, window, workspace } from "vscode";
import { Document, nameOf, read } from "./document";
import { Page } from "./page";

const EDITORS = ["rezkit.file", "rezkit.other"];
/** Files of which the side bar shows a picture. */
const PICTURED = /\.(rbx[lm]x?|mesh|m3d|a3d|llmesh|slm|anim|animatn|material|glb|gltf|obj|stl|ply|bvh|fbx|dae|vox)$/i;

/** The documents that are open, by address. */
const open = new Map<string, Document>();
/** How often a document was opened. */
let turns = 0;

function told(error: unknown) {
  void window.showErrorMessage(`rezkit: ${error instanceof Error ? error.message : String(error)}`);
}

/** Saves a file that the page made. */
async function download(of: Uri, name: string, bytes: Uint8Array) {
  const isFile = workspace.fs.isWritableFileSystem(of.scheme) && of.scheme !== "untitled";
  const folder = isFile ? Uri.joinPath(of, "..") : workspace.workspaceFolders?.[0]?.uri;
  const target = await window.showSaveDialog(folder && { defaultUri: Uri.joinPath(folder, name.slice(name.lastIndexOf("/") + 1)) });
  if (target) await workspace.fs.writeFile(target, bytes);
}

class Editors implements CustomEditorProvider<Document> {
  private readonly changes = new EventEmitter<CustomDocumentEditEvent<Document>>();
  readonly onDidChangeCustomDocument = this.changes.event;

  constructor(private readonly root: Uri, private readonly saved: (uri: Uri) => void) {}

  async openCustomDocument(uri: Uri, { backupId }: CustomDocumentOpenContext) {
    const turn = (turns += 1);
    const document = await Document.open(uri, turn, backupId);
    document.onDidEdit((edit) => this.changes.fire(edit));
    open.set(uri.toString(), document);
    document.ended = () => void (open.get(uri.toString()) === document && open.delete(uri.toString()));
    return document;
  }

  async resolveCustomEditor(document: Document, panel: WebviewPanel) {
    const page = new Page(panel.webview, this.root, false);
    page.tells((message) => {
      if (message.event === "edited") document.edited(message.step, message.at);
      else if (message.event === "download") download(document.uri, message.name, message.bytes).catch(told);
      else document.show(page).catch(told);
    });
    panel.onDidDispose(() => {
      page.end();
      if (document.page === page) document.page = undefined;
    });
    await page.show();
    void this.beside(document);
  }

  /** Two versions of one file are open, such as those of a change in Git: the newer one lists the differences. */
  private async beside(document: Document) {
    const other = [...open.values()].find(({ uri }) => uri.path === document.uri.path && uri.toString() !== document.uri.toString());
    if (!other) return;
    // What can be changed is newer than what Git has. Of two commits, VS Code opens the older one first.
    const [old, now] = [document, other].sort((a, b) => Number(b.isReadOnly) - Number(a.isReadOnly) || a.turn - b.turn);
    await compare(now, `${nameOf(old.uri)} (${old.uri.scheme})`, await read(old.uri)).catch(told);
  }

  async saveCustomDocument(document: Document) {
    await document.save();
    this.saved(document.uri);
  }

  saveCustomDocumentAs = (document: Document, target: Uri) => document.save(target);
  revertCustomDocument = (document: Document) => document.revert();

  async backupCustomDocument(document: Document, { destination }: CustomDocumentBackupContext): Promise<CustomDocumentBackup> {
    await workspace.fs.writeFile(destination, await document.present(true));
    return { id: destination.toString(), delete: () => void Promise.resolve(workspace.fs.delete(destination)).catch(() => {}) };
  }
}

/** The file of a command: what was clicked, otherwise the one that is shown. */
function fileOf(clicked?: unknown): Uri | undefined {
  if (clicked instanceof Uri) return clicked;
  const resource = (clicked as { resourceUri?: unknown } | undefined)?.resourceUri;
  if (resource instanceof Uri) return resource;
  const input = window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof TabInputCustom || input instanceof TabInputText ? input.uri : undefined;
}

async function compare(document: Document, name: string, bytes: Uint8Array) {
  await (await document.shown()).call("compare", name, bytes);
}

/** The editor of a file, which is opened if it is not yet. */
async function editorOf(uri: Uri) {
  await commands.executeCommand("vscode.openWith", uri, EDITORS[0]);
  const document = open.get(uri.toString());
  if (!document) throw new Error(`${nameOf(uri)} could not be opened`);
  return document;
}

/** Where Git has a file as it was committed last. */
async function committed(uri: Uri): Promise<Uri> {
  const git = await extensions.getExtension("vscode.git")?.activate();
  if (!git) throw new Error("the extension Git of VS Code is not available");
  return git.getAPI(1).toGitUri(uri, "HEAD");
}

async function compareWith(what: "saved" | "git" | "file", clicked?: unknown, chosen?: Uri[]) {
  const uri = fileOf(clicked);
  if (!uri) throw new Error("no file is shown");
  if (what === "git") {
    const at = await committed(uri);
    return compare(await editorOf(uri), `${nameOf(uri)} (HEAD)`, await read(at));
  }
  if (what === "saved") return compare(await editorOf(uri), `${nameOf(uri)} (saved)`, await read(uri));
  const two = chosen?.length === 2 ? chosen : undefined;
  const other = two ? two.find((one) => one.toString() !== uri.toString()) : (await window.showOpenDialog({ title: `Compare ${nameOf(uri)} with` }))?.[0];
  if (other) await compare(await editorOf(uri), nameOf(other), await read(other));
}

/** A picture of the file that is selected. */
class Picture implements WebviewViewProvider {
  private page?: Page;
  private view?: WebviewView;
  private shown?: string;

  constructor(private readonly root: Uri) {
    window.tabGroups.onDidChangeTabs(() => void this.update().catch(told));
    window.tabGroups.onDidChangeTabGroups(() => void this.update().catch(told));
  }

  async resolveWebviewView(view: WebviewView) {
    const page = new Page(view.webview, this.root, true);
    this.view = view;
    page.tells((message) => {
      if (message.event !== "ready") return;
      [this.page, this.shown] = [page, undefined];
      void this.update().catch(told);
    });
    view.onDidChangeVisibility(() => void this.update().catch(told));
    view.onDidDispose(() => {
      page.end();
      this.page = this.view = undefined;
    });
    await page.show();
  }

  /** Draws a file again that was written. */
  renew(uri: Uri) {
    if (this.shown === uri.toString()) this.shown = undefined;
    void this.update().catch(told);
  }

  async update(clicked?: unknown) {
    const uri = fileOf(clicked);
    if (!this.page || !this.view?.visible || !uri || !PICTURED.test(uri.path) || this.shown === uri.toString()) return;
    this.shown = uri.toString();
    this.view.description = nameOf(uri);
    await this.page.call("open", { name: nameOf(uri), bytes: await read(uri), steps: [], at: 0, isReadOnly: true, beside: [] });
  }
}

export function activate({ extensionUri, subscriptions }: ExtensionContext) {
  const picture = new Picture(extensionUri);
  const options = { webviewOptions: { retainContextWhenHidden: true }, supportsMultipleEditorsPerDocument: false };
  // One for each kind of editor: VS Code looks for the document of an edit among those of the kind.
  for (const name of EDITORS) subscriptions.push(window.registerCustomEditorProvider(name, new Editors(extensionUri, (uri) => picture.renew(uri)), options));
  subscriptions.push(window.registerWebviewViewProvider("rezkit.picture", picture));
  const add = (name: string, run: (...args: any[]) => Promise<unknown>) => subscriptions.push(commands.registerCommand(name, (...args) => run(...args).catch(told)));
  add("rezkit.compareSaved", (clicked) => compareWith("saved", clicked));
  add("rezkit.compareGit", (clicked) => compareWith("git", clicked));
  add("rezkit.compareFile", (clicked, chosen) => compareWith("file", clicked, chosen));
  add("rezkit.showPicture", async (clicked) => {
    await commands.executeCommand("rezkit.picture.focus");
    await picture.update(clicked);
  });
  return {};
}
