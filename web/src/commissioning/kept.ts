import type { Draft } from './draft';

/** A draft as the browser's tab keeps it: after a reload, and after a look at another page. */
interface Kept {
  version: string | null;
  draft: Draft;
}

/** Where the draft of a machine is kept; of a new one with null. */
export const draftKey = (gatewayId: string, machine: string | null): string =>
  `auscult.draft ${gatewayId} ${machine ?? ''}`;

/** The kept draft; null if there is none or it changes an older version of the configuration. */
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
