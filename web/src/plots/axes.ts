import type uPlot from 'uplot';
import { superscript } from '../i18n/format';
import { dated, figure, wallTime } from '../i18n/i18n.svelte';
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

/** The time axis in the plant's zone and the page's language. */
export function timeAxis(inks: Inks): uPlot.Axis {
  return {
    ...base(inks),
    grid: { show: false },
    ticks: { stroke: inks.grid, width: 1, size: 5 },
    space: 72,
    size: 30,
    values: (_plot, splits, _axis, _space, step) =>
      splits.map((s) => {
        const midnight = wallTime(s * 1000).slice(11, 16) === '00:00';
        const format: Intl.DateTimeFormatOptions =
          step >= DAY_S || midnight
            ? { day: 'numeric', month: 'short' }
            : { hour: '2-digit', minute: '2-digit', ...(step < MINUTE_S && { second: '2-digit' }) };
        return dated(s * 1000, format);
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
    values: (plot, splits) => {
      const unit = side === 3 ? 10 ** powerOf(plot) : 1;
      return splits.map((v) => (v == null ? '' : figure(v / unit)));
    },
  };
}

/**
 * The power of ten that all labels of the y axis share; `drawUnits` writes it with the unit. Small
 * and large numbers have no room beside the plot, and a label that is cut reads as another number.
 */
export function powerOf({ scales: { y } }: Pick<uPlot, 'scales'>): number {
  const largest = Math.max(Math.abs(y?.min ?? 0), Math.abs(y?.max ?? 0));
  const fits = y?.distr === 3 || largest === 0 || (largest >= 0.02 && largest < 1e5);
  return fits ? 0 : 3 * Math.floor(Math.log10(largest) / 3);
}

/** Writes the units at the ends of the axes: above the y axis, right of the x axis. */
export function drawUnits(plot: uPlot, inks: Inks, y: string, x = ''): void {
  const { ctx, bbox } = plot;
  const power = powerOf(plot);
  const scaled = power === 0 ? y : `10${superscript(power)}\u00a0${y}`.trim();
  ctx.save();
  ctx.fillStyle = inks.quiet;
  ctx.font = canvasFont(inks);
  ctx.textBaseline = 'bottom';
  ctx.textAlign = 'right';
  const right = Math.max(ctx.measureText(scaled).width, bbox.left - 6 * devicePixelRatio);
  ctx.fillText(scaled, right, bbox.top - 4 * devicePixelRatio);
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillText(x, bbox.left + bbox.width + 4 * devicePixelRatio, bbox.top + bbox.height);
  ctx.restore();
}

/** The font at the resolution of the canvas. */
export function canvasFont(inks: Inks, px = 12): string {
  return inks.font.replace(/^\S+/, `${String(px * devicePixelRatio)}px`);
}
