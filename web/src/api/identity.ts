/**
 * An id made here, so that sending the same answer twice is the same answer.
 *
 * 128 random bits as hexadecimal; `crypto.randomUUID` is missing where a plant serves plain HTTP.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The last part of a machine's `site~gateway~machine`, as people call it. */
export function shortId(id: string): string {
  return id.slice(id.lastIndexOf('~') + 1);
}
