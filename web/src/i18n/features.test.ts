import { expect, it } from 'vitest';
import { featureName } from './features';

it('reads feature names as people do', () => {
  expect(featureName('velocity_rms_mm_s', 'mm/s')).toBe('velocity RMS');
  expect(featureName('bpfo_prominence')).toBe('BPFO prominence');
  expect(featureName('octave_31.5hz')).toBe('octave 31.5\u202fHz');
  expect(featureName('octave_2khz')).toBe('octave 2\u202fkHz');
  expect(featureName('rms', 'g')).toBe('RMS');
});
