import type { Case } from '../api/client';
import { measured, phrase } from '../i18n/phrases.svelte';
import { sentence } from '../i18n/reasons';

/** What is wrong and where, in the page's language. */
export function headlineOf({ headline, text }: Pick<Case, 'headline' | 'text'>): string {
  const values = headline.values ?? {};
  const title = measured(values, typeof values.unit === 'string' ? values.unit : '');
  return sentence(phrase({ ...headline, values: title ? { ...values, title } : values }, text));
}
