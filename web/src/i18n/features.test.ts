import { expect, it } from 'vitest';
import { featureName as nameIn } from './features';
import { loadTexts, Words } from './words';

const english = new Words(await loadTexts('en'), 'en-GB');
const featureName = (feature: string, unit = '') => nameIn(feature, unit, english);

it('reads feature names as people do', () => {
  expect(featureName('velocity_rms_mm_s', 'mm/s')).toBe('Vibration velocity, RMS');
  expect(featureName('temperature_c', '°C')).toBe('Temperature');
  expect(featureName('displacement_rms_um', 'µm')).toBe('Displacement, RMS');
  expect(featureName('bpfo_prominence')).toBe('Outer race (BPFO): prominence');
  expect(featureName('octave_31.5hz')).toBe('Octave 31.5\u00a0Hz');
  expect(featureName('octave_2khz')).toBe('Octave 2\u00a0kHz');
  expect(featureName('order_2x', 'mm/s')).toBe('2× shaft speed');
  expect(featureName('band_00', 'g')).toBe('Frequency band 1');
  expect(featureName('rms', 'g')).toBe('RMS');
  expect(featureName('rms_500_2000hz', 'g')).toBe('RMS 500–2000\u00a0Hz');
  expect(featureName('not_in_the_list')).toBe('Not in the list');
});

it('reads them in the language of the page', async () => {
  const german = new Words(await loadTexts('de'), 'de-DE');
  expect(nameIn('bpfi_level', '', german)).toBe('Innenring (BPFI): Pegel');
});
