import type { Spectrum, Waterfall } from '../api/client';
import type { Inks } from './inks';
import { decibels } from './quantities';

/** Range below the strongest value, dB: the grey levels that an eye can distinguish. */
const RANGE_DB = 50;
/** Width of the strip that shows conditions, px. */
export const STRIP_PX = 6;

/** Levels 0..1 of each cell: the strongest is 1, `RANGE_DB` below it and less is 0. */
export function levels(rows: readonly (readonly number[])[], kind: Spectrum['kind']): number[][] {
  const top = Math.max(...rows.map((row) => Math.max(...row)), Number.MIN_VALUE);
  return rows.map((row) =>
    row.map((value) => (value > 0 ? Math.max(0, 1 + decibels(value / top, kind) / RANGE_DB) : 0)),
  );
}

/** Draws the waterfall into a canvas of its own size: oldest row at the top. */
export function drawWaterfall(
  canvas: HTMLCanvasElement,
  fall: Pick<Waterfall, 'rows' | 'condition'>,
  kind: Spectrum['kind'],
  inks: Inks,
  cursorRow: number | null = null,
): void {
  const context = canvas.getContext('2d');
  const columns = fall.rows[0]?.length ?? 0;
  if (!context || columns === 0) return;
  const low = rgb(inks.surface);
  const high = rgb(inks.ink);
  const image = new ImageData(columns, fall.rows.length);
  levels(fall.rows, kind).forEach((row, y) => {
    row.forEach((level, x) => {
      const at = 4 * (y * columns + x);
      for (let c = 0; c < 3; c++) {
        image.data[at + c] = (low[c] ?? 0) + level * ((high[c] ?? 0) - (low[c] ?? 0));
      }
      image.data[at + 3] = 255;
    });
  });
  const cells = document.createElement('canvas');
  cells.width = columns;
  cells.height = fall.rows.length;
  cells.getContext('2d')?.putImageData(image, 0, 0);

  const strip = STRIP_PX * devicePixelRatio;
  const height = canvas.height / fall.rows.length;
  context.imageSmoothingEnabled = false;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(cells, strip, 0, canvas.width - strip, canvas.height);
  const colours = { alarm: inks.alarm, warning: inks.warning, unknown: inks.unknown };
  fall.condition.forEach((condition, y) => {
    context.fillStyle = colours[condition as keyof typeof colours] ?? inks.grid;
    context.fillRect(0, y * height, strip - 2 * devicePixelRatio, Math.ceil(height));
  });
  if (cursorRow === null) return;
  context.strokeStyle = inks.compared;
  context.lineWidth = 1.5 * devicePixelRatio;
  context.strokeRect(0, cursorRow * height, canvas.width, Math.max(height, 3 * devicePixelRatio));
}

function rgb(colour: string): number[] {
  return (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
}
