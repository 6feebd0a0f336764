import type { Words } from './words';

/** Families of which each line has a level, a prominence and sidebands. */
const PART = /^(bpfo|bpfi|bsf|ftf|gear_mesh)_(level|prominence|sidebands)$/;
const NUMBERED = /^(.*_)(\d+(?:\.\d+)?)(k?hz|x)?$/;

/**
 * A feature's name for people, without its unit: the unit follows the number. An unknown feature
 * keeps its own name, spelt out.
 */
export function featureName(feature: string, unit: string, words: Words): string {
  const named = (name: string, n = '') => words.part(`feature-${name}`, { n });
  const bare = withoutUnit(feature, unit);
  const own = ownBand(feature);
  if (own) return `${named('rms') ?? ''} ${own.join('–')}\u00a0Hz`;
  const part = PART.exec(bare);
  if (part) return `${named(part[1] ?? '') ?? ''}: ${named(part[2] ?? '') ?? ''}`;
  const [, family = '', number = '', kind] = NUMBERED.exec(bare) ?? [];
  const known = named(bare) ?? named(`${family}n`, place(number, kind));
  if (known) return known;
  const spelt = bare.replace(/_/g, ' ').replace(/\brms\b/g, 'RMS');
  return spelt.charAt(0).toUpperCase() + spelt.slice(1);
}

/** Edges of a band that people chose, Hz; null for a feature. */
export function ownBand(feature: string): [lowHz: number, highHz: number] | null {
  const match = /^rms_(\d+(?:\.\d+)?)_(\d+(?:\.\d+)?)hz$/.exec(feature);
  return match && [Number(match[1]), Number(match[2])];
}

/** The name by which a limit is on the r.m.s. between two edges. */
export const ownBandName = (lowHz: number, highHz: number): string =>
  `rms_${String(lowHz)}_${String(highHz)}hz`;

function withoutUnit(feature: string, unit: string): string {
  const suffix = `_${unit.replace('/', '_').replace('²', '2').replace('µ', 'u').replace('°', '').toLowerCase()}`;
  return unit && feature.endsWith(suffix) ? feature.slice(0, -suffix.length) : feature;
}

/** A frequency as a quantity, an order or a band's number as it is counted from 1. */
function place(number: string, kind: string | undefined): string {
  if (kind === 'hz') return `${number}\u00a0Hz`;
  if (kind === 'khz') return `${number}\u00a0kHz`;
  return kind === 'x' ? number : String(Number(number) + 1);
}
