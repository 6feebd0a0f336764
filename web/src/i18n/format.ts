/** Numbers, units and times as people of the field write them, in the page's language. */

import { wallTime } from './zone';

const UNIT_NAMES: Record<string, string> = {
  'm/s2': 'm/s²',
  'mm/s2': 'mm/s²',
  '1': '',
  ratio: '',
  um: 'µm',
  deg: '°',
  degC: '°C',
  percent: '%',
};

/** Units that a language writes in its own way. */
const LOCAL_UNIT_NAMES: Record<string, Record<string, string>> = {
  'de-DE': { 'r/min': 'U/min' },
};

/** The unit as printed; empty where the source states none. */
export function unitName(unit: string, locale: string): string {
  if (unit.startsWith('as_delivered')) return '';
  // The square of a unit with an exponent, as of an envelope spectrum: (m/s²)².
  if (unit.endsWith('2²')) return `(${unitName(unit.slice(0, -1), locale)})²`;
  return LOCAL_UNIT_NAMES[locale]?.[unit] ?? UNIT_NAMES[unit] ?? unit;
}

/** A measured value with three significant digits, no unit. */
export function figure(value: number, locale: string): string {
  return plain(value, locale).replace('-', '−');
}

function plain(value: number, locale: string): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) {
    const exponent = Math.floor(Math.log10(size));
    const mantissa = figure(value / 10 ** exponent, locale);
    return `${mantissa}\u00a0×\u00a010${superscript(exponent)}`;
  }
  return value.toLocaleString(locale, {
    maximumSignificantDigits: size >= 1000 ? 4 : 3,
    useGrouping: size >= 10_000,
  });
}

/** A number of things: every digit counts, grouped from 10,000 on. */
export function count(n: number, locale: string): string {
  return n.toLocaleString(locale, { useGrouping: Math.abs(n) >= 10_000 }).replace('-', '−');
}

export function superscript(exponent: number): string {
  const signs = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  return String(exponent).replace(/./g, (sign) =>
    sign === '-' ? '⁻' : (signs[Number(sign)] ?? ''),
  );
}

/** A measured value with its unit, parted by a narrow no-break space. */
export function quantity(value: number, unit: string, locale: string): string {
  const name = unitName(unit, locale);
  return name ? `${figure(value, locale)}\u00a0${name}` : figure(value, locale);
}

/** A share 0..1 as per cent, never rounded up to 100 before it is complete. */
export function percent(share: number, locale: string, digits = 0): string {
  const factor = 10 ** (digits + 2);
  const shown = share < 1 ? Math.floor(share * factor) / factor : 1;
  return shown.toLocaleString(locale, { style: 'percent', maximumFractionDigits: digits });
}

const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A time of day today, else day and time. Fine: seconds within the last hour. */
export function moment(
  ms: number,
  locale: string,
  now: number,
  fine = true,
  timeZone?: string,
): string {
  const today = wallTime(ms, timeZone).slice(0, 10) === wallTime(now, timeZone).slice(0, 10);
  return new Date(ms).toLocaleString(locale, {
    timeZone,
    ...(today ? {} : { day: 'numeric', month: 'short' }),
    ...(Math.abs(now - ms) > 300 * DAY_MS ? { year: 'numeric' } : {}),
    hour: '2-digit',
    minute: '2-digit',
    ...(fine && Math.abs(now - ms) < HOUR_MS ? { second: '2-digit' } : {}),
  });
}

/** Full date and time with the zone, for titles and evidence. */
export function fullMoment(ms: number, locale: string, timeZone?: string): string {
  return new Date(ms).toLocaleString(locale, {
    timeZone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
}

/** The date alone, written out. */
export function fullDay(ms: number, locale: string, timeZone?: string): string {
  return new Date(ms).toLocaleDateString(locale, { dateStyle: 'long', timeZone });
}

/** A zone as the language names it, e.g. `CET` or `MEZ`. */
export function zoneName(locale: string, now: number, timeZone?: string): string {
  const named = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' });
  const parts = named.formatToParts(now);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? 'UTC';
}

/** A duration in its two largest useful units: `42 s`, `5 min`, `3 h 10 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  const s = Math.max(0, ms);
  if (s < MINUTE_MS) return `${String(Math.floor(s / SECOND_MS))}\u00a0s`;
  if (s < HOUR_MS) return `${String(Math.floor(s / MINUTE_MS))}\u00a0min`;
  const [big, small, bigName, smallName] =
    s < DAY_MS
      ? [Math.floor(s / HOUR_MS), Math.floor((s % HOUR_MS) / MINUTE_MS), 'h', 'min']
      : [Math.floor(s / DAY_MS), Math.floor((s % DAY_MS) / HOUR_MS), 'd', 'h'];
  const head = `${String(big)}\u00a0${bigName}`;
  return small ? `${head} ${String(small)}\u00a0${smallName}` : head;
}

/** An amount of memory or disk from megabytes. */
export function megabytes(mb: number, locale: string): string {
  return mb >= 1000 ? `${figure(mb / 1000, locale)}\u00a0GB` : `${figure(mb, locale)}\u00a0MB`;
}
