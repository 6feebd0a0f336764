import { session } from '../state/session.svelte';
import { i18n } from './i18n.svelte';

/** An amount in the plant's currency, without fractions. */
export const money = (amount: number): string =>
  [amount.toLocaleString(i18n.locale, { maximumFractionDigits: 0 }), session.currency]
    .filter(Boolean)
    .join('\u00a0');
