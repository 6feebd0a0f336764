import type { Delivery } from '../api/client';
import { t } from '../i18n/i18n.svelte';

/** What became of a message that was sent on request. */
export function deliveryText({ state, error }: Pick<Delivery, 'state' | 'error'>): string {
  const words = t().notifications;
  if (state === 'sent') return words.messageSent;
  return error ? words.messageFailed(error) : words.messageWaiting;
}
