import { DAY_MS, HOUR_MS, MINUTE_MS } from '../i18n/format';

/** Time ranges of a trend with their refresh intervals. */
export const RANGES = {
  '15m': { spanMs: 15 * MINUTE_MS, refreshMs: 3000 },
  '1h': { spanMs: HOUR_MS, refreshMs: 5000 },
  '8h': { spanMs: 8 * HOUR_MS, refreshMs: 15_000 },
  '24h': { spanMs: DAY_MS, refreshMs: 30_000 },
  '7d': { spanMs: 7 * DAY_MS, refreshMs: 5 * MINUTE_MS },
  '30d': { spanMs: 30 * DAY_MS, refreshMs: 5 * MINUTE_MS },
  '1y': { spanMs: 365 * DAY_MS, refreshMs: 5 * MINUTE_MS },
} as const;
export type Range = keyof typeof RANGES;

/** The range named in the address; by default a day. */
export function rangeOf(name: string | null): Range {
  return name !== null && name in RANGES ? (name as Range) : '24h';
}

/** The end of a range as in the address; null where it would be later than now. */
export const ended = (ms: number, nowMs: number): string | null =>
  ms >= nowMs ? null : String(Math.round(ms));

/** The end of a range with a time in its middle. */
export const around = (atMs: number, range: Range, nowMs: number): string | null =>
  ended(atMs + RANGES[range].spanMs / 2, nowMs);

/**
 * The query of a range that shows a time, where the cursor is, and what began before it; at least a
 * day, with what was healthy before.
 */
export function viewOf(beganMs: number, atMs: number, nowMs: number): Record<string, string> {
  const apart = Math.abs(atMs - beganMs);
  const names = Object.keys(RANGES) as Range[];
  const range = names.find((one) => RANGES[one].spanMs >= Math.max(4 * apart, DAY_MS)) ?? '1y';
  const until = around((beganMs + atMs) / 2, range, nowMs);
  return { at: String(atMs), range, ...(until !== null && { until }) };
}

/** Index of the time that is nearest to another. */
export function nearest(times: readonly number[], ms: number): number {
  if (ms === Infinity) return times.length - 1;
  let best = 0;
  times.forEach((one, i) => {
    if (Math.abs(one - ms) < Math.abs((times[best] ?? 0) - ms)) best = i;
  });
  return best;
}

/** By how many steps a key moves the cursor. */
export const stepOf = (key: string): number | undefined =>
  ({ ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10 })[key];
