import { expect, it } from 'vitest';
import type { Case, Machine } from '../api/client';
import { byNeed, caseOrder } from './attention';

const machine = (id: string, more: Partial<Machine> = {}): Machine =>
  ({
    id,
    name: id,
    area: '',
    condition: 'normal',
    stale: false,
    need: 'quiet',
    ...more,
  }) as Machine;
const of = (attention: Case['attention'], rank: number): Case => ({ attention, rank }) as Case;

it('puts cases by rank before machines without one, and lists the shelved as quiet', () => {
  const cases = new Map([
    ['low', of('needs_someone', 1)],
    ['high', of('needs_someone', 9)],
    ['held', of('in_hand', 5)],
    ['shelved', of('shelved', 99)],
  ]);
  const groups = byNeed(
    [
      machine('ok'),
      machine('silent', { stale: true, need: 'cannot_assess' }),
      machine('low'),
      machine('high'),
      machine('held', { condition: 'alarm' }),
      machine('resting', { condition: 'unknown', need: 'at_rest' }),
      machine('doubtful', { condition: 'unknown', need: 'cannot_assess' }),
      machine('new', { need: 'needs_someone' }),
      machine('shelved'),
    ],
    (id) => cases.get(id),
  );
  const ids = (need: keyof typeof groups) => groups[need].map(({ machine }) => machine.id);
  expect(ids('someone')).toEqual(['high', 'low', 'doubtful', 'silent', 'new']);
  expect(ids('hand')).toEqual(['held']);
  expect(ids('quiet')).toEqual(['ok', 'resting', 'shelved']);
});

it('lists cases of the same rank in one order: the newest first, then by id', () => {
  const one = (id: string, opened_ms: number, attention: Case['attention'] = 'needs_someone') =>
    ({ id, attention, rank: 8, opened_ms }) as Case;
  const cases = [one('c', 2), one('held', 9, 'in_hand'), one('b', 2), one('a', 1)];
  const listed = cases.toSorted(caseOrder).map(({ id }) => id);
  expect(listed).toEqual(['b', 'c', 'a', 'held']);

  // the overview lists their machines in that order, whatever the machines are called
  const machines = cases.map(({ id }) => machine(`${id === 'a' ? 'first' : 'x'}-${id}`));
  const groups = byNeed(machines, (id) => cases.find((c) => id.endsWith(`-${c.id}`)));
  const shown = [...groups.someone, ...groups.hand].map(({ shownCase }) => shownCase?.id);
  expect(shown).toEqual(listed);
});
