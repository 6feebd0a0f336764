import type uPlot from 'uplot';
import type { Spectrum, SpectrumBand } from '../api/client';

function frequencies({ values, f0_hz, df_hz }: Spectrum, perHz: number): number[] {
  return values.map((_, i) => (f0_hz + i * df_hz) * perHz);
}

interface Lines {
  f0_hz: number;
  df_hz: number;
  unit: string;
}

/** Whether two spectra have the same lines and unit, so that one plot can show both. */
export function alike(one: Lines & { values: number[] }, other: Lines, lines: number): boolean {
  return (
    other.df_hz === one.df_hz &&
    other.f0_hz === one.f0_hz &&
    lines === one.values.length &&
    other.unit === one.unit
  );
}

/**
 * A spectrum on the lines of another, in its unit: `stretch` is how many times its frequencies are
 * those of the other (the ratio of two shaft speeds compares by order). No peak is lost where its
 * lines are finer; null where it has none. Null as a whole where the units differ.
 */
export function onLinesOf(
  shown: Spectrum,
  other: Spectrum,
  stretch = 1,
): { unit: string; values: (number | null)[] } | null {
  if (other.unit !== shown.unit || other.kind !== shown.kind) return null;
  const { values, f0_hz, df_hz, unit } = other;
  if (stretch === 1 && alike(shown, other, values.length)) return { unit, values };
  const half = (shown.df_hz * stretch) / 2 / df_hz;
  return {
    unit,
    values: shown.values.map((_, i) => {
      const at = ((shown.f0_hz + i * shown.df_hz) * stretch - f0_hz) / df_hz;
      const [from, to] = [Math.ceil(at - half), Math.floor(at + half)];
      if (at < 0 || at > values.length - 1) return null;
      if (from <= to) return Math.max(...values.slice(Math.max(0, from), to + 1));
      const [low, high] = [values[Math.floor(at)] ?? 0, values[Math.ceil(at)] ?? 0];
      return low + (at - Math.floor(at)) * (high - low);
    }),
  };
}

/** Columns for uPlot: frequency in the unit of the axis, a spectrum, another, and a healthy band of the same lines. */
export function layeredColumns(
  spectrum: Spectrum,
  other: { values: (number | null)[] } | null,
  band: Pick<SpectrumBand, 'low' | 'high'> | null,
  perHz = 1,
): uPlot.AlignedData {
  return [
    frequencies(spectrum, perHz),
    spectrum.values,
    ...(other ? [other.values] : []),
    ...(band ? [band.low, band.high] : []),
  ];
}

/** The line with the largest amplitude within ±`span` lines: where the cursor goes. */
export function nearestPeak(values: readonly number[], at: number, span: number): number {
  let best = Math.min(Math.max(at, 0), values.length - 1);
  const from = Math.max(0, at - span);
  const to = Math.min(values.length - 1, at + span);
  for (let i = from; i <= to; i++) if ((values[i] ?? 0) > (values[best] ?? 0)) best = i;
  return best;
}

/** Frequencies of a fundamental's harmonics up to the end of the spectrum. */
export function harmonics(fundamentalHz: number, endHz: number, most = 20): number[] {
  if (!(fundamentalHz > 0)) return [];
  const count = Math.min(most, Math.floor(endHz / fundamentalHz));
  return Array.from({ length: count }, (_, i) => (i + 1) * fundamentalHz);
}
