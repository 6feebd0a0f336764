import { expect, it } from 'vitest';
import type { HeadUpdate } from '../api/client';
import { outcomeOf } from './outcome';

const lesson = (accepted: boolean, silent = 0, ...codes: string[]): HeadUpdate =>
  ({
    accepted,
    said: { code: 'several', values: { parts: codes.map((code) => ({ code })) } },
    after: { labelled_false_alarms_total: 1, labelled_false_alarms_silenced: silent },
  }) as unknown as HeadUpdate;

it('says what an answer changed, not that it was taken', () => {
  expect(outcomeOf(lesson(true, 1), 'false_alarm')).toBe('learned');
  expect(outcomeOf(lesson(true, 0), 'false_alarm')).toBe('asksAgain');
  expect(outcomeOf(lesson(true), 'confirmed_fault')).toBe('nothingMuted');
  expect(outcomeOf(lesson(true), 'unsure')).toBe('undone');
  expect(outcomeOf(lesson(false), 'planned_work')).toBe('planned');
  expect(outcomeOf(lesson(false), 'false_alarm')).toBe('notLearned');
  expect(outcomeOf(lesson(true, 1, 'counts_as_open'), 'false_alarm')).toBe('notLearned');
});
