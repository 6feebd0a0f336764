import { describe, expect, it } from 'vitest';
import { conversion, converted, decibels, peaks, perHz, ratioOf, valueAt } from './quantities';

describe('conversion', () => {
  it('turns 1 g at 50 Hz into velocity and displacement', () => {
    const velocity = conversion('g', 'velocity');
    const displacement = conversion('g', 'displacement');
    if (!velocity || !displacement) throw new Error('a unit of vibration');
    const values = Array.from({ length: 51 }, () => 1);
    expect(converted(values, 0, 1, velocity)[50]).toBeCloseTo(9806.65 / (2 * Math.PI * 50), 6);
    expect(converted(values, 0, 1, displacement)[50]).toBeCloseTo(
      9.80665e6 / (2 * Math.PI * 50) ** 2,
      6,
    );
    expect(converted(values, 0, 1, velocity)[4]).toBe(0);
  });

  it('has none for sound', () => {
    expect(conversion('Pa', 'velocity')).toBeNull();
    expect(conversion('Pa', 'measured')).toEqual({ unit: 'Pa', factor: 1, integrations: 0 });
  });
});

it('counts an axis in cycles a minute and in orders', () => {
  expect(perHz('cpm', 25)).toBe(60);
  expect(perHz('orders', 25) * 50).toBe(2);
  expect(perHz('orders', 0)).toBe(1);
});

it('lists peaks by size with their distance from the healthy band', () => {
  const values = [0, 0, 1, 0, 0, 4, 0, 2, 0];
  const list = peaks(
    values,
    0,
    10,
    Array.from({ length: 9 }, () => 2),
  );
  expect(list.map(({ hz, overHealthy }) => [hz, overHealthy])).toEqual([
    [50, 2],
    [70, 1],
    [20, 0.5],
  ]);
  expect(valueAt(values, 0, 10, 59)).toBe(4);
});

it('gives one dB for one change of the vibration, as amplitude and in the squared envelope', () => {
  const louder = 70;
  expect(decibels(louder, 'spectrum')).toBeCloseTo(36.9, 1);
  expect(decibels(louder ** 2, 'envelope')).toBeCloseTo(36.9, 1);
  expect(ratioOf(decibels(louder, 'envelope'), 'envelope')).toBeCloseTo(louder);
});
