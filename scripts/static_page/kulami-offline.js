// Keeps the page for the next visit, which then needs no network. The browser runs this file by
// itself, and again when it has changed: a newer version is kept beside the old one. It waits until no
// tab has the old one, or until a reader asks for it. So no tab gets files of two versions.
//
// scripts/make_static_page.py replaces the next two lines: the version, and its files with checksums.

const VERSION = "";
const FILES = {};

const OWN = `kulami ${self.registration.scope} `; // other copies of the page on this host have others
const KEPT = OWN + VERSION;

async function keep() {
  const fresh = Object.entries(FILES).map(([file, integrity]) => new Request(file, { cache: "no-cache", integrity }));
  await (await caches.open(KEPT)).addAll(fresh);
}

// The names of the older versions.
const names = async () => (await caches.keys()).filter((name) => name.startsWith(OWN) && name !== KEPT);

// Deletes older versions, unless there may be tabs that have one.
async function tidy() {
  if ((await self.clients.matchAll({ includeUncontrolled: true })).length > 1) return;
  for (const name of await names()) await caches.delete(name);
}

// The files of a version are in a folder of its own: tabs of an older version find theirs.
async function found(request) {
  for (const name of [KEPT, ...await names()]) {
    const answer = await (await caches.open(name)).match(request, { ignoreSearch: true });
    if (answer) return answer;
  }
  return fetch(request);
}

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(tidy().then(() => self.clients.claim())));
self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
  else event.waitUntil(tidy());
});
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(self.registration.scope)) return;
  event.respondWith(found(event.request));
});
