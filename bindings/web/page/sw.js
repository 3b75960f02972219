// Caches the page, so that it works without a network. The build replaces VERSION and FILES.

const VERSION = "VERSION";
const FILES = ["FILES"];

oninstall = (event) => {
  event.waitUntil(
    caches
      .open(VERSION)
      .then((cache) => cache.addAll(FILES))
      .then(() => skipWaiting()),
  );
};

onactivate = (event) => {
  const old = async () => {
    for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
    await clients.claim();
  };
  event.waitUntil(old());
};

onfetch = (event) => {
  event.respondWith(
    caches.match(event.request, { ignoreSearch: true }).then((found) => found ?? fetch(event.request)),
  );
};
