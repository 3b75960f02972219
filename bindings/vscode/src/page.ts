// A webview with the page: its HTML, and calls with answers.

import { EventEmitter, Uri, type Webview, workspace } from "vscode";
import type { FromPage, ToPage } from "./messages";

/** The page's HTML for a webview, from which only files of the extension can be loaded. */
async function html(webview: Webview, root: Uri, isPicture: boolean) {
  const page = webview.asWebviewUri(Uri.joinPath(root, "dist/page")).toString();
  const adapter = webview.asWebviewUri(Uri.joinPath(root, "dist/webview.js")).toString();
  const text = new TextDecoder().decode(await workspace.fs.readFile(Uri.joinPath(root, "dist/page/index.html")));
  const { cspSource: own } = webview;
  const policy = `default-src 'none'; script-src ${own} blob: 'wasm-unsafe-eval'; style-src ${own} 'unsafe-inline'; img-src ${own} blob: data:; connect-src ${own} blob:; worker-src blob:; form-action 'none'`;
  return text
    .replace(/(http-equiv="Content-Security-Policy"\s+content=")[^"]*/, `$1${policy}`)
    .replace("<html", `<html data-picture="${isPicture}"`)
    .replaceAll('"./', `"${page}/`)
    .replace('<script type="module"', `<script type="module" crossorigin src="${adapter}"></script>\n    <script type="module"`);
}

export class Page {
  private answers = new Map<number, { resolve: (result: any) => void; reject: (error: Error) => void }>();
  private last = 0;
  private readonly heard = new EventEmitter<Exclude<FromPage, { event: "answer" }>>();
  /** What the page tells by itself. `ready` comes again if the webview is made again. */
  readonly tells = this.heard.event;

  constructor(private readonly webview: Webview, private readonly root: Uri, private readonly isPicture: boolean) {
    webview.options = { enableScripts: true, localResourceRoots: [Uri.joinPath(root, "dist")] };
    webview.onDidReceiveMessage((message: FromPage) => {
      if (message.event !== "answer") return this.heard.fire(message);
      const waiting = this.answers.get(message.id);
      this.answers.delete(message.id);
      if (message.error === undefined) waiting?.resolve(message.result);
      else waiting?.reject(new Error(message.error));
    });
  }

  async show() {
    this.webview.html = await html(this.webview, this.root, this.isPicture);
  }

  call<T = void>(call: ToPage["call"], ...args: unknown[]): Promise<T> {
    const id = (this.last += 1);
    return new Promise<T>((resolve, reject) => {
      this.answers.set(id, { resolve, reject });
      void this.webview.postMessage({ call, id, args } satisfies ToPage);
    });
  }

  /** Fails what waits for an answer, since none will come. */
  end() {
    for (const { reject } of this.answers.values()) reject(new Error("the editor was closed"));
    this.answers.clear();
    this.heard.dispose();
  }
}
