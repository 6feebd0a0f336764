import type { Point } from '../api/client';

/** The kinds of machine that a sketch can show; others are drawn as a motor. */
export type SketchKind = 'motor' | 'pump' | 'fan' | 'gearbox';

const KIND_WORDS: readonly (readonly [SketchKind, RegExp])[] = [
  ['gearbox', /gear|getriebe/i],
  ['fan', /fan|blower|lüfter|ventilator|gebläse/i],
  ['pump', /pump/i],
];

/** What is driven, by the names of the machine and its points; a motor alone if they name none. */
export function sketchKind(names: string, gearTeeth: number): SketchKind {
  const named = KIND_WORDS.find(([, words]) => words.test(names));
  return named ? named[0] : gearTeeth > 0 ? 'gearbox' : 'motor';
}

type Named = Pick<Point, 'point' | 'name'>;

/** A point's place on the sketch, in its 320 × 134 units. */
export interface Place {
  x: number;
  y: number;
}

/** The place as CSS, over a drawing of any size. */
export const onSketch = ({ x, y }: Place): string =>
  `left: ${String(x / 3.2)}%; top: ${String(y / 1.34)}%`;

/** Bearings along the shaft, from the motor's free end to the driven end: 1 to 4 in ISO 13373-1. */
const BEARINGS_X = [62, 138, 206, 274] as const;
/** Axial, horizontal, vertical: beside, in front of, and above the bearing. */
const OFFSETS = { A: [-13, 4], H: [0, 16], V: [0, -24] } as const;
const SHAFT_Y = 66;

/**
 * Where a point is, by its id or name: `DE` or `NDE` (drive end, non-drive end) of the motor or of
 * the driven machine, or `bearing 1` to `4`, with `H`, `V` or `A` for the direction.
 *
 * A point that names no machine is on the one that `kind` says is monitored; null where no end and
 * no bearing is named.
 */
export function placeOf(point: Named, kind: SketchKind): Place | null {
  const names = `${point.point} ${point.name}`.toUpperCase().replace(/[^A-ZÄÖÜ0-9]+/g, ' ');
  const bearing = bearingOf(names, kind);
  if (bearing === null) return null;
  const [dx, dy] = OFFSETS[directionOf(names)];
  return { x: (BEARINGS_X[bearing] ?? 0) + dx, y: SHAFT_Y + dy };
}

function bearingOf(names: string, kind: SketchKind): number | null {
  const end = endOf(names);
  if (end !== null) {
    const driven = kind !== 'motor' && !/\bM(OTOR)?\b|MOTOR/.test(names);
    return driven ? (end === 'DE' ? 2 : 3) : end === 'DE' ? 1 : 0;
  }
  const number = /\b(?:(?:BEARING|BRG|LAGER) ?([1-4])|([1-4])[HVA])\b/.exec(names);
  const bearing = Number(number?.[1] ?? number?.[2] ?? NaN) - 1;
  return bearing < (kind === 'motor' ? 2 : 4) ? bearing : null;
}

function endOf(names: string): 'DE' | 'NDE' | null {
  if (/\bNDE[HVA]?\b|NON DRIVE|NICHTANTRIEB|\bB SEITE/.test(names)) return 'NDE';
  if (/\bDE[HVA]?\b|DRIVE END|ANTRIEBSSEITE|\bA SEITE/.test(names)) return 'DE';
  return null;
}

function directionOf(names: string): keyof typeof OFFSETS {
  const letter = /(?:\b|DE|[1-4])([HVA])\b(?! SEITE)/.exec(names)?.[1];
  if (letter) return letter as keyof typeof OFFSETS;
  if (names.includes('AXIAL')) return 'A';
  return names.includes('HORI') ? 'H' : 'V';
}

/** Parts points with a known place, none on another, from those to list without one. */
export function arrange<P extends Named>(
  points: readonly P[],
  kind: SketchKind,
): { placed: (Place & { point: P })[]; listed: P[] } {
  const placed: (Place & { point: P })[] = [];
  const listed: P[] = [];
  for (const point of points) {
    const place = placeOf(point, kind);
    if (place === null) {
      listed.push(point);
      continue;
    }
    while (placed.some(({ x, y }) => x === place.x && y === place.y)) place.x += 16;
    placed.push({ ...place, point });
  }
  return { placed, listed };
}
