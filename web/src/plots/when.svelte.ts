import { router } from '../routing/router.svelte';
import { clock } from '../state/clock.svelte';
import { around, ended, nearest, RANGES, rangeOf, type Range } from './range';

/**
 * The time range and the time cursor that trend, spectra, waterfall and time signal share. Both are
 * part of the page's address: `range`, `until` (its end, ms; none = now) and `at` (the cursor, ms).
 */
class When {
  readonly range: Range = $derived(rangeOf(router.query.get('range')));
  /** The cursor, ms; null = the newest. */
  readonly atMs: number | null = $derived(timeIn('at'));
  /** End of the range, ms; null = now. */
  readonly untilMs: number | null = $derived(timeIn('until'));

  /** The range; its end is exclusive. */
  period(): { start_ms: number; end_ms: number } {
    const end_ms = this.untilMs ?? Math.round(clock.peek()) + 1;
    return { start_ms: Math.max(0, end_ms - RANGES[this.range].spanMs), end_ms };
  }

  /** Moves the cursor; the range follows where it would leave it. */
  move(atMs: number | null): void {
    const { start_ms, end_ms } = this.period();
    const inside = atMs === null || (atMs >= start_ms && atMs < end_ms);
    router.setQuery({
      at: atMs === null ? null : String(Math.round(atMs)),
      ...(!inside && { until: around(atMs, this.range, clock.peek()) }),
    });
  }

  /** Moves the cursor along times, oldest first; from the newest where there is none yet. */
  step(times: readonly number[], by: number): void {
    if (times.length === 0) return;
    const from = nearest(times, this.atMs ?? Infinity);
    this.move(times[Math.min(times.length - 1, Math.max(0, from + by))] ?? null);
  }

  choose(range: Range): void {
    const { atMs } = this;
    router.setQuery({ range, until: atMs === null ? null : around(atMs, range, clock.peek()) });
  }

  /** Moves the range by half its length; to now at its end. */
  shift(by: -1 | 1): void {
    const half = RANGES[this.range].spanMs / 2;
    router.setQuery({ until: ended(this.period().end_ms + by * half, clock.peek()) });
  }
}

function timeIn(name: string): number | null {
  const ms = Number(router.query.get(name) ?? NaN);
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}

export const when = new When();
