import { expect, it } from 'vitest';
import { fullMoment, moment } from './format';
import { instantOf, knownZone, wallTime } from './zone';

const BERLIN = 'Europe/Berlin';

it.each([
  ['2026-03-02T06:00:00', '2026-03-02T05:00:00Z'],
  ['2026-07-02T06:00:00', '2026-07-02T04:00:00Z'],
  // the hour before and after the change of 29 March 2026
  ['2026-03-29T01:59:59', '2026-03-29T00:59:59Z'],
  ['2026-03-29T03:00:00', '2026-03-29T01:00:00Z'],
  ['2026-10-25T03:30:00', '2026-10-25T02:30:00Z'],
])('converts %s of the plant both ways', (wall, utc) => {
  expect(instantOf(wall, BERLIN)).toBe(Date.parse(utc));
  expect(wallTime(Date.parse(utc), BERLIN)).toBe(wall);
});

it('takes a day as its start, and rejects other texts', () => {
  expect(instantOf('2026-07-02', BERLIN)).toBe(Date.parse('2026-07-01T22:00:00Z'));
  expect(instantOf('soon', BERLIN)).toBeNaN();
});

it('writes times in the zone that is asked for', () => {
  const ms = Date.parse('2026-07-01T22:30:00Z');
  expect(moment(ms, 'en-GB', ms + 7_200_000, false, BERLIN)).toBe('00:30');
  expect(moment(ms, 'en-GB', ms + 7_200_000, false, 'UTC')).toBe('1 Jul, 22:30');
  expect(fullMoment(ms, 'en-GB', BERLIN)).toContain('2 Jul 2026, 00:30:00');
  expect(knownZone('Europe/Berlin')).toBe('Europe/Berlin');
  expect(knownZone('Not/AZone')).toBeUndefined();
});
