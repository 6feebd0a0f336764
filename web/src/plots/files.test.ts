import { expect, it } from 'vitest';
import { csv, uff58, type Column } from './files';

const column: Column = {
  title: 'Pump 3, DE',
  abscissa: 'frequency',
  first: 0,
  step: 2.5,
  unit: 'mm/s',
  values: [0, 1.5, -2e-7, 4, 5, 6, 7],
  atMs: 0,
};

it('writes a CSV that any program reads', () => {
  expect(csv(column).split('\n').slice(0, 3)).toEqual([
    'frequency_hz,amplitude_mm/s',
    '0,0',
    '2.5,1.5',
  ]);
});

it('writes data set 58 in its fixed columns', () => {
  const lines = uff58(column).split('\n');
  expect(lines[0]).toBe('    -1');
  expect(lines[1]).toBe('    58');
  expect(lines[7]).toHaveLength(5 + 10 + 5 + 10 + 2 * (11 + 10 + 4));
  expect(lines[8]?.slice(0, 30)).toBe('         2         7         1');
  expect(lines[9]?.slice(0, 10)).toBe('        18');
  expect(lines[10]?.slice(0, 10)).toBe('        11');
  expect(lines[13]).toBe(
    '  0.00000E+00  1.50000E+00 -2.00000E-07  4.00000E+00  5.00000E+00  6.00000E+00',
  );
  expect(lines[14]).toBe('  7.00000E+00');
  expect(lines[15]).toBe('    -1');
});
