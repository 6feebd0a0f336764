import type uPlot from 'uplot';
import type { FeatureTrends, TrendSeries } from '../api/client';

/** A gap of more steps than this is drawn as a gap. */
const GAP_STEPS = 4;

/** Columns of a trend for uPlot: time in s, minimum, mean, maximum; null in a gap. */
export function trendColumns(
  trend: Pick<FeatureTrends, 't_ms'>,
  series: Pick<TrendSeries, 'minimum' | 'mean' | 'maximum'>,
): uPlot.AlignedData {
  const steps = trend.t_ms.slice(1).map((ms, i) => ms - (trend.t_ms[i] ?? ms));
  const usual = [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  const t: number[] = [];
  const values: (number | null)[][] = [[], [], []];
  trend.t_ms.forEach((ms, i) => {
    const before = trend.t_ms[i - 1];
    if (before !== undefined && ms - before > GAP_STEPS * usual) {
      t.push((before + usual) / 1000);
      values.forEach((column) => column.push(null));
    }
    t.push(ms / 1000);
    [series.minimum, series.mean, series.maximum].forEach((column, k) =>
      values[k]?.push(column[i] ?? null),
    );
  });
  return [t, ...values] as uPlot.AlignedData;
}
