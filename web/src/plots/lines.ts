import type uPlot from 'uplot';
import type { Spectrum } from '../api/client';

/** Columns of a spectrum for uPlot: frequency in Hz, amplitude. */
export function spectrumColumns(spectrum: Spectrum): uPlot.AlignedData {
  return [frequencies(spectrum), spectrum.values];
}

function frequencies({ values, f0_hz, df_hz }: Spectrum): number[] {
  return values.map((_, i) => f0_hz + i * df_hz);
}

/** Columns of two spectra of the same lines; null where they can't be laid over each other. */
export function comparedColumns(
  spectrum: Spectrum,
  other: Spectrum | null | undefined,
): uPlot.AlignedData | null {
  if (!other) return null;
  const alike =
    other.df_hz === spectrum.df_hz &&
    other.f0_hz === spectrum.f0_hz &&
    other.values.length === spectrum.values.length &&
    other.unit === spectrum.unit;
  return alike ? [frequencies(spectrum), spectrum.values, other.values] : null;
}

/** The line of the largest amplitude within ±`span` lines: where a cursor wants to sit. */
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
