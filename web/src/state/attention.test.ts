import { expect, it } from 'vitest';
import type { Case, Machine } from '../api/client';
import { byNeed, folded } from './attention';

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
const of = (
  machine_id: string,
  attention: Case['attention'],
  order: number,
  more: Partial<Case> = {},
): Case =>
  ({
    id: machine_id,
    kind: 'machine',
    machine_id,
    attention,
    sort_key: String(order),
    ...more,
  }) as Case;

it('puts cases in their order before machines without one, and lists the shelved as quiet', () => {
  const cases = [
    of('low', 'needs_someone', 2),
    of('high', 'needs_someone', 1),
    of('held', 'in_hand', 3),
    of('shelved', 'shelved', 4),
  ];
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
    cases,
  );
  const ids = (need: 'someone' | 'hand' | 'quiet') => groups[need].map((one) => one.machine?.id);
  expect(ids('someone')).toEqual(['high', 'low', 'doubtful', 'silent', 'new']);
  expect(ids('hand')).toEqual(['held']);
  expect(ids('quiet')).toEqual(['ok', 'resting', 'shelved']);
});

it('lists a baseline that waits for approval beside the case that led to it', () => {
  const waits = machine('new', { need: 'needs_someone', awaiting_approval: true });
  const groups = byNeed([waits], [of('new', 'in_hand', 1)]);
  expect(groups.someone).toEqual([{ machine: waits, shownCase: undefined }]);
  expect(groups.hand.map((one) => one.shownCase?.id)).toEqual(['new']);
  expect(groups.counts).toEqual({ someone: 1, hand: 0, quiet: 0 });
});

it('lists what blinds several machines once, and a sensor beside the case of its machine', () => {
  const blind = (id: string) => machine(id, { stale: true, need: 'cannot_assess' });
  const concerned = (...ids: string[]) => ids.map((id) => ({ id, name: id, area: '' }));
  const away = of('plant~gw', 'needs_someone', 3, {
    kind: 'gateway',
    machines: concerned('a', 'b', 'c'),
  });
  const loose = of('d', 'in_hand', 4, { id: 'loose', kind: 'sensor', machines: concerned('d') });
  const fault = of('d', 'needs_someone', 1, { id: 'fault' });
  const held = of('c', 'needs_someone', 2, { id: 'held' });
  const groups = byNeed(
    [blind('a'), blind('b'), blind('c'), machine('d'), blind('alone')],
    [fault, held, away, loose],
  );
  const rows = groups.someone.map(({ machine, shownCase }) => shownCase?.id ?? machine?.id);
  expect(rows).toEqual(['fault', 'held', 'plant~gw', 'alone']);
  expect(groups.hand.map(({ shownCase }) => shownCase?.id)).toEqual(['loose']);
  expect(groups.counts).toEqual({ someone: 5, hand: 0, quiet: 0 });
});

it('lists a case and the sensor that explains it once, and twice where one is taken', () => {
  const loose = of('d', 'needs_someone', 2, { id: 'loose', kind: 'sensor' });
  const changed = of('d', 'needs_someone', 1, { id: 'changed', explained_by: 'loose' });
  const row = { machine: machine('d'), shownCase: changed, others: [loose] };
  expect(byNeed([machine('d')], [changed, loose]).someone).toEqual([row]);

  const taken = of('d', 'in_hand', 3, { id: 'changed', explained_by: 'loose' });
  const groups = byNeed([machine('d')], [loose, taken]);
  const shown = [groups.someone, groups.hand].map((some) => some.map((one) => one.shownCase?.id));
  expect(shown).toEqual([['loose'], ['changed']]);
  expect(groups.counts).toEqual({ someone: 1, hand: 0, quiet: 0 });
});

it('puts rows of one common cause together, where the first of them is', () => {
  const common = { cases: [{ id: 'a' }] } as Case['common'];
  const alone = { cases: [{ id: 'x' }] } as Case['common'];
  const cases = [
    of('b', 'needs_someone', 1, { common }),
    of('other', 'needs_someone', 2),
    of('a', 'needs_someone', 3, { common }),
    of('x', 'needs_someone', 4, { common: alone }),
  ];
  const rows = cases.map((shownCase) => ({ machine: undefined, shownCase }));
  const folds = folded(rows).map((one) => [
    one.common,
    one.above,
    one.rows.map(({ shownCase }) => shownCase?.id),
  ]);
  expect(folds).toEqual([
    [common, 0, ['b', 'a']],
    [null, 2, ['other']],
    [null, 3, ['x']],
  ]);
});
