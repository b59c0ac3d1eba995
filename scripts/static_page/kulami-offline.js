// Keeps the page for the next visit, which then needs no network. The browser runs this file by
// itself. When the file has changed, the browser keeps the new files in place of the old ones.
//
// scripts/make_static_page.py replaces the next two lines.

const KEPT = "kulami";
const FILES = [];

self.addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(KEPT).then((kept) => kept.addAll(fresh)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith("kulami") && name !== KEPT;
  const cleaned = caches.keys().then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name))));
  event.waitUntil(cleaned.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || !event.request.url.startsWith(self.registration.scope)) return;
  const found = caches.open(KEPT).then((kept) => kept.match(event.request, { ignoreSearch: true }));
  event.respondWith(found.then((answer) => answer ?? fetch(event.request)));
});
