import type { Case, Machine } from '../api/client';
import { worstFirst } from './severity';

/** Where a machine is listed: it needs someone, someone has it, or it is quiet. */
export type Need = 'someone' | 'hand' | 'quiet';

const NEEDS: Readonly<Record<Case['attention'] | Machine['need'], Need>> = {
  needs_someone: 'someone',
  cannot_assess: 'someone',
  in_hand: 'hand',
  shelved: 'quiet',
  closed: 'quiet',
  learning: 'quiet',
  at_rest: 'quiet',
  quiet: 'quiet',
};

/** Where the dashboard lists a machine: its case says it, else its own state (app/cases/attention.py). */
export const needOf = (machine: Machine, shownCase: Case | undefined): Need =>
  NEEDS[shownCase?.attention ?? machine.need];

/** Whether someone must approve the machine's baseline now, whatever became of its case. */
export const asksApproval = (machine: Machine): boolean =>
  machine.awaiting_approval && machine.need === 'needs_someone';

/** The order of cases in every list, which the dashboard gives. */
export const caseOrder = (a: Case, b: Case): number => (a.sort_key < b.sort_key ? -1 : 1);

/** Evidence as a multiple of the alarm level; null where none is known. */
export function evidenceRatio(of: {
  evidence?: number | null;
  alarm_level?: number | null;
}): number | null {
  return of.evidence == null || !of.alarm_level ? null : of.evidence / of.alarm_level;
}

/** A machine with its case, or what blinds several: without a machine. */
export interface Listed {
  machine: Machine | undefined;
  shownCase: Case | undefined;
  /** Of its sensor, which explains the case: the same thing, so one row and one act. */
  others?: Case[];
}

/** The rows of the overview, and how many machines need someone or are taken. */
export interface Grouped {
  someone: Listed[];
  hand: Listed[];
  quiet: { machine: Machine; shownCase: Case | undefined }[];
  counts: Record<Need, number>;
}

const ofOne = ({ kind }: Case): boolean => kind === 'machine' || kind === 'sensor';

const sameThing = (one: Case, other: Case): boolean =>
  one.attention === other.attention &&
  (one.explained_by === other.id || other.explained_by === one.id);

/**
 * The machines of a plant by need: who needs someone in the order to look at them, the others as
 * given. Machines that cannot be assessed for a cause with a case of its own are in that one row.
 */
export function byNeed(machines: readonly Machine[], active: readonly Case[]): Grouped {
  const own = new Map<string, Case[]>();
  const cause = new Map<string, Case>();
  for (const one of active) {
    if (ofOne(one)) own.set(one.machine_id, [...(own.get(one.machine_id) ?? []), one]);
    else for (const { id } of one.machines ?? []) if (!cause.has(id)) cause.set(id, one);
  }
  const counts: Record<Need, number> = { someone: 0, hand: 0, quiet: 0 };
  const rows: Record<'someone' | 'hand', Listed[]> = { someone: [], hand: [] };
  const quiet: Grouped['quiet'] = [];
  const further = new Set<Case>();
  for (const machine of machines) {
    const [shownCase, ...more] = own.get(machine.id) ?? [];
    const blinded = cause.get(machine.id);
    const others = more.filter((one) => shownCase && sameThing(shownCase, one));
    for (const one of [blinded, ...more]) if (one && !others.includes(one)) further.add(one);
    const by = !shownCase && machine.need === 'cannot_assess' ? blinded : undefined;
    const need = needOf(machine, shownCase ?? by);
    const approval = Boolean(shownCase) && asksApproval(machine);
    counts[approval ? 'someone' : need] += 1;
    if (approval) rows.someone.push({ machine, shownCase: undefined });
    if (need === 'quiet') quiet.push({ machine, shownCase });
    else if (!by) rows[need].push({ machine, shownCase, others });
  }
  for (const shownCase of further) {
    const need = NEEDS[shownCase.attention];
    const machine = machines.find(({ id }) => id === shownCase.machine_id);
    if (need !== 'quiet') rows[need].push({ machine, shownCase });
  }
  rows.someone.sort(mostUrgentFirst);
  rows.hand.sort(mostUrgentFirst);
  return { ...rows, quiet, counts };
}

/** Cases in their order, then machines without one, the worst first. */
function mostUrgentFirst(a: Listed, b: Listed): number {
  if (a.shownCase && b.shownCase) return caseOrder(a.shownCase, b.shownCase);
  if (a.shownCase || b.shownCase) return a.shownCase ? -1 : 1;
  return a.machine && b.machine ? worstFirst(a.machine, b.machine) : 0;
}

/** Rows that probably have one cause, or one row without. */
export interface Fold {
  common: NonNullable<Case['common']> | null;
  rows: Listed[];
  /** How many rows are above. */
  above: number;
}

/** Puts the rows of one common cause together, where the first of them is. */
export function folded(listed: readonly Listed[]): Fold[] {
  const folds: Fold[] = [];
  for (const row of listed) {
    const common = row.shownCase?.common ?? null;
    const known = common && folds.find((one) => one.common?.cases[0]?.id === common.cases[0]?.id);
    if (known) known.rows.push(row);
    else folds.push({ common, rows: [row], above: 0 });
  }
  let above = 0;
  for (const fold of folds) {
    fold.above = above;
    above += fold.rows.length;
    if (fold.rows.length === 1) fold.common = null;
  }
  return folds;
}
