import type { BearingPart } from '../api/client';
import { harmonics } from './lines';

/** A line to draw in a spectrum; its name is drawn if there is room. */
export interface MarkedLine {
  hz: number;
  name: string;
  /** The line itself, not one of its harmonics or sidebands. */
  main: boolean;
}

/** A note as a plot writes it; the list of notes has all of its text. */
export const noteName = (text: string): string =>
  `✎ ${text.length > 24 ? `${text.slice(0, 23)}…` : text}`;

/** Takes the first row in which a name from one place to another touches none; -1: no room. */
export function takeRow(rows: [from: number, to: number][][], from: number, to: number): number {
  const row = rows.findIndex((taken) => taken.every(([left, right]) => to < left || from > right));
  rows[row]?.push([from, to]);
  return row;
}

/** What the cursor shows: one line, its harmonics, or sidebands. */
export const CURSORS = ['single', 'harmonics', 'sidebands'] as const;
export type CursorMode = (typeof CURSORS)[number];

const SIDEBANDS = 5;

/** The lines of the cursor: one, its multiples, or equally spaced neighbours. */
export function cursorLines(
  hz: number | null,
  mode: CursorMode,
  spacingHz: number,
  endHz: number,
): MarkedLine[] {
  if (hz === null) return [];
  const main = { hz, name: '1×', main: true };
  if (mode === 'harmonics') {
    return harmonics(hz, endHz).map((at, i) => ({
      hz: at,
      name: `${String(i + 1)}×`,
      main: i === 0,
    }));
  }
  if (mode === 'single' || !(spacingHz > 0)) return [{ ...main, name: '' }];
  const beside = Array.from({ length: 2 * SIDEBANDS + 1 }, (_, i) => i - SIDEBANDS)
    .filter((k) => k !== 0)
    .map((k) => ({
      hz: hz + k * spacingHz,
      name: `${k > 0 ? '+' : '−'}${String(Math.abs(k))}`,
      main: false,
    }));
  return [{ ...main, name: '0' }, ...beside]
    .filter((line) => line.hz > 0 && line.hz <= endHz)
    .sort((a, b) => a.hz - b.hz);
}

/** The frequencies of a machine part, in orders of the shaft speed. */
export interface Family {
  id: string;
  name: string;
  orders: { name: string; order: number }[];
}

/** Fault frequencies of a bearing by their usual names. */
const BEARING_LINES = [
  ['bpfo', 'BPFO'],
  ['bpfi', 'BPFI'],
  ['bsf', 'BSF'],
  ['ftf', 'FTF'],
] as const;

/** The families of a machine: its shaft, each bearing, each gear. */
export function families(
  shaft: string,
  mesh: (teeth: number) => string,
  bearings: readonly BearingPart[],
  gearTeeth: readonly number[],
): Family[] {
  return [
    { id: 'shaft', name: shaft, orders: [{ name: '1×', order: 1 }] },
    ...bearings.map((bearing, i) => ({
      id: `bearing-${String(i)}`,
      name: bearing.name,
      orders: BEARING_LINES.flatMap(([key, name]) => {
        const order = bearing[key];
        return order == null ? [] : [{ name, order }];
      }),
    })),
    ...gearTeeth.map((teeth) => ({
      id: `gear-${String(teeth)}`,
      name: mesh(teeth),
      orders: [{ name: 'GMF', order: teeth }],
    })),
  ];
}

/** A period of a machine's part in a signal over time. */
export interface Period {
  /** `family/line`, e.g. `bearing-0/BPFO`. */
  id: string;
  name: string;
  s: number;
}

/** The periods of all lines of the families at a shaft speed. */
export const periodsOf = (all: readonly Family[], shaftHz: number): Period[] =>
  shaftHz > 0
    ? all.flatMap((family) =>
        family.orders.map(({ name, order }) => ({
          id: `${family.id}/${name}`,
          name: family.id === 'shaft' ? family.name : `${family.name} ${name}`,
          s: 1 / (order * shaftHz),
        })),
      )
    : [];

/** Times from 0 to an end that are whole periods from a time. */
export function periodMarks(fromS: number, periodS: number, endS: number): number[] {
  if (!(periodS > 0)) return [];
  const first = fromS - Math.floor(fromS / periodS) * periodS;
  return Array.from(
    { length: Math.max(0, Math.floor((endS - first) / periodS) + 1) },
    (_, k) => first + k * periodS,
  );
}

const FAMILY_HARMONICS = 5;

/** A family's lines at a shaft speed, each with its first harmonics. */
export function familyLines(family: Family, shaftHz: number, endHz: number): MarkedLine[] {
  return family.orders
    .flatMap(({ name, order }) =>
      harmonics(order * shaftHz, endHz, FAMILY_HARMONICS).map((hz, i) => ({
        hz,
        name: i === 0 ? name : '',
        main: i === 0,
      })),
    )
    .sort((a, b) => a.hz - b.hz);
}

/** How far a family's first harmonics reach, Hz. */
export function familyReachHz(family: Family, shaftHz: number): number {
  return FAMILY_HARMONICS * shaftHz * Math.max(...family.orders.map((line) => line.order), 0);
}

export const ZOOMS_HZ = [10_000, 5000, 2000, 1000, 500, 200];

/** Ends of a zoomed frequency axis, Hz, widest first. */
export function zoomsBelow(endHz: number): number[] {
  return ZOOMS_HZ.filter((hz) => hz < 0.8 * endHz);
}
