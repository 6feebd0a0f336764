import { expect, it } from 'vitest';
import { loadTexts, Words } from '../i18n/words';
import { REGISTER_MAPS, registerName } from './registers';

const en = new Words(await loadTexts('en'), 'en-GB');
const de = new Words(await loadTexts('de'), 'de-DE');

it('names the registers of each device in words, and no two alike', () => {
  for (const { registers } of Object.values(REGISTER_MAPS)) {
    for (const language of [en, de]) {
      const names = registers.map((one) => registerName(one, language));
      expect(new Set(names).size).toBe(registers.length);
      expect(names.filter((name) => name.includes('_'))).toEqual([]);
    }
  }
  const [first] = REGISTER_MAPS['banner-qm30vt2']?.registers ?? [];
  expect(first && registerName(first, en)).toBe('Vibration velocity, RMS · Z · in/s');
  const meter = REGISTER_MAPS['eastron-sdm630']?.registers ?? [];
  expect(meter.map((one) => registerName(one, de))).toContain('Spannung · L1 · V');
  expect(meter.map((one) => registerName(one, de))).toContain('Energie · kWh');
});
