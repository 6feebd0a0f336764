import { expect, it } from 'vitest';
import { moved, onGrid, within } from './places';

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
  for (const count of [0, 1, 5, 60]) {
    const places = onGrid(count);
    expect(new Set(places.map(({ x, y }) => `${String(x)} ${String(y)}`)).size).toBe(count);
  }
});
