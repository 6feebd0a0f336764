import { expect, it } from 'vitest';
import type { Case, Machine } from '../api/client';
import { byNeed } from './attention';

const machine = (id: string, more: Partial<Machine> = {}): Machine =>
  ({ id, name: id, area: '', condition: 'normal', stale: false, ...more }) as Machine;
const of = (attention: Case['attention'], rank: number): Case => ({ attention, rank }) as Case;

it('puts cases by rank before machines without one, and lists the shelved as quiet', () => {
  const cases = new Map([
    ['low', of('needs_someone', 1)],
    ['high', of('needs_someone', 9)],
    ['held', of('in_hand', 5)],
    ['shelved', of('needs_someone', 99)],
  ]);
  const groups = byNeed(
    [
      machine('ok'),
      machine('silent', { stale: true }),
      machine('low'),
      machine('high'),
      machine('held', { condition: 'alarm' }),
      machine('new', { awaiting_approval: true }),
      machine('shelved', { suppression: { kind: 'shelved' } as Machine['suppression'] }),
    ],
    (id) => cases.get(id),
  );
  const ids = (need: keyof typeof groups) => groups[need].map(({ machine }) => machine.id);
  expect(ids('someone')).toEqual(['high', 'low', 'silent', 'new']);
  expect(ids('hand')).toEqual(['held']);
  expect(ids('quiet')).toEqual(['ok', 'shelved']);
});
