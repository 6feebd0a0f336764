/**
 * Keeps the page's own files, so that it opens without a connection and says so.
 *
 * It keeps no answer of the API: old values must not look like present ones.
 */
const CACHE = 'auscult-shell-1';
/** Files of earlier versions go when so many are kept; one version has about 60. */
const MOST_FILES = 200;

self.addEventListener('install', (event) => {
  event.waitUntil(self.skipWaiting());
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    (async () => {
      const names = await caches.keys();
      await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
      await self.clients.claim();
    })(),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(shell(request));
  else if (isFile(url.pathname)) event.respondWith(file(request, url.pathname));
});

/** The first load went past this worker: the page sends the addresses of what it loaded. */
self.addEventListener('message', (event) => {
  const paths = event.data
    .map((address) => new URL(address))
    .filter((url) => url.origin === self.location.origin && isFile(url.pathname))
    .map((url) => url.pathname);
  event.waitUntil(
    Promise.all([shell('/'), ...paths.map((path) => file(new Request(path), path))]).catch(
      () => undefined, // the server went away: the next load tries again
    ),
  );
});

/** The page itself: always the server's, the kept one only while the server is away. */
async function shell(request) {
  try {
    const answer = await fetch(request);
    if (isShell(answer)) await keep('/', answer.clone());
    return answer;
  } catch (failure) {
    const kept = await caches.match('/');
    if (kept) return kept;
    throw failure;
  }
}

/** Whether an answer is the page itself: a redirect leads to the sign-in page. */
function isShell(answer) {
  const type = answer.headers.get('content-type') ?? '';
  const path = new URL(answer.url).pathname;
  return answer.ok && !answer.redirected && type.startsWith('text/html') && isPage(path);
}

function isPage(path) {
  return !/^\/(api|docs|metrics|sign-in)(\/|$)/.test(path);
}

function isFile(path) {
  return path.startsWith('/assets/') || /^\/[\w.-]+\.(png|svg|ico|webmanifest)$/.test(path);
}

/** Names of assets hold a hash of their content: what is kept is what the server would give. */
async function file(request, path) {
  if (path.startsWith('/assets/')) {
    const kept = await caches.match(request);
    if (kept) return kept;
  }
  try {
    const answer = await fetch(request);
    if (answer.ok) await keep(request, answer.clone());
    return answer;
  } catch (failure) {
    const kept = await caches.match(request);
    if (kept) return kept;
    throw failure;
  }
}

async function keep(request, answer) {
  const cache = await caches.open(CACHE);
  await cache.put(request, answer);
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - MOST_FILES))) await cache.delete(old);
}
