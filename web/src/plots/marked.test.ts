import { describe, expect, it } from 'vitest';
import type { BearingPart } from '../api/client';
import { cursorLines, families, familyLines, takeRow } from './marked';

describe('cursorLines', () => {
  it('shows harmonics up to the end', () => {
    expect(cursorLines(25, 'harmonics', 0, 80).map((line) => line.hz)).toEqual([25, 50, 75]);
  });

  it('shows sidebands on both sides, none below zero', () => {
    const lines = cursorLines(100, 'sidebands', 30, 200);
    expect(lines.map((line) => line.hz)).toEqual([10, 40, 70, 100, 130, 160, 190]);
    expect(lines.map((line) => line.name)).toEqual(['−3', '−2', '−1', '0', '+1', '+2', '+3']);
  });

  it('is one line without a spacing, none without a cursor', () => {
    expect(cursorLines(100, 'sidebands', NaN, 200)).toHaveLength(1);
    expect(cursorLines(null, 'harmonics', 0, 200)).toEqual([]);
  });
});

describe('takeRow', () => {
  it('puts names that would touch below each other, and leaves out what has no room', () => {
    const rows: [number, number][][] = [[], []];
    const names = [
      [0, 30],
      [20, 50],
      [31, 60],
      [25, 35],
      [70, 90],
    ] as const;
    expect(names.map(([from, to]) => takeRow(rows, from, to))).toEqual([0, 1, 0, -1, 0]);
  });
});

describe('families', () => {
  const bearing = { name: '6205', bpfo: 3.58, bpfi: 5.42, bsf: null, ftf: 0.4 } as BearingPart;

  it('lists shaft, bearings and gears, only what is known of them', () => {
    const all = families('Shaft', (teeth) => `${String(teeth)} teeth`, [bearing], [23]);
    expect(all.map((family) => family.name)).toEqual(['Shaft', '6205', '23 teeth']);
    expect(all[1]?.orders.map((line) => line.name)).toEqual(['BPFO', 'BPFI', 'FTF']);
  });

  it('puts lines at orders of the shaft speed', () => {
    const [, family] = families('Shaft', String, [bearing], []);
    const lines = familyLines(family ?? { id: '', name: '', orders: [] }, 25, 100);
    expect(lines.find((line) => line.name === 'BPFO')?.hz).toBeCloseTo(89.5);
    expect(lines.filter((line) => line.name === 'FTF')).toHaveLength(1);
    expect(lines.every((line) => line.hz <= 100)).toBe(true);
  });
});
