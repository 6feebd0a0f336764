import uPlot from 'uplot';
import type { CascadePart, RunUpView } from '../api/client';

/** The rows of a cascade over Hz instead of orders, all up to the same frequency. */
export function inHz({ speed_rpm, order_step, values }: CascadePart): {
  endHz: number;
  rows: number[][];
} {
  const columns = values[0]?.length ?? 0;
  const endHz = (columns * order_step * Math.max(0, ...speed_rpm)) / 60;
  const rows = values.map((row, i) => {
    const perColumn = ((endHz / columns) * 60) / (speed_rpm[i] ?? 1) / order_step;
    return row.map((_, column) => row[Math.round(column * perColumn)] ?? 0);
  });
  return { endHz, rows };
}

/** A curve over the speed, and beside it that of another run. */
export function overSpeed(
  run: RunUpView,
  other: RunUpView | undefined,
  curve: (run: RunUpView) => readonly number[],
): uPlot.AlignedData {
  const own: uPlot.AlignedData = [run.speed_rpm, [...curve(run)]];
  return other ? uPlot.join([own, [other.speed_rpm, [...curve(other)]]]) : own;
}

/** The phase in degrees, by whole turns as near to that of a reference as it can be at the start. */
export function phaseBeside(run: RunUpView, reference: RunUpView): number[] {
  const [first = 0] = run.phase_deg ?? [];
  const [of = 0] = reference.phase_deg ?? [];
  const turns = Math.round((of - first) / 360) * 360;
  return (run.phase_deg ?? []).map((deg) => deg + turns);
}

/** Corners of a polar plot: 0° on the right, a lag turns clockwise; y points down as in SVG. */
export function polar(run: RunUpView, scale: number): [x: number, y: number][] {
  return run.amplitude.map((amplitude, i) => {
    const angle = (-(run.phase_deg?.[i] ?? 0) * Math.PI) / 180;
    return [scale * amplitude * Math.cos(angle), scale * amplitude * Math.sin(angle)];
  });
}

/** The place in a run that is nearest to a speed. */
export function placeOf(run: RunUpView, rpm: number): number {
  const away = run.speed_rpm.map((one) => Math.abs(one - rpm));
  return away.indexOf(Math.min(...away));
}
