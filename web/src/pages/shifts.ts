/** Periods of a report: shifts of eight hours from 06:00, a day, a week. */

import { DAY_MS, HOUR_MS } from '../i18n/format';
import { instantOf, wallTime } from '../i18n/zone';

export const SPANS = ['shift', 'last', 'day', 'week'] as const;
export type Span = (typeof SPANS)[number];

const SHIFT_HOURS = [6, 14, 22] as const;

/** Start and end of a period, UTC ms; a running one ends now. Shifts follow the plant's time. */
export function spanOf(
  span: Span,
  now: number,
  zone?: string,
): [since_ms: number, until_ms: number] {
  if (span === 'day') return [now - DAY_MS, now];
  if (span === 'week') return [now - 7 * DAY_MS, now];
  const begun = shiftStart(now, zone);
  return span === 'shift'
    ? [begun, Math.max(now, begun + 1)]
    : [shiftStart(begun - 1, zone), begun];
}

/** Start of the shift at `ms`. */
function shiftStart(ms: number, zone: string | undefined): number {
  const wall = wallTime(ms, zone);
  const hour = SHIFT_HOURS.findLast((start) => Number(wall.slice(11, 13)) >= start);
  const midnight = instantOf(wall.slice(0, 10), zone);
  const day = hour === undefined ? wallTime(midnight - HOUR_MS, zone) : wall;
  return instantOf(`${day.slice(0, 10)}T${String(hour ?? 22).padStart(2, '0')}:00`, zone);
}
