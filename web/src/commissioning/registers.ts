import { featureName } from '../i18n/features';
import type { Words } from '../i18n/words';
import maps from './register-maps.json';

export interface Register {
  name: string;
  quantity: string;
  unit: string;
}

export interface RegisterMap {
  title: string;
  unit_id: number;
  baud_rate: number;
  parity: string;
  registers: Register[];
}

/** A register in words: its quantity, the axis or phase that its name begins or ends with, its unit. */
export function registerName({ name, quantity, unit }: Register, words: Words): string {
  const [, axis, phase] = /^(?:([xyz])_)?.*?(?:_(\d))?$/.exec(name) ?? [];
  const place = axis?.toUpperCase() ?? (phase ? `L${phase}` : '');
  const named = featureName(quantity === 'other' ? name : quantity, '', words);
  return [named, place, unit === '1' ? '' : unit].filter(Boolean).join(' · ');
}

/** Register maps that the gateway ships, by name. */
export const REGISTER_MAPS: Readonly<Record<string, RegisterMap>> = maps;
