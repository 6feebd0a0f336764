import type uPlot from 'uplot';
import type { Spectrum } from '../api/client';

/** Columns of a spectrum for uPlot: frequency in Hz, amplitude. */
export function spectrumColumns(spectrum: Spectrum): uPlot.AlignedData {
  const frequencies = spectrum.values.map((_, i) => spectrum.f0_hz + i * spectrum.df_hz);
  return [frequencies, spectrum.values];
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
