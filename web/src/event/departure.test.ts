import { describe, expect, it } from 'vitest';
import type { Reason } from '../api/client';
import { clearestPoint, movedFeatures } from './departure';

const reason = (point: string | null, more: Partial<Reason> = {}): Reason =>
  ({ point, condition: 'alarm', contributions: [], ...more }) as Reason;
const moved = (point: string, sigma: number, share = 0.5): Reason =>
  reason(point, { contributions: [{ sigma, share }] as Reason['contributions'] });

describe('clearestPoint', () => {
  it('is the point that moved most, up or down, not the first', () => {
    expect(clearestPoint([moved('NDE', 4), moved('DE', -40), moved('P', 9)])).toBe('DE');
    expect(clearestPoint([moved('DE', 10, 0.1), moved('NDE', 12, 0.9)])).toBe('DE');
  });

  it('is the point of the surest diagnosis where that names one', () => {
    const unplaced = reason(null, { fault: 'outer', confidence: 0.9 });
    const placed = reason('P', { fault: 'outer', confidence: 0.6 });
    expect(clearestPoint([moved('DE', 40), unplaced])).toBe('DE');
    expect(clearestPoint([moved('DE', 40), unplaced, placed])).toBe('P');
  });

  it('is none where no reason has evidence of a point', () => {
    expect(clearestPoint([reason('DE'), reason(null)])).toBeNull();
  });
});

describe('movedFeatures', () => {
  it('are those of the point, the farthest first, up or down', () => {
    const contributions = [
      { feature: 'rms', sigma: 4 },
      { feature: 'kurtosis', sigma: -9 },
    ] as Reason['contributions'];
    const reasons = [reason('DE', { contributions }), moved('NDE', 40)];
    expect(movedFeatures(reasons, 'DE')).toEqual(['kurtosis', 'rms']);
    expect(movedFeatures([reason('DE')], 'DE')).toEqual([]);
  });
});
