import { describe, expect, it } from 'vitest';
import english from '../../../auscult/contract/words/en.ftl?raw';
import table from '../../../tests/contract/words.json';
import { en } from './en';
import { loadTexts, Words, type Said } from './words';

const words = {
  en: new Words(await loadTexts('en'), 'en-GB'),
  de: new Words(await loadTexts('de'), 'de-DE'),
};
const german = (said: Said) => words.de.sentence(said);

/** As gateways and server write it: plain spaces and minus signs. */
const plain = (text: string | null) => text?.replace(/\u00a0/g, ' ').replace(/−/g, '-');

describe('a sentence', () => {
  it.each(table)('$code: $en', (row) => {
    expect(plain(words.en.sentence(row as Said))).toBe(row.en);
    expect(plain(words.de.sentence(row as Said))).toBe(row.de);
  });

  it('keeps a number and its unit together, and has true minus signs', () => {
    const values = { low_hz: -20, high_hz: 12_345, kurtosis: 0 };
    expect(german({ code: 'kurtogram_band', values })).toContain('−20 bis 12.345\u00a0Hz');
  });

  it('is left to its text where a code or a value is not known here', () => {
    expect(german({ code: 'of_a_newer_gateway' })).toBeNull();
    expect(german({ code: 'silent' })).toBeNull();
    expect(
      german({ code: 'source_part', values: { what: 'a', problem: { code: 'new' } } }),
    ).toBeNull();
  });

  it('is complete where an older version stored it without the values of today', () => {
    expect(german({ code: 'case_fault', values: { fault: 'gear' } })).toBe('Getriebeschaden');
  });
});

/** All texts of the page; of a text with values its source. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function') return [String(value)];
  return value && typeof value === 'object' ? Object.values(value).flatMap(texts) : [];
}

it('uses "threshold" for no level of the evidence, which has levels and no threshold', () => {
  const all = [...texts(en), ...english.split('\n')];
  expect(all.filter((text) => /threshold/i.test(text))).toEqual([]);
  expect(en.machine.ofAlarm('2')).toBe('alarm from 2');
  expect(en.lesson.threshold).toContain('one window');
});
