/** Periods of a report: shifts of eight hours from 06:00, a day, a week. */

export const SPANS = ['shift', 'last', 'day', 'week'] as const;
export type Span = (typeof SPANS)[number];

const HOUR_MS = 3_600_000;
const SHIFT_HOURS = [6, 14, 22] as const;

/** Start and end of a period, UTC ms; a running one ends now. Shifts follow local time. */
export function spanOf(span: Span, now: number): [since_ms: number, until_ms: number] {
  if (span === 'day') return [now - 24 * HOUR_MS, now];
  if (span === 'week') return [now - 7 * 24 * HOUR_MS, now];
  const begun = shiftStart(now);
  return span === 'shift' ? [begun, Math.max(now, begun + 1)] : [shiftStart(begun - 1), begun];
}

/** Start of the shift at `ms`. */
function shiftStart(ms: number): number {
  const day = new Date(ms);
  const hour = SHIFT_HOURS.findLast((start) => day.getHours() >= start);
  if (hour === undefined) day.setDate(day.getDate() - 1);
  day.setHours(hour ?? 22, 0, 0, 0);
  return day.getTime();
}
