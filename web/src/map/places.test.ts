import { expect, it } from 'vitest';
import { leastWidth, moved, onGrid, within, withRoom } from './places';

it('keeps a marker within the map', () => {
  expect(within({ x: -3, y: 0.33349 })).toEqual({ x: 0.02, y: 0.333 });
  expect(moved({ x: 0.98, y: 0.5 }, 'ArrowRight', false)).toEqual({ x: 0.98, y: 0.5 });
});

it('moves by the arrow keys only, in two steps', () => {
  expect(moved({ x: 0.5, y: 0.5 }, 'ArrowUp', false)).toEqual({ x: 0.5, y: 0.48 });
  expect(moved({ x: 0.5, y: 0.5 }, 'ArrowLeft', true)).toEqual({ x: 0.496, y: 0.5 });
  expect(moved({ x: 0.5, y: 0.5 }, 'Tab', false)).toBeNull();
});

it('gives every machine a place of its own on the grid', () => {
  for (const areas of [[], [1], [5], [60], [3, 9, 1]]) {
    const { places } = onGrid(areas);
    const count = areas.reduce((sum, one) => sum + one, 0);
    expect(new Set(places.map(({ x, y }) => `${String(x)} ${String(y)}`)).size).toBe(count);
  }
});

it('begins a row for each area, below its name', () => {
  const { names, places, rows } = onGrid([2, 7]);
  expect(rows).toBe(5);
  expect(names).toEqual([0.1, 0.5]);
  expect(places.map(({ y }) => y)).toEqual([0.3, 0.3, 0.7, 0.7, 0.7, 0.7, 0.9, 0.9, 0.9]);
  expect(onGrid([4]).names).toEqual([]);
});

it('leaves names out where they would lie on each other', () => {
  const places = [
    { x: 0.1, y: 0.5 },
    { x: 0.2, y: 0.5 },
    { x: 0.8, y: 0.5 },
  ];
  expect(withRoom(places, 680, 382)).toEqual([false, false, true]);
  expect(withRoom(places, 1600, 900)).toEqual([true, true, true]);
  expect(leastWidth(0)).toBe(680);
  expect(leastWidth(500) / 29).toBeGreaterThanOrEqual(44);
});
