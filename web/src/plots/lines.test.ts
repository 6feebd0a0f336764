import { describe, expect, it } from 'vitest';
import { alike, harmonics, layeredColumns, nearestPeak } from './lines';
import type { Spectrum, SpectrumBand } from '../api/client';

describe('spectrum', () => {
  it('puts lines at their frequencies', () => {
    const spectrum = { f0_hz: 10, df_hz: 2.5, values: [1, 2, 3] } as Spectrum;
    expect(layeredColumns(spectrum, null, null)).toEqual([
      [10, 12.5, 15],
      [1, 2, 3],
    ]);
  });

  it('lays only spectra of the same lines and unit over each other', () => {
    const one = { f0_hz: 0, df_hz: 2, values: [1, 2], unit: 'g' } as Spectrum;
    const other = { ...one, values: [3, 4] };
    const band = { ...one, low: [0, 1], high: [2, 3] } as unknown as SpectrumBand;
    expect(layeredColumns(one, other, band)).toEqual([
      [0, 2],
      [1, 2],
      [3, 4],
      [0, 1],
      [2, 3],
    ]);
    expect(alike(one, other, 2)).toBe(true);
    expect(alike(one, other, 3)).toBe(false);
    expect(alike(one, { ...other, df_hz: 1 }, 2)).toBe(false);
    expect(alike(one, { ...other, unit: 'mm/s' }, 2)).toBe(false);
  });

  it('moves a cursor to the peak beside it, not to one far off', () => {
    const values = [0, 1, 5, 1, 0, 0, 9];
    expect(nearestPeak(values, 1, 2)).toBe(2);
    expect(nearestPeak(values, 0, 1)).toBe(1);
    expect(nearestPeak(values, 99, 1)).toBe(6);
  });

  it('draws harmonics to the end and no endless number of them', () => {
    expect(harmonics(25, 100)).toEqual([25, 50, 75, 100]);
    expect(harmonics(0.1, 1000)).toHaveLength(20);
    expect(harmonics(0, 1000)).toEqual([]);
  });
});
