// Runs in a webview before the page: the page's host, which passes everything on to the extension.

import type { Controls, Host, Hosted } from "../../web/page/src/host";
import type { Step } from "../../web/page/src/worker";
import type { FromPage, ToPage } from "./messages";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const code = acquireVsCodeApi();
/** Messages are sent in the order of what they tell, although some take a moment to be made. */
let sent: Promise<unknown> = Promise.resolve();
const send = (make: () => FromPage | Promise<FromPage>) => (sent = sent.then(async () => code.postMessage(await make())));

const bytesOf = async (blob: Blob) => new Uint8Array(await blob.arrayBuffer());

/** A step in a form that messages can have: without blobs, and without the ids of this page. */
async function packed({ touched, merge, ...step }: Step) {
  return { ...step, ...(merge && { merge: { ...merge, base: await bytesOf(merge.base), theirs: await bytesOf(merge.theirs) } }) };
}

function unpacked({ merge, ...step }: any): Step {
  return { ...step, ...(merge && { merge: { ...merge, base: new Blob([merge.base]), theirs: new Blob([merge.theirs]) } }) };
}

const host: Host = {
  isPicture: document.documentElement.dataset.picture === "true",
  start(page: Controls) {
    const calls: Record<ToPage["call"], (...args: any[]) => Promise<unknown>> = {
      open: (file: Hosted) => page.open({ ...file, steps: file.steps.map(unpacked) }),
      go: page.go,
      bytes: page.bytes,
      compare: page.compare,
    };
    // One after the other, so that a later call sees what an earlier one did.
    let last: Promise<unknown> = Promise.resolve();
    addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
      const { id, call, args } = data;
      if (!calls[call]) return;
      last = last.then(() => calls[call](...args)).then(
        (result) => send(() => ({ event: "answer", id, result })),
        (error) => send(() => ({ event: "answer", id, error: String(error?.message ?? error) })),
      );
    });
    void send(() => ({ event: "ready" }));
  },
  edited: (step, at) => void send(async () => ({ event: "edited", step: await packed(step), at })),
  download: (name, bytes) => void send(() => ({ event: "download", name, bytes })),
};
(globalThis as any).rezkitHost = host;

function dress() {
  const { classList } = document.body;
  document.documentElement.style.colorScheme = /vscode-(light|high-contrast-light)/.test(classList.value) ? "light" : "dark";
  document.body.style.padding = "0";
}
dress();
new MutationObserver(dress).observe(document.body, { attributes: true, attributeFilter: ["class"] });
