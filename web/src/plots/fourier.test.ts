import { describe, expect, it } from 'vitest';
import { averaged, integrated } from './fourier';

const FS = 4096;
const sine = (hz: number, amplitude: number, n = FS) =>
  Float64Array.from({ length: n }, (_, i) => amplitude * Math.sin((2 * Math.PI * hz * i) / FS));

describe('integrated', () => {
  it('divides a sine by ω once or twice', () => {
    for (const times of [1, 2]) {
      const out = integrated(sine(64, 10), FS, times, 5);
      const peak = Math.max(...out.map(Math.abs));
      expect(peak).toBeCloseTo(10 / (2 * Math.PI * 64) ** times, 9);
    }
  });

  it('keeps the phase: the integral of a sine is a negative cosine', () => {
    const out = integrated(sine(64, 1), FS, 1, 5);
    expect(out[0]).toBeCloseTo(-1 / (2 * Math.PI * 64), 9);
  });

  it('leaves out what is below the corner', () => {
    const out = integrated(sine(2, 1), FS, 1, 5);
    expect(Math.max(...out.map(Math.abs))).toBeLessThan(1e-9);
  });
});

describe('averaged', () => {
  it('reads the amplitude of a line at its frequency', () => {
    const { values, averages } = averaged(sine(128, 3, 4 * FS), 1024);
    expect(values[128 / (FS / 1024)]).toBeCloseTo(3, 6);
    expect(averages).toBe(31);
  });
});
