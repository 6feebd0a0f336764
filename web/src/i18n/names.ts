import { i18n } from './i18n.svelte';
import { en } from './en';

export type FaultKind = keyof typeof en.answer.kinds;
export const FAULT_KINDS = Object.keys(en.answer.kinds) as FaultKind[];

/** A fault class by its field name; what the gateway names beyond our list stays as it is. */
export function faultName(kind: string): string {
  const { answer, phrases } = i18n.text;
  return kind in answer.kinds
    ? answer.kinds[kind as FaultKind]
    : (phrases.otherFaults[kind] ?? kind);
}
