import { expect, it } from 'vitest';
import type { EventView } from '../api/client';
import { repeats } from './repeats';

const event = (id: string, started_ms: number, more: Partial<EventView> = {}): EventView =>
  ({
    id,
    machine_id: 'm1',
    peak_condition: 'alarm',
    reasons: [],
    started_ms,
    ...more,
  }) as EventView;

it('joins what repeats, newest first, and leaves open and answered events alone', () => {
  const groups = repeats([
    event('a', 1),
    event('c', 3),
    event('open', 4, { open: true }),
    event('b', 2),
    event('other', 5, { machine_id: 'm2' }),
  ]);
  expect(groups.map(({ event }) => event.id)).toEqual(['other', 'open', 'c']);
  expect(groups[2]?.earlier.map(({ id }) => id)).toEqual(['b', 'a']);
});
