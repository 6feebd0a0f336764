import type { Case, LabelView } from '../api/client';
import { t } from '../i18n/i18n.svelte';
import { faultName } from '../i18n/names';
import { measured, phrase } from '../i18n/phrases.svelte';
import { sentence } from '../i18n/reasons';
import type { Said } from '../i18n/words';

/** What is wrong and where, in the page's language. */
export const headlineOf = ({ headline, text }: Pick<Case, 'headline' | 'text'>): string =>
  stated(headline, text);

/** A sentence of the record in the page's language, with the names of features in it. */
export function stated(said: Said, text: string): string {
  const values = said.values ?? {};
  const title = measured(values, typeof values.unit === 'string' ? values.unit : '');
  return sentence(phrase({ ...said, values: title ? { ...values, title } : values }, text));
}

/** The answer of a case that counts: one that was undone does not. */
export function answerOf({ label }: Pick<Case, 'label'>): LabelView | null {
  return label?.undone_ms == null ? (label ?? null) : null;
}

/** A verdict or a finding with the fault, if it names one. */
export function withFault(what: string, kind: string | null | undefined): string {
  return kind && kind !== 'unspecified' ? `${what}: ${faultName(kind)}` : what;
}

/** What people found, once a case is closed; empty without it. */
export function findingOf({ state, finding }: Pick<Case, 'state' | 'finding'>): string {
  if (state !== 'closed' || !finding) return '';
  return withFault(t().cases.findings[finding.result], finding.kind);
}
