import type uPlot from 'uplot';
import { expect, it, vi } from 'vitest';
import { figure } from '../i18n/format';
import { drawUnits, powerOf, valueAxis } from './axes';
import type { Inks } from './inks';

// without a page there is no language
vi.mock('../i18n/i18n.svelte', () => ({ figure: (value: number) => figure(value, 'en-GB') }));

const inks = { quiet: '', grid: '', font: '12px Plex' } as Inks;
const plotTo = (max: number, min = 0, distr?: number) =>
  ({ scales: { y: { min, max, distr } } }) as unknown as uPlot;

function labels(plot: uPlot, splits: number[]): string[] {
  const { values } = valueAxis(inks, 3) as { values: (...all: unknown[]) => string[] };
  return values(plot, splits);
}

it('labels small and large numbers short enough for the place beside the plot', () => {
  expect(labels(plotTo(8.1e-4), [0, 2.5e-4, 5e-4, 7.5e-4])).toEqual(['0', '250', '500', '750']);
  expect(labels(plotTo(0.00162, -0.0016), [-0.00125, 0])).toEqual(['−1.25', '0']);
  expect(labels(plotTo(2.4e6), [0, 1.25e6])).toEqual(['0', '1.25']);
  expect(labels(plotTo(0.06), [0, 0.02])).toEqual(['0', '0.02']);
  expect(powerOf(plotTo(0))).toBe(0);
  expect(powerOf(plotTo(1e-3, 1e-6, 3))).toBe(0); // decades are short as they are
});

it('writes their power of ten with the unit, within the picture', () => {
  const written: [string, number][] = [];
  Object.assign(globalThis, { devicePixelRatio: 1 });
  const ctx = {
    save: () => undefined,
    restore: () => undefined,
    measureText: (text: string) => ({ width: 10 * text.length }),
    fillText: (text: string, x: number) => written.push([text, x]),
  };
  const bbox = { left: 52, top: 30, width: 300, height: 100 };
  drawUnits({ ...plotTo(8.1e-4), ctx, bbox } as unknown as uPlot, inks, 'g²', 'Hz');
  drawUnits({ ...plotTo(3), ctx, bbox } as unknown as uPlot, inks, 'g²');
  expect(written[0]).toEqual(['10⁻⁶\u00a0g²', 70]);
  expect(written[2]).toEqual(['g²', 46]);
});
