import type uPlot from 'uplot';
import type { EventView, LabelView, FeatureTrends, ZonesPart } from '../api/client';
import { canvasFont, drawUnits, timeAxis, valueAxis } from './axes';
import { faded, type Inks } from './inks';
import { noteName } from './marked';

/** Marks in a trend plot. */
export interface Marks {
  events: readonly EventView[];
  labels: readonly LabelView[];
  /** Notes that are marked at a time, with their texts. */
  notes?: readonly { atMs: number; text: string }[];
  /** The same feature elsewhere or earlier, at the times of this plot; drawn dashed. */
  other?: { ms: readonly number[]; mean: readonly (number | null)[] } | null;
  /** Fixed levels with their condition, in the unit of the values. */
  levels: readonly { value: number; condition: 'warning' | 'alarm' }[];
  /** ISO zones behind the values, if they apply to the shown feature. */
  zones?: ZonesPart | null | undefined;
  /** The trend whose conditions are drawn as a ribbon below the values. */
  trend: FeatureTrends | undefined;
  /** Of a value such as a temperature: the axis need not start at zero. */
  zoomed?: boolean;
  startMs: number;
  endMs: number;
  /** The page's time cursor. */
  atMs?: number | null;
  /** When a limit is reached if the trend continues, ms; the latest is null if perhaps never. */
  forecast?: {
    fromMs: number;
    value: number;
    limit: number;
    expectedMs: number;
    earliestMs: number;
    latestMs: number | null;
  } | null;
}

/** A mean line in its band of extremes, with limits, events and labels behind and above it. */
export function trendOptions(
  inks: Inks,
  marks: () => Marks,
  unit: string,
  onStretch?: (startMs: number, endMs: number) => void,
  onPick?: (ms: number) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const band = faded(inks.line, 0.16);
  const edge = { stroke: 'transparent', width: 0, points: { show: false } };
  return {
    padding: [20, 28, 0, 0],
    cursor: {
      sync: { key: 'trend' },
      points: { size: 7 },
      y: false,
      drag: { x: onStretch !== undefined, y: false, setScale: false },
    },
    scales: {
      x: { time: false, range: () => [marks().startMs / 1000, marks().endMs / 1000] },
      y: { range: (_plot, low, high) => valueRange(...withOther(low, high, marks()), marks()) },
    },
    axes: [timeAxis(inks), valueAxis(inks, 3)],
    series: [
      {},
      edge,
      { stroke: inks.ink, width: 1.5, points: { show: false }, spanGaps: false },
      edge,
    ],
    bands: [{ series: [3, 1], fill: band }],
    hooks: {
      ready: [
        (plot) => {
          if (onPick) {
            plot.over.addEventListener('click', () => {
              const { left = -1 } = plot.cursor;
              if (left >= 0) onPick(1000 * plot.posToVal(left, 'x'));
            });
          }
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < LEAST_STRETCH_PX) return;
          const ms = (px: number) => Math.round(1000 * plot.posToVal(px, 'x'));
          onStretch?.(ms(left), ms(left + width));
        },
      ],
      drawClear: [
        (plot) => {
          drawZones(plot, inks, marks());
          drawEvents(plot, inks, marks());
        },
      ],
      draw: [
        (plot) => {
          drawRibbon(plot, inks, marks());
          drawLevels(plot, inks, marks());
          drawForecast(plot, inks, marks());
          drawLabels(plot, inks, marks());
          drawCursor(plot, inks, marks());
          drawNotes(plot, inks, marks());
          drawOther(plot, inks, marks());
          drawUnits(plot, inks, unit);
        },
      ],
    },
  };
}

/** A shorter drag is a click. */
const LEAST_STRETCH_PX = 6;

/** The range of the values and of those they are compared with. */
function withOther(low: number | null, high: number | null, { other, ...marks }: Marks) {
  const within = (other?.mean ?? []).filter((value, i): value is number => {
    const ms = other?.ms[i] ?? 0;
    return value !== null && ms >= marks.startMs && ms <= marks.endMs;
  });
  if (low === null || high === null || within.length === 0) return [low, high] as const;
  return [Math.min(low, ...within), Math.max(high, ...within)] as const;
}

