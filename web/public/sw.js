/**
 * Keeps the page's own files, so that it opens without a connection and says so.
 *
 * Nothing of the API is ever kept: what was true an hour ago must not look like now.
 */
const CACHE = 'auscult-shell-1';
/** Files of earlier versions go when so many are kept. */
const MOST_FILES = 60;

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

/** A redirect leads to the sign-in page, which is not the shell. */
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
