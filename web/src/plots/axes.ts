import type uPlot from 'uplot';
import { figure, i18n } from '../i18n/i18n.svelte';
import type { Inks } from './inks';

const SECOND_S = 1;
const MINUTE_S = 60;
const DAY_S = 86_400;

function base(inks: Inks): uPlot.Axis {
  return {
    stroke: inks.quiet,
    font: inks.font,
    grid: { stroke: inks.grid, width: 1 },
    ticks: { show: false },
  };
}

/** The time axis in local time and the page's language. */
export function timeAxis(inks: Inks): uPlot.Axis {
  return {
    ...base(inks),
    grid: { show: false },
    ticks: { stroke: inks.grid, width: 1, size: 5 },
    space: 72,
    values: (_plot, splits, _axis, _space, step) =>
      splits.map((s) => {
        const date = new Date(s * 1000);
        const midnight = date.getHours() === 0 && date.getMinutes() === 0;
        const format: Intl.DateTimeFormatOptions =
          step >= DAY_S || midnight
            ? { day: 'numeric', month: 'short' }
            : { hour: '2-digit', minute: '2-digit', ...(step < MINUTE_S && { second: '2-digit' }) };
        return date.toLocaleString(i18n.locale, format);
      }),
    incrs: [
      ...[1, 5, 10, 15, 30].map((s) => s * SECOND_S),
      ...[1, 2, 5, 10, 15, 30].map((m) => m * MINUTE_S),
      ...[1, 2, 3, 6, 12].map((h) => h * 3600),
      ...[1, 2, 5, 7, 14, 30].map((d) => d * DAY_S),
    ],
  };
}

/** An axis of measured values. */
export function valueAxis(inks: Inks, side: 2 | 3, label?: string): uPlot.Axis {
  return {
    ...base(inks),
    side,
    size: side === 3 ? 56 : 34,
    ...(label && { label, labelFont: inks.font, labelSize: 18, labelGap: 0 }),
    values: (_plot, splits) => splits.map((v) => (v == null ? '' : figure(v))),
  };
}
