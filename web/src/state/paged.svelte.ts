import { resource, type Patches, type Resource } from './resource.svelte';
import { Submission } from './submission.svelte';

interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

/** A list of the API that is loaded in parts, newest first. */
export interface Paged<T> {
  readonly list: Resource<T[]>;
  /** Loads the next part; undefined at the end of the list. */
  readonly more: (() => void) | undefined;
  readonly loading: Submission;
}

/** Loads the first part as `resource` does; live views patch all loaded parts. */
export function paged<T>(
  fetch: (cursor: string | undefined) => Promise<Page<T>>,
  patches: Patches<T[]> = {},
): Paged<T> {
  let cursor = $state<string | null>(null);
  const loading = new Submission();
  const list = resource<T[]>(async () => {
    const first = await fetch(undefined);
    cursor = first.next_cursor ?? null;
    return first.items;
  }, patches);

  async function append(after: string) {
    const next = await fetch(after);
    if (cursor !== after) return; // the list was loaded again meanwhile
    list.data = [...(list.data ?? []), ...next.items];
    cursor = next.next_cursor ?? null;
  }

  return {
    list,
    loading,
    get more() {
      const after = cursor;
      return after === null ? undefined : () => void loading.run(() => append(after));
    },
  };
}
