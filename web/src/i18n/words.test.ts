import { expect, it } from 'vitest';
import { en } from './en';
import { ENGLISH } from './said';

/** All texts of the page; of a text with values its source. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function') return [String(value)];
  return value && typeof value === 'object' ? Object.values(value).flatMap(texts) : [];
}

it('uses "threshold" for no level of the evidence, which has levels and no threshold', () => {
  const all = [...texts(en), ...Object.values(ENGLISH.phrases)];
  expect(all.filter((text) => /threshold/i.test(text))).toEqual([]);
  expect(en.machine.ofAlarm('2')).toBe('alarm from 2');
  expect(en.lesson.threshold).toContain('one window');
});
