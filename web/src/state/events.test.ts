import { expect, it } from 'vitest';
import type { LabelView } from '../api/client';
import { replaced } from './events';

it('knows an answer as replaced until the later one is undone', () => {
  const later = { event_id: 'e', state: 'acknowledged', undone_ms: null };
  const of = (newest: object) => replaced([newest, { event_id: 'e' }] as LabelView[], 1);
  expect(of(later)).toBe(true);
  expect(of({ ...later, undone_ms: 1 })).toBe(false);
  expect(of({ ...later, state: 'refused' })).toBe(false);
  expect(of({ ...later, event_id: 'another' })).toBe(false);
});
