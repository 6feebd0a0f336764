import { en } from './en';
import { t, word } from './i18n.svelte';
import { sentence } from './reasons';

export type FaultKind = keyof typeof en.answer.kinds;
export const FAULT_KINDS = Object.keys(en.answer.kinds) as FaultKind[];

/** A gateway of a site; its id joins the two by a tilde. */
export const gatewayName = (id: string): string => id.replace('~', ' / ');

/** A fault class by its field name; what the gateway names beyond our list stays as it is. */
export function faultName(kind: string): string {
  const { kinds } = t().answer;
  return kind in kinds ? kinds[kind as FaultKind] : sentence(word(kind) ?? kind);
}
