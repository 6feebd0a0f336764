import { describe, expect, it } from 'vitest';
import type { Machine } from '../api/client';
import { byArea } from './grouping';

const machine = (id: string, area: string, condition: Machine['condition']): Machine =>
  ({ id, area, condition, stale: false }) as Machine;

describe('byArea', () => {
  it('keeps the order, and parts areas of the same name in two plants', () => {
    const areas = byArea([
      machine('north~gw~a', 'Hall 2', 'alarm'),
      machine('south~gw~b', 'Hall 2', 'warning'),
      machine('north~gw~c', 'Hall 1', 'normal'),
      machine('north~gw~d', 'Hall 2', 'normal'),
    ]);
    expect(areas.map(({ site, area }) => `${site} ${area}`)).toEqual([
      'north Hall 2',
      'south Hall 2',
      'north Hall 1',
    ]);
    expect(areas[0]?.counts).toEqual([
      ['alarm', 1],
      ['normal', 1],
    ]);
  });
});