/** A range with a margin around the values; it includes the next limit if that is not far above. */
function valueRange(
  low: number | null,
  high: number | null,
  { levels, zones, zoomed }: Marks,
): [number, number] {
  if (low === null || high === null) return [0, 1];
  const edges = zones ? [zones.ab, zones.bc, zones.cd] : [];
  const near = [...levels.map((level) => level.value), ...edges].filter(
    (v) => v <= Math.max(high, 0) * 4,
  );
  if (zoomed) {
    const all = [low, high, ...levels.map((level) => level.value)];
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const margin = 0.12 * (most - least) || 1;
    return [least - margin, most + margin];
  }
  const bottom = Math.min(low, 0);
  const top = Math.max(high, ...near, bottom + 1e-12);
  return [bottom, top + (top - bottom) * 0.08];
}

/** Zones A to D: a letter at the right edge of each, C and D tinted, the boundaries thin. */
function drawZones(plot: uPlot, inks: Inks, { zones }: Marks): void {
  if (!zones) return;
  const { ctx, bbox } = plot;
  const top = plot.scales.y?.max ?? 0;
  const edges = [0, zones.ab, zones.bc, zones.cd, Infinity];
  ctx.save();
  ctx.font = canvasFont(inks, 11);
  ctx.textBaseline = 'middle';
  ctx.lineWidth = devicePixelRatio;
  ['A', 'B', 'C', 'D'].forEach((name, i) => {
    const from = edges[i] ?? 0;
    const to = Math.min(edges[i + 1] ?? top, top);
    if (from >= to) return;
    const high = plot.valToPos(to, 'y', true);
    const low = plot.valToPos(from, 'y', true);
    if (name === 'C' || name === 'D') {
      ctx.fillStyle = faded(name === 'C' ? inks.warning : inks.alarm, 0.07);
      ctx.fillRect(bbox.left, high, bbox.width, low - high);
    }
    ctx.fillStyle = inks.quiet;
    if (low - high > 12 * devicePixelRatio) {
      ctx.fillText(name, bbox.left + bbox.width + 8 * devicePixelRatio, (low + high) / 2);
    }
    if (from === 0) return;
    ctx.strokeStyle = inks.grid;
    ctx.setLineDash([2 * devicePixelRatio, 2 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, low);
    ctx.lineTo(bbox.left + bbox.width, low);
    ctx.stroke();
  });
  ctx.restore();
}

function drawEvents(plot: uPlot, inks: Inks, { events, endMs }: Marks): void {
  const { ctx, bbox } = plot;
  ctx.save();
  clip(plot);
  for (const event of events) {
    const colour = event.peak_condition === 'alarm' ? inks.alarm : inks.warning;
    const from = plot.valToPos(event.started_ms / 1000, 'x', true);
    const to = plot.valToPos((event.ended_ms ?? endMs) / 1000, 'x', true);
    const width = Math.max(to - from, 2 * devicePixelRatio);
    ctx.fillStyle = faded(colour, 0.13);
    ctx.fillRect(from, bbox.top, width, bbox.height);
    ctx.fillStyle = colour;
    ctx.fillRect(from, bbox.top - 4 * devicePixelRatio, width, 4 * devicePixelRatio);
  }
  ctx.restore();
}

/** The feature that the zones of ISO 20816 apply to. */
export const ZONED_FEATURE = 'velocity_rms_mm_s';

const RIBBON_PX = 5;

/** Draws the condition of the point over time; normal is left empty. */
function drawRibbon(plot: uPlot, inks: Inks, { trend }: Marks): void {
  if (!trend) return;
  const { ctx, bbox } = plot;
  const height = RIBBON_PX * devicePixelRatio;
  const colours = { ...inks, learning: inks.grid, normal: null };
  const step = trend.bucket_ms || (trend.t_ms[1] ?? 0) - (trend.t_ms[0] ?? 0);
  ctx.save();
  clip(plot);
  trend.t_ms.forEach((ms, i) => {
    const colour = colours[trend.condition[i] ?? 'normal'];
    if (colour === null) return;
    const from = plot.valToPos(ms / 1000, 'x', true);
    const to = plot.valToPos((trend.t_ms[i + 1] ?? ms + step) / 1000, 'x', true);
    ctx.fillStyle = colour;
    ctx.fillRect(from, bbox.top + bbox.height - height, to - from + 0.5, height);
  });
  ctx.restore();
}

function drawLevels(plot: uPlot, inks: Inks, { levels }: Marks): void {
  const { ctx, bbox } = plot;
  ctx.save();
  clip(plot);
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const level of levels) {
    const y = plot.valToPos(level.value, 'y', true);
    ctx.strokeStyle = level.condition === 'alarm' ? inks.alarm : inks.warning;
    ctx.setLineDash(
      level.condition === 'alarm' ? [] : [6 * devicePixelRatio, 4 * devicePixelRatio],
    );
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.restore();
}

/** The trend if it continues, and on the limit the time within which it is reached. */
function drawForecast(plot: uPlot, inks: Inks, { forecast, endMs }: Marks): void {
  if (!forecast) return;
  const { ctx } = plot;
  const { fromMs, value, limit, expectedMs, earliestMs, latestMs } = forecast;
  const at = (ms: number) => plot.valToPos(ms / 1000, 'x', true);
  const high = (one: number) => plot.valToPos(one, 'y', true);
  ctx.save();
  clip(plot);
  ctx.strokeStyle = inks.ink;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(at(fromMs), high(value));
  ctx.lineTo(at(expectedMs), high(limit));
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.lineWidth = 6 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(at(earliestMs), high(limit));
  ctx.lineTo(at(latestMs ?? endMs), high(limit));
  ctx.stroke();
  ctx.restore();
}

const LABEL_SIGNS: Record<LabelView['verdict'], string> = {
  confirmed_fault: '●',
  false_alarm: '○',
  planned_work: '◆',
  unsure: '?',
};

function drawLabels(plot: uPlot, inks: Inks, { labels }: Marks): void {
  const { ctx, bbox } = plot;
  ctx.save();
  clip(plot);
  ctx.fillStyle = inks.ink;
  ctx.strokeStyle = inks.quiet;
  ctx.textAlign = 'center';
  ctx.font = canvasFont(inks);
  for (const label of labels) {
    const x = plot.valToPos(label.created_ms / 1000, 'x', true);
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.fillText(LABEL_SIGNS[label.verdict], x, bbox.top - 5 * devicePixelRatio);
  }
  ctx.restore();
}

/** Draws the page's time cursor. */
function drawCursor(plot: uPlot, inks: Inks, { atMs = null }: Marks): void {
  if (atMs === null) return;
  const { ctx, bbox } = plot;
  const x = plot.valToPos(atMs / 1000, 'x', true);
  ctx.save();
  clip(plot);
  ctx.strokeStyle = inks.compared;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top - 6 * devicePixelRatio);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

/** A thin line at the time of each note, with the beginning of its text. */
function drawNotes(plot: uPlot, inks: Inks, { notes = [] }: Marks): void {
  const { ctx, bbox } = plot;
  ctx.save();
  clip(plot);
  ctx.fillStyle = inks.compared;
  ctx.strokeStyle = inks.compared;
  ctx.font = canvasFont(inks, 11);
  notes.forEach(({ atMs, text }, i) => {
    const x = plot.valToPos(atMs / 1000, 'x', true);
    ctx.setLineDash([devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const row = bbox.top + (14 + 13 * (i % NOTE_ROWS)) * devicePixelRatio;
    const right = x > bbox.left + bbox.width / 2;
    ctx.textAlign = right ? 'right' : 'left';
    ctx.fillText(noteName(text), x + (right ? -4 : 4) * devicePixelRatio, row);
  });
  ctx.restore();
}
/** Notes beside each other are written below each other. */
const NOTE_ROWS = 3;

/** The compared trend, dashed; a gap stays a gap. */
function drawOther(plot: uPlot, inks: Inks, { other }: Marks): void {
  if (!other) return;
  const { ctx } = plot;
  ctx.save();
  clip(plot);
  ctx.strokeStyle = inks.compared;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.setLineDash([6 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  let drawing = false;
  other.ms.forEach((ms, i) => {
    const value = other.mean[i] ?? null;
    if (value !== null) {
      const [x, y] = [plot.valToPos(ms / 1000, 'x', true), plot.valToPos(value, 'y', true)];
      if (drawing) ctx.lineTo(x, y);
      else ctx.moveTo(x, y);
    }
    drawing = value !== null;
  });
  ctx.stroke();
  ctx.restore();
}

/** Clips marks to the plot's width; flags may be in the margin above. */
function clip(plot: uPlot): void {
  const { ctx, bbox } = plot;
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
}
