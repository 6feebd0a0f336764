import { featureName, figure } from '../i18n/i18n.svelte';
import { commissioning } from '../i18n/topics/commissioning';
import { connectionText } from '../i18n/topics/connections';
import { fleetText } from '../i18n/topics/fleet';

/** What the page calls a key of the settings; empty where it has no word for it. */
export function settingName(key: string): string {
  const words = commissioning();
  const names: Record<string, unknown> = { ...words.fields, ...connectionText().keys };
  const name = names[key];
  return typeof name === 'string' ? name : '';
}

/** A setting of a machine, or of a point as `point/setting`. */
export function settingPath(path: string): string {
  const [key = '', point] = path.split('/').reverse();
  const words: Record<string, string> = fleetText().bulk.settings;
  return [point, words[key] ?? (settingName(key) || key)].filter(Boolean).join(' · ');
}

/** A value of a setting in words; nothing that is not set is named. */
export function settingValue(value: unknown, key = ''): string {
  const words = commissioning();
  if (value === null || value === undefined || value === '') return words.fields.notSaid;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return figure(value);
  if (typeof value === 'string') {
    return key === 'feature' ? featureName(value) : settingName(value) || value;
  }
  if (Array.isArray(value)) {
    return value.length ? value.map((one) => settingValue(one)).join('; ') : words.fields.notSaid;
  }
  const { name: own } = value as { name?: unknown };
  if (typeof own === 'string' && own) return own;
  return Object.entries(value)
    .filter(([, one]) => one !== null && one !== '' && !(Array.isArray(one) && !one.length))
    .map(([name, one]) =>
      name === 'feature' || name === 'id'
        ? settingValue(one, name)
        : `${settingName(name) || name}: ${settingValue(one, name)}`,
    )
    .join(', ');
}
