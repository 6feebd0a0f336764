import { LANGUAGE_CODES } from '../i18n/i18n.svelte';
import { loadTexts } from '../i18n/words';
import { loadLater } from '../routing/later';

/**
 * Lets the page open without a connection; see `public/sw.js`. Browsers allow it over TLS only.
 *
 * The service worker starts after the first load, so the page sends it the names of the loaded files.
 */
export function keepShell(): void {
  if (!('serviceWorker' in navigator)) return;
  addEventListener('load', () => void register().catch(() => undefined)); // all else works without
}

async function register(): Promise<void> {
  await navigator.serviceWorker.register('/sw.js');
  const { active } = await navigator.serviceWorker.ready;
  await loadLater();
  await Promise.all(LANGUAGE_CODES.map(loadTexts));
  active?.postMessage(performance.getEntriesByType('resource').map(({ name }) => name));
}
