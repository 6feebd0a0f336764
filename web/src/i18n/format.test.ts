import { describe, expect, it } from 'vitest';
import { count, duration, figure, megabytes, percent, quantity, unitName } from './format';

describe('figures', () => {
  it('keep three significant digits and speak the language', () => {
    expect(figure(0.012345, 'en-GB')).toBe('0.0123');
    expect(figure(12.345, 'de-DE')).toBe('12,3');
    expect(figure(1499.6, 'en-GB')).toBe('1500');
    expect(figure(25600, 'en-GB')).toBe('25,600');
    expect(figure(1e-7, 'en-GB')).toBe('1\u00a0×\u00a010⁻⁷');
    expect(figure(Number.NaN, 'en-GB')).toBe('–');
    expect(count(1_842_233, 'de-DE')).toBe('1.842.233');
    expect(count(9999, 'en-GB')).toBe('9999');
  });

  it('carry their unit, or none where the source states none', () => {
    expect(quantity(4.5, 'mm/s', 'en-GB')).toBe('4.5\u00a0mm/s');
    expect(quantity(1, 'm/s2', 'en-GB')).toBe('1\u00a0m/s²');
    expect(quantity(0.2, 'as_delivered', 'en-GB')).toBe('0.2');
    expect(unitName('m/s2²', 'en-GB')).toBe('(m/s²)²');
    expect(unitName('g²', 'en-GB')).toBe('g²');
  });

  it('never round up to complete', () => {
    expect(percent(0.999, 'en-GB')).toBe('99%');
    expect(percent(1, 'en-GB')).toBe('100%');
    expect(percent(0.0123, 'en-GB', 1)).toBe('1.2%');
  });

  it('switch to gigabytes', () => {
    expect(megabytes(512, 'en-GB')).toBe('512\u00a0MB');
    expect(megabytes(53_200, 'en-GB')).toBe('53.2\u00a0GB');
  });
});

describe('duration', () => {
  it('names the two largest useful units', () => {
    expect(duration(-5)).toBe('0\u00a0s');
    expect(duration(59_999)).toBe('59\u00a0s');
    expect(duration(5 * 60_000)).toBe('5\u00a0min');
    expect(duration(3 * 3_600_000 + 10 * 60_000)).toBe('3\u00a0h 10\u00a0min');
    expect(duration(26 * 3_600_000)).toBe('1\u00a0d 2\u00a0h');
  });
});
