import { api, dataOf, type CaseEntry, type Mark, type NoteList } from '../api/client';
import { fullMoment, quantity } from '../i18n/i18n.svelte';
import { noteName, type MarkedLine } from '../plots/marked';
import { person } from '../state/person.svelte';

/** Where in a plot a note is. */
export const markText = ({ point, at_ms, hz }: Mark): string =>
  [point, hz == null ? '' : quantity(hz, 'Hz'), fullMoment(at_ms)].filter(Boolean).join(', ');

/** The notes at a frequency of a point, as lines of its spectrum. */
export const noteLines = (notes: readonly CaseEntry[], point: string): MarkedLine[] =>
  notes.flatMap(({ mark, text, undone }) =>
    mark?.point === point && mark.hz != null && !undone
      ? [{ hz: mark.hz, name: noteName(text), main: true }]
      : [],
  );

/** Takes a note of a machine or its case back; it stays as withdrawn. */
export const withdraw = (machineId: string, noteId: string): Promise<NoteList> =>
  dataOf(
    api.POST('/api/v1/machines/{machine_id}/notes/{note_id}/withdraw', {
      params: { path: { machine_id: machineId, note_id: noteId } },
      body: { actor: person.actor },
    }),
  );
