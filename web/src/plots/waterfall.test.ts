import { describe, expect, it } from 'vitest';
import { levels } from './waterfall';

describe('levels', () => {
  it('puts the strongest at 1, 25 dB below at a half, and the rest at 0', () => {
    const [row] = levels([[10, 10 ** (1 - 25 / 20), 0.001, 0]]);
    expect(row?.[0]).toBe(1);
    expect(row?.[1]).toBeCloseTo(0.5);
    expect(row?.slice(2)).toEqual([0, 0]);
  });

  it('takes silence', () => {
    expect(levels([[0, 0]])).toEqual([[0, 0]]);
  });
});
