import type { Machine, ReasonPart } from '../api/client';
import { isAbnormal, shownCondition, worstFirst } from './severity';

/** Where a machine is listed: it needs someone, someone has it, or it is quiet. */
export type Need = 'someone' | 'hand' | 'quiet';

/** What the overview says of a machine. */
export function needOf(machine: Machine): Need {
  if (machine.suppression) return 'quiet';
  if (machine.unacknowledged > 0 || machine.awaiting_approval) return 'someone';
  if (!isAbnormal(shownCondition(machine))) return 'quiet';
  return machine.alarm.state === 'acknowledged' ? 'hand' : 'someone';
}

/** The forecast of a limit among reasons, s from its making; null = no limit in sight. */
export interface TimeToLimit {
  expectedS: number;
  earliestS: number | null;
  latestS: number | null;
}

/** The soonest limit that the reasons forecast. */
export function timeToLimit(reasons: readonly ReasonPart[]): TimeToLimit | null {
  const forecasts = reasons.flatMap(({ said }) => {
    const { expected_s, earliest_s, latest_s } = said?.values ?? {};
    return typeof expected_s === 'number'
      ? [{ expectedS: expected_s, earliestS: numberOf(earliest_s), latestS: numberOf(latest_s) }]
      : [];
  });
  return forecasts.sort((a, b) => a.expectedS - b.expectedS)[0] ?? null;
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Evidence as a multiple of the alarm level; null where none is known. */
export function evidenceRatio(of: {
  evidence?: number | null;
  alarm_level?: number | null;
}): number | null {
  return of.evidence == null || !of.alarm_level ? null : of.evidence / of.alarm_level;
}

/** The machines of a plant by need, each group in the order to look at them. */
export function byNeed(machines: readonly Machine[]): Record<Need, Machine[]> {
  const groups: Record<Need, Machine[]> = { someone: [], hand: [], quiet: [] };
  for (const machine of machines) groups[needOf(machine)].push(machine);
  groups.someone.sort(mostUrgentFirst);
  groups.hand.sort(mostUrgentFirst);
  return groups;
}

/** Worst condition, then the soonest limit, then the most evidence. */
function mostUrgentFirst(a: Machine, b: Machine): number {
  const severity = (machine: Machine) =>
    ['alarm', 'warning'].indexOf(shownCondition(machine)) === -1
      ? machine.alarm.state === 'normal'
        ? 3
        : 2
      : ['alarm', 'warning'].indexOf(shownCondition(machine));
  const limit = (machine: Machine) => timeToLimit(machine.reasons)?.expectedS ?? Infinity;
  return (
    severity(a) - severity(b) ||
    Math.sign(limit(a) - limit(b) || 0) ||
    (evidenceRatio(b) ?? 0) - (evidenceRatio(a) ?? 0) ||
    worstFirst(a, b)
  );
}
