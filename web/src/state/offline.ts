/** Lets the page open without a connection; see `public/sw.js`. Browsers allow it over TLS only. */
export function keepShell(): void {
  if (!('serviceWorker' in navigator)) return;
  addEventListener('load', () => {
    navigator.serviceWorker.register('/sw.js').catch(() => undefined); // without it all else works
  });
}
