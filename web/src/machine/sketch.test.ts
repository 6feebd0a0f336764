import { describe, expect, it } from 'vitest';
import { arrange, placeOf, sketchKind, type SketchKind } from './sketch';

const at = (kind: SketchKind, point: string, name = '') => placeOf({ point, name }, kind);
const MOTOR = { NDE: 62, DE: 138 };
const DRIVEN = { DE: 206, NDE: 274 };

describe('sketch', () => {
  it('knows a machine by its name', () => {
    expect(sketchKind('Kühlwasserpumpe 3', 0)).toBe('pump');
    expect(sketchKind('Exhaust fan 1', 0)).toBe('fan');
    expect(sketchKind('Line 7', 23)).toBe('gearbox');
    expect(sketchKind('Line 7', 0)).toBe('motor');
  });

  it("puts a pump's drive end on the pump, the motor's on the motor", () => {
    expect(at('pump', 'p_de-H', 'Pump DE')?.x).toBe(DRIVEN.DE);
    expect(at('pump', 'p_nde-H', 'Pump NDE')?.x).toBe(DRIVEN.NDE);
    expect(at('pump', 'm_de-H', 'Motor DE')?.x).toBe(MOTOR.DE);
    expect(at('pump', 'm_nde-H')?.x).toBe(MOTOR.NDE);
    expect(at('pump', 'DE-H', 'Drive end, horizontal')?.x).toBe(DRIVEN.DE);
    expect(at('motor', 'DE-H')?.x).toBe(MOTOR.DE);
    expect(at('fan', 'x', 'Antriebsseite Motor, horizontal')?.x).toBe(MOTOR.DE);
  });

  it('puts drive and non-drive end apart, and directions around the bearing', () => {
    const horizontal = at('motor', 'DE-H');
    expect(at('motor', 'DE-V')?.y).toBeLessThan(horizontal?.y ?? 0);
    expect(at('motor', 'x', 'Drive end, horizontal')).toEqual(horizontal);
    expect(at('motor', 'x', 'Non-drive end, horizontal')).toEqual(at('motor', 'NDE-H'));
    expect(at('motor', 'x', 'A-Seite, horizontal')).toEqual(horizontal);
  });

  it('takes numbers of bearings that are there', () => {
    expect(at('pump', '3H')?.x).toBe(DRIVEN.DE);
    expect(at('pump', 'x', 'Bearing 2, horizontal')?.x).toBe(MOTOR.DE);
    expect(at('motor', '3H')).toBeNull();
  });

  it('lists points whose place is not known, and puts none on another', () => {
    const named = (point: string, name = '') => ({ point, name });
    const points = [
      named('mic', 'Microphone'),
      named('a1', 'Accelerometer 1'),
      named('DE-H'),
      named('de-h'),
    ];
    const { placed, listed } = arrange(points, 'motor');
    expect(listed.map(({ point }) => point)).toEqual(['mic', 'a1']);
    expect(new Set(placed.map(({ x, y }) => `${String(x)} ${String(y)}`)).size).toBe(2);
  });
});
