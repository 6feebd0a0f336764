import { expect, test } from 'vitest';
import { trendColumns } from './columns';

test('no line is drawn across a gap', () => {
  const mean = [1, 2, 3, 4, 5];
  const series = { minimum: mean, mean, maximum: mean };
  const [t, , drawn] = trendColumns({ t_ms: [0, 2000, 4000, 60_000, 62_000] }, series);
  expect(t).toEqual([0, 2, 4, 6, 60, 62]);
  expect(drawn).toEqual([1, 2, 3, null, 4, 5]);
});
