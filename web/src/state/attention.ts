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

const FIRST: readonly Case['attention'][] = ['needs_someone', 'in_hand', 'shelved', 'closed'];

/** The order of cases in every list, as the dashboard's (app/cases/attention.py). */
export function caseOrder(a: Case, b: Case): number {
  return (
    FIRST.indexOf(a.attention) - FIRST.indexOf(b.attention) ||
    b.rank - a.rank ||
    b.opened_ms - a.opened_ms ||
    (a.id < b.id ? -1 : 1)
  );
}

/** Evidence as a multiple of the alarm level; null where none is known. */
export function evidenceRatio(of: {
  evidence?: number | null;
  alarm_level?: number | null;
}): number | null {
  return of.evidence == null || !of.alarm_level ? null : of.evidence / of.alarm_level;
}

/** A machine with its case, if it has one. */
export interface Listed {
  machine: Machine;
  shownCase: Case | undefined;
}

/** The machines of a plant by need: who needs someone in the order to look at them, the others as given. */
export function byNeed(
  machines: readonly Machine[],
  caseOf: (machineId: string) => Case | undefined,
): Record<Need, Listed[]> {
  const groups: Record<Need, Listed[]> = { someone: [], hand: [], quiet: [] };
  for (const machine of machines) {
    const shownCase = caseOf(machine.id);
    groups[needOf(machine, shownCase)].push({ machine, shownCase });
  }
  groups.someone.sort(mostUrgentFirst);
  groups.hand.sort(mostUrgentFirst);
  return groups;
}

/** Cases in their order, then machines without one, the worst first. */
function mostUrgentFirst(a: Listed, b: Listed): number {
  if (a.shownCase && b.shownCase) return caseOrder(a.shownCase, b.shownCase);
  if (a.shownCase || b.shownCase) return a.shownCase ? -1 : 1;
  return worstFirst(a.machine, b.machine);
}
