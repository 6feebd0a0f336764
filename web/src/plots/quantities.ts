import type { Spectrum, SpectrumBand } from '../api/client';

/** What a vibration is shown as; an acceleration or a velocity can be turned into the others. */
export const QUANTITIES = ['measured', 'acceleration', 'velocity', 'displacement'] as const;
export type Quantity = (typeof QUANTITIES)[number];

/** Units in SI, and how often a signal in them is to be integrated to be a displacement. */
const KNOWN: Record<string, { si: number; order: 0 | 1 | 2 }> = {
  g: { si: 9.80665, order: 2 },
  'm/s2': { si: 1, order: 2 },
  'm/s²': { si: 1, order: 2 },
  'mm/s2': { si: 1e-3, order: 2 },
  'm/s': { si: 1, order: 1 },
  'mm/s': { si: 1e-3, order: 1 },
};
const SHOWN = {
  acceleration: { unit: 'm/s2', per: 1, order: 2 },
  velocity: { unit: 'mm/s', per: 1e3, order: 1 },
  displacement: { unit: 'um', per: 1e6, order: 0 },
} as const;

/** Below this frequency an integral is mostly drift of the sensor, Hz. */
export const INTEGRATE_FROM_HZ = 5;

/** How a unit becomes a quantity: a factor, and integrations (negative = differentiations). */
export interface Conversion {
  unit: string;
  factor: number;
  integrations: number;
}

/** The conversion of a unit to a quantity; null where the unit is none of vibration. */
export function conversion(unit: string, to: Quantity): Conversion | null {
  if (to === 'measured') return { unit, factor: 1, integrations: 0 };
  const from = KNOWN[unit];
  if (!from) return null;
  const shown = SHOWN[to];
  return {
    unit: shown.unit,
    factor: from.si * shown.per,
    integrations: from.order - shown.order,
  };
}

/** Amplitudes over frequency, converted; an integral has no values below 5 Hz. */
export function converted(
  values: readonly number[],
  f0Hz: number,
  dfHz: number,
  { factor, integrations }: Conversion,
): number[] {
  if (integrations === 0) return values.map((value) => value * factor);
  return values.map((value, i) => {
    const hz = f0Hz + i * dfHz;
    if (integrations > 0 && hz < INTEGRATE_FROM_HZ) return 0;
    return value * factor * (2 * Math.PI * hz) ** -integrations;
  });
}

/** dB per factor of ten: an envelope spectrum is of the squared envelope, so of a power. */
const DB_PER_DECADE: Record<Spectrum['kind'], number> = { spectrum: 20, envelope: 10 };

/** A ratio of two values of a kind of spectrum in dB. */
export const decibels = (ratio: number, kind: Spectrum['kind']): number =>
  DB_PER_DECADE[kind] * Math.log10(ratio);

/** The ratio of two values of a kind of spectrum that are so many dB apart. */
export const ratioOf = (db: number, kind: Spectrum['kind']): number =>
  10 ** (db / DB_PER_DECADE[kind]);

/** What a spectrum can be shown as; only itself where it is no spectrum of vibration. */
export const quantitiesOf = ({ kind, unit }: Spectrum): Quantity[] =>
  QUANTITIES.filter((one) => kind === 'spectrum' && conversion(unit, one));

/** A spectrum in a quantity; unchanged where its unit is none of vibration. */
export function spectrumIn(to: Quantity, spectrum: Spectrum): Spectrum {
  const change = conversion(spectrum.unit, to);
  if (to === 'measured' || !change) return spectrum;
  const { values, f0_hz, df_hz } = spectrum;
  return { ...spectrum, values: converted(values, f0_hz, df_hz, change), unit: change.unit };
}

/** A healthy band in a quantity, as `spectrumIn`. */
export function bandIn(to: Quantity, band: SpectrumBand): SpectrumBand {
  const change = conversion(band.unit, to);
  if (to === 'measured' || !change) return band;
  const turned = (values: number[]) => converted(values, band.f0_hz, band.df_hz, change);
  const [low, median, high] = [turned(band.low), turned(band.median), turned(band.high)];
  return { ...band, low, median, high, unit: change.unit };
}

/** What a frequency axis shows. */
export const AXES = ['hz', 'cpm', 'orders'] as const;
export type AxisUnit = (typeof AXES)[number];

/** Factor from Hz to a unit of the axis. */
export const perHz = (axis: AxisUnit, shaftHz: number): number =>
  axis === 'cpm' ? 60 : axis === 'orders' && shaftHz > 0 ? 1 / shaftHz : 1;

export const AXIS_NAMES: Record<AxisUnit, string> = { hz: 'Hz', cpm: 'CPM', orders: '×' };

/** A local maximum of a spectrum. */
export interface Peak {
  line: number;
  hz: number;
  value: number;
  /** Multiple of the upper edge of the healthy band; null without one. */
  overHealthy: number | null;
}

/** The largest local maxima, by size. */
export function peaks(
  values: readonly number[],
  f0Hz: number,
  dfHz: number,
  high: readonly number[] | null,
  most = 10,
): Peak[] {
  const found: Peak[] = [];
  const floor = 0.02 * Math.max(...values.slice(1), 0);
  for (let i = 2; i < values.length - 1; i++) {
    const value = values[i] ?? 0;
    if (value < floor || value < (values[i - 1] ?? 0) || value <= (values[i + 1] ?? 0)) continue;
    const healthy = high?.[i];
    const overHealthy = healthy ? value / healthy : null;
    found.push({ line: i, hz: f0Hz + i * dfHz, value, overHealthy });
  }
  return found.sort((a, b) => b.value - a.value).slice(0, most);
}

/** The largest value within one line of a frequency. */
export function valueAt(values: readonly number[], f0Hz: number, dfHz: number, hz: number): number {
  const at = Math.round((hz - f0Hz) / dfHz);
  return Math.max(...[at - 1, at, at + 1].map((i) => values[i] ?? 0));
}
