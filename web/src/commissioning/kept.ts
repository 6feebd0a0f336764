import type { Draft } from './draft';

/** A draft stored in the browser's tab: it survives a reload and a visit to another page. */
interface Kept {
  version: string | null;
  draft: Draft;
}

/** Storage key of a machine's draft; `machine` is null for a new one. */
export const draftKey = (gatewayId: string, machine: string | null): string =>
  `auscult.draft ${gatewayId} ${machine ?? ''}`;

/** The stored draft; null if none, or if it changes an older version of the configuration. */
export function keptDraft(storage: Storage, key: string, version: string | null): Draft | null {
  const stored = storage.getItem(key);
  const kept = stored === null ? null : (JSON.parse(stored) as Kept);
  return kept?.version === version ? kept.draft : null;
}

export function keepDraft(
  storage: Storage,
  key: string,
  version: string | null,
  draft: Draft,
): void {
  storage.setItem(key, JSON.stringify({ version, draft } satisfies Kept));
}
