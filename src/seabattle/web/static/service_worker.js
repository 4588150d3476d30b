// Keeps the shell of the page, so that it opens without the server and says so. The network comes
// first: what it shows is never older than what the server has.

const CACHE = `seabattle-${SHELL_VERSION}`;
const FILES = SHELL_FILES;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith("seabattle-") && name !== CACHE).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== self.location.origin || !(pathname === "/" || pathname.startsWith("/static/"))) return;
  event.respondWith(
    fetch(event.request).then(
      (response) => {
        if (response.ok) {
          const copy = response.clone();
          event.waitUntil(caches.open(CACHE).then((cache) => cache.put(event.request, copy)));
        }
        return response;
      },
      async () => (await caches.match(event.request, { ignoreSearch: true })) ?? Response.error(),
    ),
  );
});
