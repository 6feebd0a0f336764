import type { LabelView, HeadUpdate } from '../api/client';
import type { Said } from '../i18n/words';

/** What an answer came to, in a word. */
export type Outcome =
  'learned' | 'asksAgain' | 'nothingMuted' | 'planned' | 'notLearned' | 'undone';

/** A false alarm that is learned may still alarm; one that the gateway rejects still undoes the
 * earlier answer; planned work is no fault to learn from; not sure changes something only where it
 * takes an earlier answer back. */
export function outcomeOf(lesson: HeadUpdate, verdict: LabelView['verdict'] | undefined): Outcome {
  if (verdict === 'planned_work') return 'planned';
  if (!lesson.accepted || countsAsOpen(lesson.said)) return 'notLearned';
  if (verdict === 'unsure') return 'undone';
  if (verdict === 'confirmed_fault') return 'nothingMuted';
  const { labelled_false_alarms_total: all, labelled_false_alarms_silenced: silent } = lesson.after;
  if (verdict === 'false_alarm' && all > 0 && silent === 0) return 'asksAgain';
  return 'learned';
}

function countsAsOpen(said: Said | null): boolean {
  const parts = (said?.values?.parts ?? []) as readonly Said[];
  return parts.some(({ code }) => code === 'counts_as_open');
}
