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
 * data. Views that arrive during a load are applied to its result too. A load that a reconnect
 * repeats is still shown if it ends first: the stream opens while the first one runs.
 * Call while a component is set up.
 */
export function resource<T>(fetch: () => Promise<T>, patches: Patches<T> = {}): Resource<T> {
  const result = new Resource<T>();
  let asked = $state(0);
  /** Of each load that runs: what arrived since it began. */
  const running = new Set<((data: T) => T)[]>();
  // Untracked: an effect that reloads must not depend on what it changes.
  result.reload = () => {
    asked = untrack(() => asked) + 1;
  };

  $effect(() => {
    void asked;
    let [begun, shown] = [0, 0];
    const load = () => {
      const number = ++begun;
      const waiting: ((data: T) => T)[] = [];
      running.add(waiting);
      const settle = (apply: () => void) => {
        running.delete(waiting);
        if (number <= shown) return;
        shown = number;
        apply();
      };
      fetch().then(
        (data) => {
          settle(() => {
            result.data = waiting.reduce((patched, patch) => patch(patched), data);
            result.error = undefined;
          });
        },
        (error: unknown) => {
          settle(() => {
            result.error = error instanceof ApiError ? error : new ApiError(0, String(error));
          });
        },
      );
    };
    load();
    const since = untrack(() => live.epoch);
    $effect(() => {
      if (live.epoch !== since) untrack(load);
    });
    return () => {
      shown = Infinity;
    };
  });

  $effect(() => {
    const ends = (Object.keys(patches) as LiveKind[]).map((kind) =>
      live.on(kind, (view) => {
        const patch = (data: T) =>
          (patches[kind] as (data: T, view: LiveViews[LiveKind]) => T)(data, view);
        for (const waiting of running) waiting.push(patch);
        if (result.data !== undefined) result.data = patch(result.data);
      }),
    );
    return () => {
      for (const end of ends) end();
    };
  });
  return result;
}
