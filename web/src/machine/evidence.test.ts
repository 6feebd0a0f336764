import { describe, expect, it } from 'vitest';
import { evidenceScale } from './evidence';

describe('evidenceScale', () => {
  const scale = evidenceScale(10);
  it('is linear up to the alarm level and never leaves the gauge', () => {
    expect(scale(-1)).toBe(0);
    expect(scale(5)).toBeCloseTo(0.375);
    expect(scale(10)).toBeCloseTo(0.75);
    expect(scale(20)).toBeGreaterThan(scale(10));
    expect(scale(1e9)).toBeLessThanOrEqual(1);
  });
});
