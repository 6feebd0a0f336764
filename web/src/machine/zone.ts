import type { ZonesPart } from '../api/client';

export const ZONES = ['A', 'B', 'C', 'D'] as const;
export type Zone = (typeof ZONES)[number];

/** The zone of ISO 20816 that an r.m.s. velocity is in, mm/s. */
export function zoneOf(velocity: number, { ab, bc, cd }: ZonesPart): Zone {
  return velocity > cd ? 'D' : velocity > bc ? 'C' : velocity > ab ? 'B' : 'A';
}
