/**
 * A new id for a request, so that sending it twice has the effect of one.
 *
 * 128 random bits as hexadecimal; `crypto.randomUUID` is missing on plain HTTP.
 */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The last part of a machine's id `site~gateway~machine`. */
export function shortId(id: string): string {
  return id.slice(id.lastIndexOf('~') + 1);
}
