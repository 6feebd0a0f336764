import type { Channel, Delivery } from '../api/client';
import { notificationsText } from '../i18n/topics/notifications';
import { Submission } from '../state/submission.svelte';

/** The names of some channels. */
export const channelNames = (channels: readonly Channel[], ids: readonly string[]): string =>
  ids
    .map((id) => {
      const channel = channels.find((one) => one.id === id);
      return channel?.enabled === false
        ? `${channel.name} (${notificationsText().off})`
        : (channel?.name ?? id);
    })
    .join(', ');

/** What became of a message that was sent on request. */
function deliveryText({ state, error }: Delivery): string {
  const words = notificationsText();
  if (state === 'sent') return words.messageSent;
  return error ? words.messageFailed(error) : words.messageWaiting;
}

/** Sends messages on request and words the worst outcome. */
export class SendNow extends Submission {
  result = $state('');

  async send(work: () => Promise<readonly Delivery[]>): Promise<void> {
    this.result = '';
    await this.run(async () => {
      const sent = await work();
      const worst = sent.find(({ state }) => state !== 'sent') ?? sent[0];
      this.result = worst ? deliveryText(worst) : '';
    });
  }
}
