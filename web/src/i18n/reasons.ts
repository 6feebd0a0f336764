import type { Point, Reason } from '../api/client';
import { WORST_FIRST } from '../state/severity';

/** A reason with all points that give it in the same words. */
export interface Statement {
  reason: Reason;
  points: string[];
}

/** Joins reasons whose `text` is the same: four sensors on one shaft are one statement. */
export function statements(
  reasons: readonly Reason[],
  text: (reason: Reason) => string,
): Statement[] {
  const joined = new Map<string, Statement>();
  for (const reason of reasons) {
    const key = `${reason.kind} ${reason.condition} ${text(reason)}`;
    const known = joined.get(key);
    if (known && reason.point) known.points.push(reason.point);
    else if (!known) joined.set(key, { reason, points: reason.point ? [reason.point] : [] });
  }
  return [...joined.values()];
}

/** What people call a point: its name, or its id where it has none or is not known. */
export function pointName(points: readonly Pick<Point, 'point' | 'name'>[], id: string): string {
  return points.find((point) => point.point === id)?.name || id;
}

/** The reason to name where there is room for one: the gravest, of these one that names a fault. */
export function gravest(reasons: readonly Reason[]): Reason | undefined {
  const rank = (reason: Reason) =>
    2 * WORST_FIRST.indexOf(reason.condition) + (reason.fault ? 0 : 1);
  return [...reasons].sort((a, b) => rank(a) - rank(b))[0];
}

/** Words as a sentence: a capital first, real minus signs, and units
 * that stay with their numbers. */
export function sentence(text: string): string {
  const proper = text
    .replace(/(^|[\s(])-(?=\d)/g, '$1−')
    .replace(/(\d) (?=(dB|k?Hz|mm\/s|m\/s²|g|σ|%|r\/min)(?!\w))/g, '$1\u00a0');
  return proper.charAt(0).toUpperCase() + proper.slice(1);
}
