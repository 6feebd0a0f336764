import type { Draft } from './draft';

/** A draft stored in the browser's tab: it survives a reload and a visit to another page. */
interface Kept {
  version: string | null;
  draft: Draft;
}

/** Storage key of a machine's draft; `machine` is null for a new one. The number changes with its shape. */
export const draftKey = (gatewayId: string, machine: string | null): string =>
  `auscult.draft3 ${gatewayId} ${machine ?? ''}`;

/** The stored draft; `older` if the configuration has changed since. Null if there is none. */
export function keptDraft(
  storage: Storage,
  key: string,
  version: string | null,
): { draft: Draft; older: boolean } | null {
  const stored = storage.getItem(key);
  if (stored === null) return null;
  const kept = JSON.parse(stored) as Kept;
  return { draft: kept.draft, older: kept.version !== version };
}

export function keepDraft(
  storage: Storage,
  key: string,
  version: string | null,
  draft: Draft,
): void {
  storage.setItem(key, JSON.stringify({ version, draft } satisfies Kept));
}
