import { describe, expect, it } from 'vitest';
import { ENGLISH, fieldsOf, worded, type Code, type Said } from './said';
import { sentencesDe, sentencesEn } from './said/sentences';

const german = (said: Said) => worded(said, sentencesDe, 'de-DE');
const english = (said: Said) => worded(said, sentencesEn, 'en-GB');

describe('the German catalogue', () => {
  it('has the sentences of the English one, no more', () => {
    expect(Object.keys(sentencesDe.phrases).sort()).toEqual(Object.keys(ENGLISH.phrases).sort());
  });

  it.each(Object.keys(ENGLISH.phrases) as Code[])('%s uses only values that are sent', (code) => {
    const names = (template: string) =>
      new Set(fieldsOf(template).map((field) => field.split(':')[0]));
    const known = names(ENGLISH.phrases[code]);
    const unknown = [...names(sentencesDe.phrases[code])].filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
  });
});

describe('a sentence', () => {
  it('has numbers, units, words and dates of the language', () => {
    const limit: Said = {
      code: 'limit',
      values: {
        title: 'RMS',
        value: 3.123,
        limit: 2.8,
        unit: 'mm/s',
        direction: 'above',
        level: 'warning',
      },
    };
    expect(german(limit)).toBe(
      'RMS: 3,12\u00a0mm/s überschreitet die Grenze „Warnung“ von 2,8\u00a0mm/s',
    );
    expect(english(limit)).toBe('RMS: 3.12\u00a0mm/s is above the warning limit of 2.8\u00a0mm/s');
    const alike: Said = {
      code: 'resembles',
      values: { event_id: 'E1', kind: null, actor: 'Eva', at_ms: 1_700_000_000_000, value: 0.934 },
    };
    expect(german(alike)).toContain('Eva am 14. November 2023');
    expect(german(alike)).toContain('93,4\u00a0% Übereinstimmung');
  });

  it('quotes sentences, and leaves out what is empty', () => {
    const symptom: Said = { code: 'order_rose', values: { order: 1 } };
    const diagnosis: Said = {
      code: 'diagnosis',
      values: { fault: 'imbalance', matched: [symptom, { code: 'envelope_steady' }], missing: [] },
    };
    expect(german(diagnosis)).toBe(
      'Unwucht wahrscheinlich: Anstieg bei 1× Drehfrequenz, Hüllkurve unverändert',
    );
  });

  it('counts, and names states and times ahead', () => {
    const state = { speed_rpm: 1480, load: 40, tags: ['inferred state 2', 'recipe B'] };
    expect(german({ code: 'state_windows', values: { count: 1, ...state } })).toBe(
      '1 weiteres Fenster bei 1480\u00a0U/min, Last 40, erkannter Zustand 2, recipe B',
    );
    expect(english({ code: 'windows', values: { count: 12, point: null } })).toBe(
      '12 more windows',
    );
    const values = {
      title: 'RMS',
      level: 'alarm',
      limit: 4.5,
      unit: 'mm/s',
      expected_s: 12 * 86_400,
      earliest_s: 9 * 86_400,
      latest_s: null,
    };
    expect(german({ code: 'forecast', values })).toContain(
      'in etwa 12 Tagen (frühestens in 9 Tagen)',
    );
  });

  it('is left to its text where a code or a value is not known here', () => {
    expect(german({ code: 'of_a_newer_gateway' })).toBeNull();
    expect(german({ code: 'silent' })).toBeNull();
    expect(
      german({ code: 'source_part', values: { what: 'a', problem: { code: 'new' } } }),
    ).toBeNull();
  });
});
