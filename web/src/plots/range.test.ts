import { expect, test } from 'vitest';
import type { Spectrum } from '../api/client';
import { onLinesOf } from './lines';
import { periodMarks } from './marked';
import { nearest, viewOf } from './range';

const HOUR = 3_600_000;

test('the cursor finds the nearest time, or the newest without one', () => {
  expect(nearest([10, 20, 40], 31)).toBe(2);
  expect(nearest([10, 20, 40], 0)).toBe(0);
  expect(nearest([10, 20, 40], Infinity)).toBe(2);
});

test('a case opens a range with its begin and what it shows', () => {
  const at = 1_000 * HOUR;
  const now = at + 99 * HOUR;
  const view = viewOf(at - 3 * HOUR, at, now);
  expect(view.range).toBe('24h');
  const until = Number(view.until);
  expect(until - 24 * HOUR).toBeLessThan(at - 3 * HOUR);
  expect(until).toBeGreaterThan(at);
  expect(viewOf(at - 30 * HOUR, at, now).range).toBe('7d');
  expect(viewOf(at - HOUR, at, at)).not.toHaveProperty('until');
});

test('periods are marked through the chosen time', () => {
  expect(periodMarks(0.5, 0.2, 1).map((s) => s.toFixed(1))).toEqual([
    '0.1',
    '0.3',
    '0.5',
    '0.7',
    '0.9',
  ]);
  expect(periodMarks(0.5, 0, 1)).toEqual([]);
});

const spectrum = (df_hz: number, values: number[]): Spectrum =>
  ({ f0_hz: 0, df_hz, values, unit: 'g', kind: 'spectrum' }) as Spectrum;

test('another machine’s spectrum is laid over by order, and no peak is lost', () => {
  const shown = spectrum(1, [0, 0, 0, 0, 0, 0]);
  // twice as fast, lines four times as fine: its 1× at 4 Hz is the shown one's at 2 Hz
  const other = spectrum(
    0.25,
    Array.from({ length: 30 }, (_, i) => (i === 16 ? 5 : 0)),
  );
  const laid = onLinesOf(shown, other, 2);
  expect(laid?.values.slice(0, 4)).toEqual([0, 0, 5, 0]);
  expect(laid?.values[5]).toBeNull();
  expect(onLinesOf(shown, { ...other, unit: 'mm/s' })).toBeNull();
  expect(onLinesOf(shown, shown)?.values).toBe(shown.values);
});
