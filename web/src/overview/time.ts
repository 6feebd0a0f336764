import { figure, t } from '../i18n/i18n.svelte';

const UNITS = [
  ['months', 30.44 * 86_400],
  ['weeks', 7 * 86_400],
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const;

/** A coming time in one unit as people plan: `9 days`, `5 weeks`. */
export function ahead(s: number): string {
  const [unit, lengthS] = unitOf(s);
  const n = Math.max(1, Math.round(s / lengthS));
  return t().units_of_time[unit](n, figure(n));
}

/** Both ends of an interval in the unit of its end: `6 to 14 days`. */
export function between(fromS: number, toS: number): string {
  const [unit, lengthS] = unitOf(toS);
  const from = figure(Math.max(0, Math.round(fromS / lengthS)));
  const n = Math.round(toS / lengthS);
  return t().overview.range(from, t().units_of_time[unit](n, figure(n)));
}

function unitOf(s: number): (typeof UNITS)[number] {
  return (
    UNITS.find(([, lengthS]) => s >= 2 * lengthS) ?? UNITS[UNITS.length - 1] ?? ['minutes', 60]
  );
}
