import { describe, expect, it, vi } from 'vitest';
import type { EventView, Machine } from '../api/client';

vi.stubGlobal('location', { origin: 'http://localhost' });
const { groupOf, inGroups, worstAlarmFirst } = await import('./alarms');

const event = (id: string, peak: EventView['peak_condition'], started_ms: number): EventView =>
  ({ id, peak_condition: peak, started_ms }) as EventView;

describe('alarms', () => {
  it('puts alarms before warnings, and the newest first', () => {
    const events = [
      event('c', 'warning', 1),
      event('b', 'alarm', 9),
      event('a', 'alarm', 5),
      event('d', 'warning', 3),
    ];
    expect(events.sort(worstAlarmFirst).map((e) => e.id)).toEqual(['b', 'a', 'd', 'c']);
  });

  it('lists a machine that rests without an alarm, and one with an alarm once', () => {
    const shelved = (id: string) => ({ id, suppression: { kind: 'shelved' } }) as Machine;
    const alarm = { ...event('a', 'alarm', 1), machine_id: 'm1', handling: { state: 'shelved' } };
    const groups = inGroups([alarm as EventView], [shelved('m1'), shelved('m2')]);
    expect(groups.shelved.events.map((e) => e.id)).toEqual(['a']);
    expect(groups.shelved.machines.map((m) => m.id)).toEqual(['m2']);
    expect(groups.waiting).toEqual({ events: [], machines: [] });
  });

  it('asks for an acknowledgement of what is over too', () => {
    expect(groupOf('unacknowledged')).toBe('waiting');
    expect(groupOf('returned')).toBe('waiting');
    expect(groupOf('shelved')).toBe('shelved');
    expect(groupOf('normal')).toBeNull();
  });
});
