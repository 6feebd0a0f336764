import type { Point } from '../api/client';

/** The shapes that a sketch can show; a machine whose kind is not known is a plain train. */
export type SketchKind = 'motor' | 'pump' | 'fan' | 'gearbox';

const WORDS: readonly (readonly [SketchKind, RegExp])[] = [
  ['gearbox', /gear|getriebe/i],
  ['fan', /fan|blower|lüfter|ventilator|gebläse/i],
  ['pump', /pump/i],
];

/** What is driven, by the machine's name; a motor alone where it says nothing. */
export function sketchKind(name: string, gearTeeth: number): SketchKind {
  const said = WORDS.find(([, words]) => words.test(name));
  return said ? said[0] : gearTeeth > 0 ? 'gearbox' : 'motor';
}

/** A point's place on the sketch, in its 320 × 130 units. */
export interface Place {
  x: number;
  y: number;
}

/** Along the shaft, from the motor's free end to the driven end: 1 to 4 as ISO 13373 counts. */
const BEARINGS_X = [62, 138, 206, 274] as const;
/** Axial, horizontal, vertical: beside, in front of, and above the bearing. */
const OFFSETS = { A: [-13, 4], H: [0, 16], V: [0, -24] } as const;
const SHAFT_Y = 66;

/**
 * Where a point sits by its id or name: `DE`/`NDE` (drive end, non-drive end) or a bearing's
 * number, with `H`, `V` or `A` for its direction; null where neither says.
 */
export function placeOf(point: Pick<Point, 'point' | 'name'>): Place | null {
  const said = `${point.point} ${point.name}`.toUpperCase();
  const bearing = bearingOf(said);
  if (bearing === null) return null;
  const direction = directionOf(said);
  const [dx, dy] = OFFSETS[direction];
  return { x: (BEARINGS_X[bearing] ?? 0) + dx, y: SHAFT_Y + dy };
}

function bearingOf(said: string): number | null {
  if (/\bNDE|NON.?DRIVE|NICHTANTRIEB|B-SEITE/.test(said)) return 0;
  if (/\bDE\b|\bDE[-_ ]|DRIVE END|ANTRIEBSSEITE|A-SEITE/.test(said)) return 1;
  const number = /\b[A-Z]{0,2}[-_ ]?([1-4])[HVA]?\b/.exec(said)?.[1];
  return number === undefined ? null : Number(number) - 1;
}

function directionOf(said: string): keyof typeof OFFSETS {
  const letter = /(?:[-_ \d])([HVA])\b/.exec(said)?.[1];
  if (letter) return letter as keyof typeof OFFSETS;
  if (said.includes('AXIAL')) return 'A';
  return said.includes('HORI') ? 'H' : 'V';
}

/** Places of all points: those that say nothing stand in a row below; none covers another. */
export function places(points: readonly Pick<Point, 'point' | 'name'>[]): Place[] {
  const taken = new Set<string>();
  let unplaced = 0;
  return points.map((point) => {
    const place = placeOf(point) ?? { x: 30 + 30 * unplaced++, y: 118 };
    while (taken.has(`${String(place.x)} ${String(place.y)}`)) place.x += 16;
    taken.add(`${String(place.x)} ${String(place.y)}`);
    return place;
  });
}
