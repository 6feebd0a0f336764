import { describe, expect, it } from 'vitest';
import { spanOf } from './shifts';

const at = (text: string) => new Date(text).getTime();

describe('spanOf', () => {
  it.each([
    ['2026-03-02T10:30', '2026-03-02T06:00', '2026-03-01T22:00'],
    ['2026-03-02T06:00', '2026-03-02T06:00', '2026-03-01T22:00'],
    ['2026-03-02T05:59', '2026-03-01T22:00', '2026-03-01T14:00'],
    ['2026-03-02T23:00', '2026-03-02T22:00', '2026-03-02T14:00'],
  ])('finds the shift of %s', (now, begun, before) => {
    expect(spanOf('shift', at(now))).toEqual([at(begun), Math.max(at(now), at(begun) + 1)]);
    expect(spanOf('last', at(now))).toEqual([at(before), at(begun)]);
  });

  it('follows the plant, not the computer', () => {
    const now = Date.parse('2026-03-02T05:30:00Z');
    expect(spanOf('shift', now, 'Europe/Berlin')[0]).toBe(Date.parse('2026-03-02T05:00:00Z'));
    expect(spanOf('shift', now, 'UTC')[0]).toBe(Date.parse('2026-03-01T22:00:00Z'));
  });

  it('counts days and weeks back from now', () => {
    const now = at('2026-03-02T10:30');
    expect(spanOf('day', now)).toEqual([now - 86_400_000, now]);
    expect(spanOf('week', now)).toEqual([now - 7 * 86_400_000, now]);
  });
});
