// Keeps the page, so that it works without a network. The build replaces the version and the list of files.

const worker = self as unknown as ServiceWorkerGlobalScope;
const VERSION = "__VERSION__";
const FILES = "__FILES__" as unknown as string[];

worker.oninstall = (event) => {
  const fill = async () => (await caches.open(VERSION)).addAll(FILES).then(() => worker.skipWaiting());
  event.waitUntil(fill());
};

worker.onactivate = (event) => {
  const clear = async () => {
    for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
    await worker.clients.claim();
  };
  event.waitUntil(clear());
};

worker.onfetch = (event) => {
  if (new URL(event.request.url).origin !== location.origin) return;
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((found) => found ?? fetch(event.request)));
};
