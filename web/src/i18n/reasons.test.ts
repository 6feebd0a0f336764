import { describe, expect, it } from 'vitest';
import type { Reason } from '../api/client';
import { gravest, pointName, sentence, statements } from './reasons';

const reason = (text: string, point: string | null): Reason =>
  ({ kind: 'state', condition: 'unknown', said: { code: text }, point }) as Reason;

describe('statements', () => {
  it('says once what several points say alike', () => {
    const joined = statements(
      [reason('a', 'p1'), reason('a', 'p2'), reason('b', null)],
      ({ said }) => said.code,
    );
    expect(joined.map(({ reason: { said }, points }) => [said.code, points])).toEqual([
      ['a', ['p1', 'p2']],
      ['b', []],
    ]);
  });
});

describe('pointName', () => {
  it('is the name that people gave a point, else its id', () => {
    const points = [
      { point: 'a1', name: 'Accelerometer 1' },
      { point: 'a2', name: '' },
    ];
    expect(['a1', 'a2', 'a3'].map((id) => pointName(points, id))).toEqual([
      'Accelerometer 1',
      'a2',
      'a3',
    ]);
  });
});

describe('gravest', () => {
  it('names an alarm before what is merely unknown', () => {
    const alarm = { ...reason('b', null), condition: 'alarm' as const };
    expect(gravest([reason('a', null), alarm])).toBe(alarm);
    expect(gravest([])).toBeUndefined();
  });

  it('names the fault before the features by which it was noticed', () => {
    const departs = { ...reason('Kurtosis +20 dB', 'p1'), condition: 'alarm' as const };
    const outer = { ...departs, said: { code: 'bearing_fault' }, fault: 'outer' };
    expect(gravest([departs, outer])).toBe(outer);
    expect(gravest([departs, { ...outer, condition: 'warning' }])).toBe(departs);
  });
});

describe('sentence', () => {
  it('begins with a capital and has real minus signs, but keeps hyphens', () => {
    expect(sentence('departs: band 1 kHz -21.9 dB, non-drive end')).toBe(
      'Departs: band 1\u00a0kHz −21.9\u00a0dB, non-drive end',
    );
  });
});
