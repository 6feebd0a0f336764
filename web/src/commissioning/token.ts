/** A new token for a sender, and its hash; null where the browser makes none. */
export async function newToken(): Promise<{ token: string; sha256: string } | null> {
  // Browsers hash only on pages over HTTPS or of this computer.
  if (!globalThis.isSecureContext) return null;
  const token = hex(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return { token, sha256: hex(new Uint8Array(digest)) };
}

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (one) => one.toString(16).padStart(2, '0')).join('');
