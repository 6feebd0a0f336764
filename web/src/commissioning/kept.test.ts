import { expect, it } from 'vitest';
import { newDraft } from './draft';
import { draftKey, keepDraft, keptDraft } from './kept';

function memory(): Storage {
  const entries = new Map<string, string>();
  return {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => entries.set(key, value),
  } as unknown as Storage;
}

it('keeps a draft of each machine and of a new one', () => {
  const storage = memory();
  const draft = { ...newDraft(), id: 'pump-1' };
  keepDraft(storage, draftKey('gw', null), null, draft);
  expect(keptDraft(storage, draftKey('gw', null), null)).toEqual({ draft, older: false });
  expect(keptDraft(storage, draftKey('gw', 'pump-1'), 'v1')).toBeNull();
});

it('marks a draft of an older configuration', () => {
  const storage = memory();
  const key = draftKey('gw', 'pump-1');
  keepDraft(storage, key, 'v1', newDraft());
  expect(keptDraft(storage, key, 'v1')?.older).toBe(false);
  expect(keptDraft(storage, key, 'v2')).toEqual({ draft: newDraft(), older: true });
});
