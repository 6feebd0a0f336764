import type uPlot from 'uplot';
import { canvasFont, drawUnits, valueAxis } from './axes';
import { faded, type Inks } from './inks';
import { takeRow, type MarkedLine } from './marked';

/** Marks in a spectrum plot. */
export interface SpectrumMarks {
  /** The cursor with its harmonics or sidebands. */
  cursor: readonly MarkedLine[];
  /** Frequencies of the machine's parts. */
  family: readonly MarkedLine[];
  /** A band that moved, Hz: shaded over the whole height. */
  moved?: readonly [lowHz: number, highHz: number] | null;
}

/** The curves, in the order of the data columns. */
export interface SpectrumCurves {
  logarithmic: boolean;
  /** A second spectrum follows the first. */
  compared: boolean;
  /** Lower and upper edge of the healthy band come last. */
  banded: boolean;
  /** Room above for the names of marked frequencies. */
  named: boolean;
  /** End of the frequency axis, Hz. */
  upToHz: number;
  /** Its start; by default that of the spectrum. */
  fromHz?: number;
  /** The axis counts so many units a hertz; its unit is written at its end. */
  perHz?: number;
  axisUnit?: string;
  /** Values may be negative: a difference in dB. */
  signed?: boolean;
}

/** Width that a character of the axis's unit takes, px. */
const UNIT_CHARACTER_PX = 8;

/** Amplitude over frequency in front of the healthy band, with cursor and marked frequencies. */
export function spectrumOptions(
  inks: Inks,
  curves: SpectrumCurves,
  marks: () => SpectrumMarks,
  unit: string,
  onPick: (line: number) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const { logarithmic, compared, banded, named, upToHz, fromHz = 0 } = curves;
  const { perHz = 1, axisUnit = 'Hz', signed = false } = curves;
  const hidden = { stroke: 'transparent', width: 0, points: { show: false } };
  const low = compared ? 3 : 2;
  return {
    padding: [named ? 76 : 34, Math.max(24, UNIT_CHARACTER_PX * axisUnit.length), 0, 0],
    cursor: { drag: { x: true, y: false }, points: { size: 6 }, y: false },
    scales: {
      x: {
        time: false,
        range: (_plot, low, high) => [
          Math.max(low, fromHz * perHz),
          Math.min(high, upToHz * perHz),
        ],
      },
      y: signed
        ? {}
        : logarithmic
          ? { distr: 3 }
          : { range: (_plot, _low, high) => [0, (high || 1) * 1.08] },
    },
    axes: [
      { ...valueAxis(inks, 2), grid: { show: false }, ticks: { stroke: inks.grid, size: 5 } },
      valueAxis(inks, 3),
    ],
    series: [
      {},
      { stroke: inks.ink, width: 1.25, points: { show: false } },
      ...(compared
        ? [{ stroke: inks.compared, width: 1.25, dash: [4, 3], points: { show: false } }]
        : []),
      ...(banded ? [hidden, hidden] : []),
    ],
    bands: banded ? [{ series: [low + 1, low], fill: faded(inks.line, 0.22) }] : [],
    hooks: {
      drawClear: [
        (plot) => {
          drawMoved(plot, inks, marks().moved ?? null, perHz);
          drawLines(plot, inks, marks().family, inks.compared, FAMILY_NAMES, perHz);
        },
      ],
      draw: [
        (plot) => {
          drawUnits(plot, inks, unit, axisUnit);
          drawLines(plot, inks, marks().cursor, inks.ink, CURSOR_NAMES, perHz);
        },
      ],
      ready: [
        (plot) => {
          plot.over.addEventListener('click', () => {
            if (plot.cursor.idx != null) onPick(plot.cursor.idx);
          });
        },
      ],
    },
  };
}

function drawMoved(
  plot: uPlot,
  inks: Inks,
  moved: readonly [number, number] | null,
  perHz: number,
): void {
  if (!moved) return;
  const { ctx, bbox } = plot;
  const [left, right] = moved.map((hz) =>
    Math.min(Math.max(plot.valToPos(hz * perHz, 'x', true), bbox.left), bbox.left + bbox.width),
  ) as [number, number];
  ctx.save();
  ctx.fillStyle = faded(inks.alarm, 0.14);
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.restore();
}

/** Where names are written: the lowest row's height above the plot, px, and how many rows. */
interface NameRows {
  abovePx: number;
  rows: number;
}
const CURSOR_NAMES: NameRows = { abovePx: 5, rows: 2 };
/** The four parts of a bearing have a row each where their lines are close. */
const FAMILY_NAMES: NameRows = { abovePx: 29, rows: 4 };
const ROW_PX = 12;
/** Room beside a name, px. */
const BESIDE_PX = 3;

function drawLines(
  plot: uPlot,
  inks: Inks,
  lines: readonly MarkedLine[],
  colour: string,
  { abovePx, rows }: NameRows,
  perHz: number,
): void {
  const { ctx, bbox } = plot;
  const { min = 0, max = 0 } = plot.scales.x ?? {};
  const px = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.textAlign = 'center';
  ctx.font = canvasFont(inks, 11);
  // A name without room in any row is left out; its line is drawn.
  const taken = Array.from({ length: rows }, (): [number, number][] => []);
  for (const { hz, name, main } of lines) {
    const at = hz * perHz;
    if (at < (min ?? 0) || at > (max ?? 0)) continue;
    const x = plot.valToPos(at, 'x', true);
    ctx.lineWidth = (main ? 1.5 : 1) * px;
    ctx.globalAlpha = main ? 1 : 0.7;
    ctx.setLineDash(main ? [] : [3 * px, 3 * px]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (!name) continue;
    const half = ctx.measureText(name).width / 2 + BESIDE_PX * px;
    const middle = Math.max(Math.min(x, bbox.left + bbox.width - half), bbox.left + half);
    const row = takeRow(taken, middle - half, middle + half);
    if (row === -1) continue;
    ctx.globalAlpha = 1;
    ctx.fillText(name, middle, bbox.top - (abovePx + ROW_PX * row) * px);
  }
  ctx.restore();
}
