import { describe, expect, it } from 'vitest';
import type { Machine } from '../api/client';
import { shownCondition, worstFirst } from './severity';

const machine = (name: string, condition: Machine['condition'], stale = false): Machine =>
  ({ name, condition, stale, area: '' }) as Machine;

describe('worstFirst', () => {
  it('puts alarms first and what is well last', () => {
    const machines = [
      machine('e', 'normal'),
      machine('d', 'learning'),
      machine('c', 'unknown'),
      machine('b', 'warning'),
      machine('a', 'alarm'),
      machine('f', 'alarm', true),
    ];
    expect(machines.sort(worstFirst).map((m) => m.name)).toEqual(['a', 'b', 'c', 'f', 'd', 'e']);
  });

  it('counts numbers in names as numbers', () => {
    const machines = [machine('Pump 10', 'normal'), machine('Pump 9', 'normal')];
    expect(machines.sort(worstFirst).map((m) => m.name)).toEqual(['Pump 9', 'Pump 10']);
  });

  it('shows no verdict that may no longer hold', () => {
    expect(shownCondition(machine('a', 'normal', true))).toBe('stale');
  });
});
