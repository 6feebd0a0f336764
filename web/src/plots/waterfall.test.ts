import { describe, expect, it } from 'vitest';
import { ratioOf } from './quantities';
import { levels } from './waterfall';

describe('levels', () => {
  it.each(['spectrum', 'envelope'] as const)(
    'puts the strongest at 1, 25 dB below at a half, and the rest at 0: %s',
    (kind) => {
      const [row] = levels([[10, 10 * ratioOf(-25, kind), 1e-6, 0]], kind);
      expect(row?.[0]).toBe(1);
      expect(row?.[1]).toBeCloseTo(0.5);
      expect(row?.slice(2)).toEqual([0, 0]);
    },
  );

  it('takes silence', () => {
    expect(levels([[0, 0]], 'spectrum')).toEqual([[0, 0]]);
  });
});
