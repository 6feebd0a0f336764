import { describe, expect, it } from 'vitest';
import { placeOf, places, sketchKind } from './sketch';

const at = (point: string, name = '') => placeOf({ point, name });

describe('sketch', () => {
  it('knows a machine by its name', () => {
    expect(sketchKind('Kühlwasserpumpe 3', 0)).toBe('pump');
    expect(sketchKind('Exhaust fan 1', 0)).toBe('fan');
    expect(sketchKind('Line 7', 23)).toBe('gearbox');
    expect(sketchKind('Line 7', 0)).toBe('motor');
  });

  it('puts drive and non-drive end apart, and directions around the bearing', () => {
    const horizontal = at('DE-H');
    expect(at('NDE-H')?.x).toBeLessThan(horizontal?.x ?? 0);
    expect(at('DE-V')?.y).toBeLessThan(horizontal?.y ?? 0);
    expect(at('x', 'Drive end, horizontal')).toEqual(horizontal);
    expect(at('x', 'Non-drive end, horizontal')).toEqual(at('NDE-H'));
  });

  it('takes numbers of bearings', () => {
    expect(at('3H')?.x).toBeGreaterThan(at('2H')?.x ?? 0);
    expect(at('a1', 'Accelerometer 1')).not.toBeNull();
  });

  it('puts the others in a row, none on another', () => {
    const all = places([
      { point: 'mic', name: 'Microphone' },
      { point: 'x', name: '' },
      { point: 'DE-H', name: '' },
      { point: 'de-h', name: '' },
    ]);
    expect(new Set(all.map(({ x, y }) => `${String(x)} ${String(y)}`)).size).toBe(4);
    expect(all[0]?.y).toBe(all[1]?.y);
  });
});
