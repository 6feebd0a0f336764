import type uPlot from 'uplot';
import { canvasFont, drawUnits, valueAxis } from './axes';
import { faded, type Inks } from './inks';
import { harmonics } from './lines';

export interface SpectrumMarks {
  /** Where the fixed cursor stands, Hz; its harmonics are drawn with it. */
  cursorHz: number | null;
  withHarmonics: boolean;
  logarithmic: boolean;
  /** A second spectrum is drawn behind the first. */
  compared: boolean;
}

/** Amplitude over frequency, with a cursor and its harmonics. */
export function spectrumOptions(
  inks: Inks,
  marks: () => SpectrumMarks,
  unit: string,
  onPick: (line: number) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  return {
    padding: [20, 12, 0, 0],
    cursor: { drag: { x: true, y: false }, points: { size: 6 }, y: false },
    scales: {
      x: { time: false },
      y: marks().logarithmic
        ? { distr: 3 }
        : { range: (_plot, _low, high) => [0, (high || 1) * 1.08] },
    },
    axes: [
      { ...valueAxis(inks, 2), grid: { show: false }, ticks: { stroke: inks.grid, size: 5 } },
      valueAxis(inks, 3),
    ],
    series: [
      {},
      {
        stroke: inks.ink,
        width: 1.25,
        points: { show: false },
        fill: marks().logarithmic ? undefined : faded(inks.line, 0.1),
      },
      ...(marks().compared
        ? [{ stroke: inks.compared, width: 1.25, dash: [4, 3], points: { show: false } }]
        : []),
    ],
    hooks: {
      draw: [
        (plot) => {
          drawUnits(plot, inks, unit, 'Hz');
          drawCursor(plot, inks, marks());
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

/** Names of harmonics closer than this would overlap; their lines are drawn all the same. */
const HARMONIC_NAME_PX = 26;

function drawCursor(plot: uPlot, inks: Inks, { cursorHz, withHarmonics }: SpectrumMarks): void {
  if (cursorHz === null) return;
  const { ctx, bbox } = plot;
  const end = plot.scales.x?.max ?? 0;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  ctx.strokeStyle = inks.quiet;
  ctx.fillStyle = inks.ink;
  ctx.textAlign = 'center';
  ctx.font = canvasFont(inks, 11);
  const lines = withHarmonics ? harmonics(cursorHz, end) : [cursorHz];
  let named = -Infinity;
  lines.forEach((hz, i) => {
    const x = plot.valToPos(hz, 'x', true);
    ctx.lineWidth = (i === 0 ? 1.5 : 1) * devicePixelRatio;
    ctx.setLineDash(i === 0 ? [] : [3 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (x - named < HARMONIC_NAME_PX * devicePixelRatio) return;
    named = x;
    ctx.fillText(`${String(i + 1)}×`, x, bbox.top - 5 * devicePixelRatio);
  });
  ctx.restore();
}
