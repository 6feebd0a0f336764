import type { Machine } from '../api/client';
import { moment, t } from '../i18n/i18n.svelte';

type Suppression = NonNullable<Machine['suppression']>;

/** Planned work on a machine that is under way, null without any. */
export function plannedWork({ suppression }: Machine): Suppression | null {
  return suppression?.kind === 'planned_work' ? suppression : null;
}

/** Why a machine's alarms need no answer, by whom and until when. */
export function suppressedText(
  { kind, actor, reason, since_ms, until_ms }: Suppression,
  now: number,
): string {
  const words = t().alarms.suppressed;
  const until = until_ms == null ? '' : moment(until_ms, now);
  const said =
    kind === 'out_of_service'
      ? words.out_of_service(actor)
      : kind === 'shelved'
        ? words.shelved(until, actor)
        : words.planned_work(actor, moment(since_ms, now), until);
  return `${said} ${reason}`.trim();
}
