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
    size: 30,
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

/** An axis of measured values; `drawUnits` writes its unit at the end. */
export function valueAxis(inks: Inks, side: 2 | 3): uPlot.Axis {
  return {
    ...base(inks),
    side,
    size: side === 3 ? 52 : 30,
    values: (_plot, splits) => splits.map((v) => (v == null ? '' : figure(v))),
  };
}

/** Writes the units at the ends of the axes: above the y axis, right of the x axis. */
export function drawUnits(plot: uPlot, inks: Inks, y: string, x = ''): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = inks.quiet;
  ctx.font = canvasFont(inks);
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'right';
  ctx.fillText(y, bbox.left - 6 * devicePixelRatio, bbox.top - 4 * devicePixelRatio);
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillText(x, bbox.left + bbox.width + 4 * devicePixelRatio, bbox.top + bbox.height);
  ctx.restore();
}

/** The font at the resolution of the canvas. */
export function canvasFont(inks: Inks, px = 12): string {
  return inks.font.replace(/^\S+/, `${String(px * devicePixelRatio)}px`);
}
