import { untrack } from 'svelte';
import { ApiError } from '../api/client';
import { live, type LiveKind, type LiveViews } from './live.svelte';

/** How a live view changes the data; returns the same data for no change. */
export type Patches<T> = { [K in LiveKind]?: (data: T, view: LiveViews[K]) => T };

/** Data of the API that stays current. */
export class Resource<T> {
  data = $state.raw<T>();
  error = $state.raw<ApiError>();
  /** Loads again; the present data stay until then. */
  reload: () => void = () => undefined;

  get loading(): boolean {
    return this.data === undefined && this.error === undefined;
  }
}

/**
 * Loads when the state that `fetch` reads changes and after each reconnect; live views patch the
 * data. Views that arrive during a load are applied to its result too.
 * Call while a component is set up.
 */
export function resource<T>(fetch: () => Promise<T>, patches: Patches<T> = {}): Resource<T> {
  const result = new Resource<T>();
  let asked = $state(0);
  let waiting: ((data: T) => T)[] | null = null;
  // Untracked: an effect that reloads must not depend on what it changes.
  result.reload = () => {
    asked = untrack(() => asked) + 1;
  };

  $effect(() => {
    void live.epoch;
    void asked;
    let current = true;
    waiting = [];
    fetch().then(
      (data) => {
        if (!current) return;
        result.data = (waiting ?? []).reduce((patched, patch) => patch(patched), data);
        result.error = undefined;
        waiting = null;
      },
      (error: unknown) => {
        if (!current) return;
        result.error = error instanceof ApiError ? error : new ApiError(0, String(error));
        waiting = null;
      },
    );
    return () => {
      current = false;
    };
  });

  $effect(() => {
    const ends = (Object.keys(patches) as LiveKind[]).map((kind) =>
      live.on(kind, (view) => {
        const patch = (data: T) =>
          (patches[kind] as (data: T, view: LiveViews[LiveKind]) => T)(data, view);
        waiting?.push(patch);
        if (result.data !== undefined) result.data = patch(result.data);
      }),
    );
    return () => {
      for (const end of ends) end();
    };
  });
  return result;
}
