import { expect, it } from 'vitest';
import type { HeadUpdate } from '../api/client';
import { eventsIn, eventsOf, splitAt } from './named';

it('numbers an event alike in a sentence and below it, whatever its id is', () => {
  const returns = { code: 'gate_false_alarm_returns', values: { event: 'd-1' } };
  const alike = { code: 'false_alarms_alike', values: { events: ['d-10', 'a(b.c'] } };
  const said = { code: 'sentences', values: { parts: [returns, alike] } };
  expect(eventsIn(said)).toEqual(['d-1', 'd-10', 'a(b.c']);
  const parts = ['d-1', ' and ', 'd-10', ' and ', 'a(b.c'];
  expect(splitAt(parts.join(''), eventsIn(said)).filter(Boolean)).toEqual(parts);
  const effect = { said, silenced: ['x'], raised: ['d-10'], contradicts: ['x'] };
  expect(eventsOf(effect as unknown as HeadUpdate)).toEqual(['d-1', 'd-10', 'a(b.c', 'x']);
  expect(eventsIn({ code: 'learned' })).toEqual([]);
  expect(eventsIn(null)).toEqual([]);
});
