import type { Machine } from '../api/client';

export type Condition = Machine['condition'];
/** A condition, or `stale`: too old to rely on. */
export type ShownCondition = Condition | 'stale';

/** The condition to show: `stale` outranks a condition that may no longer hold. */
export function shownCondition(of: { condition: Condition; stale: boolean }): ShownCondition {
  return of.stale ? 'stale' : of.condition;
}

/** Worst first; a silent machine comes before a learning one. */
export const WORST_FIRST: readonly ShownCondition[] = [
  'alarm',
  'warning',
  'unknown',
  'stale',
  'learning',
  'normal',
];

export const isAbnormal = (s: ShownCondition): boolean => WORST_FIRST.indexOf(s) < 4;

// For 500 machines: a collator is about ten times faster than `localeCompare`.
const names = new Intl.Collator(undefined, { numeric: true });

/** Orders machines by the name that the page shows. */
export function byName(a: Machine, b: Machine): number {
  return names.compare(a.name || a.machine, b.name || b.machine);
}

/** Orders machines worst first, then by area and name. */
export function worstFirst(a: Machine, b: Machine): number {
  return (
    WORST_FIRST.indexOf(shownCondition(a)) - WORST_FIRST.indexOf(shownCondition(b)) ||
    names.compare(a.area, b.area) ||
    byName(a, b)
  );
}
