const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time ranges of a trend with their refresh intervals. */
export const RANGES = {
  '15m': { spanMs: 15 * MINUTE_MS, refreshMs: 3000 },
  '1h': { spanMs: HOUR_MS, refreshMs: 5000 },
  '8h': { spanMs: 8 * HOUR_MS, refreshMs: 15_000 },
  '24h': { spanMs: DAY_MS, refreshMs: 30_000 },
  '7d': { spanMs: 7 * DAY_MS, refreshMs: 5 * MINUTE_MS },
  '30d': { spanMs: 30 * DAY_MS, refreshMs: 5 * MINUTE_MS },
} as const;
export type Range = keyof typeof RANGES;

/** The range named in the address; by default a day. */
export function rangeOf(name: string | null): Range {
  return name !== null && name in RANGES ? (name as Range) : '24h';
}
