import type { LimitSettings } from '../api/client';

/** What is wrong with a limit; checked before the request. */
export type LimitFault = 'empty' | 'order' | 'band';

/** A limit needs a level, and its warning comes before its alarm on the way to the bad side. */
export function faultOf({ feature, warning, alarm, direction }: LimitSettings): LimitFault | null {
  const [lowHz, highHz] = ownBand(feature) ?? [0, 1];
  if (lowHz >= highHz) return 'band';
  const set = [warning, alarm].filter((level): level is number => level != null);
  if (set.length === 0) return 'empty';
  if (set.length < 2) return null;
  const [first = 0, second = 0] = set;
  const sign = direction === 'below' ? -1 : 1;
  return sign * first > sign * second ? 'order' : null;
}

const OWN_BAND = /^rms_(\d+(?:\.\d+)?)_(\d+(?:\.\d+)?)hz$/;

/** Edges of a band that people chose, Hz; null for a feature. */
export function ownBand(feature: string): [lowHz: number, highHz: number] | null {
  const match = OWN_BAND.exec(feature);
  return match && [Number(match[1]), Number(match[2])];
}

/** The name by which a limit is on the r.m.s. between two edges. */
export const ownBandName = (lowHz: number, highHz: number): string =>
  `rms_${String(lowHz)}_${String(highHz)}hz`;
