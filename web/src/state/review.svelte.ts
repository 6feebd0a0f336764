import type { Case, LabelView } from '../api/client';
import { newId } from '../api/identity';
import { answerOf } from '../case/headline';
import { address } from '../routing/match';
import { router } from '../routing/router.svelte';
import { cases } from './cases.svelte';
import { postLabel } from './outbox.svelte';
import { person } from './person.svelte';
import { session } from './session.svelte';

/** Cases that no one has answered, one after another with one tap each. */
class Review {
  /** The answer that was given last, which can be taken back. */
  last: { shown: Case; label: LabelView } | null = $state.raw(null);
  /** Whether the page that is open is part of a review: its address says it. */
  readonly on: boolean = $derived(router.query.get('review') === '1');
  readonly left: readonly Case[] = $derived(
    cases.active.filter(
      (one) =>
        one.kind === 'machine' &&
        answerOf(one) === null &&
        session.may('technician', one.machine_id),
    ),
  );

  open(one: Case | undefined): void {
    router.go(one ? address.case(one.id, { review: '1' }) : address.cases);
  }

  /** Opens the case after the one that was answered, in the order of the list, or the list. */
  answered(shown: Case, label: LabelView): void {
    if (this.last?.label.id === label.id) return; // by the live stream and as the response
    const place = this.left.findIndex(({ id }) => id === shown.id);
    this.last = { shown, label };
    this.open([...this.left.slice(place + 1), ...this.left.slice(0, Math.max(place, 0))][0]);
  }

  async takeBack(): Promise<void> {
    if (!this.last) return;
    const { shown, label } = this.last;
    const body = { id: newId(), actor: person.actor, verdict: 'unsure' as const, note: '' };
    if (label.verdict !== 'unsure') await postLabel({ eventId: label.event_id, body });
    this.last = null;
    this.open(shown);
  }
}

export const review = new Review();
