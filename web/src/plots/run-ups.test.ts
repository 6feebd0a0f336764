import { describe, expect, it } from 'vitest';
import type { RunUpView } from '../api/client';
import { inHz, overSpeed, phaseBeside, placeOf, polar } from './run-ups';

const run = (more: Partial<RunUpView>): RunUpView => ({
  id: 'r',
  machine_id: 'm',
  point: 'p',
  start_ms: 0,
  end_ms: 1,
  rising: true,
  low_rpm: 600,
  high_rpm: 1200,
  critical_speeds: [],
  unit: 'µm',
  speed_rpm: [600, 1200],
  amplitude: [1, 2],
  phase_deg: [0, -90],
  cascade: { unit: 'g', order_step: 1, speed_rpm: [], values: [] },
  ...more,
});

describe('a cascade in Hz', () => {
  it('puts the same order higher at a higher speed, and ends with the fastest', () => {
    const rows = [
      [0, 5, 0, 0],
      [0, 7, 0, 0],
    ];
    expect(inHz({ unit: 'g', order_step: 1, speed_rpm: [600, 1200], values: rows })).toEqual({
      endHz: 80,
      rows: [
        [0, 0, 0, 0],
        [0, 7, 0, 0],
      ],
    });
  });

  it('takes one without rows', () => {
    expect(inHz({ unit: 'g', order_step: 1, speed_rpm: [], values: [] }).rows).toEqual([]);
  });
});

it('lays two runs of different speeds over each other', () => {
  const data = overSpeed(
    run({}),
    run({ speed_rpm: [600, 900], amplitude: [3, 4] }),
    (r) => r.amplitude,
  );
  expect(data).toEqual([
    [600, 900, 1200],
    [1, undefined, 2],
    [3, 4, undefined],
  ]);
});

it('turns a phase by whole turns to the reference', () => {
  expect(phaseBeside(run({ phase_deg: [370, 280] }), run({}))).toEqual([10, -80]);
});

it('draws a lag clockwise', () => {
  const [first, second] = polar(run({}), 10);
  expect(first?.[0]).toBeCloseTo(10);
  expect(second?.[1]).toBeCloseTo(20);
});

it('finds the place of a critical speed', () => {
  expect(placeOf(run({}), 1100)).toBe(1);
});
