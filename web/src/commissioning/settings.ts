import type { SourceForm } from '../api/client';
import { MachineSettings, PointSettings } from '../api/settings';
import type { Words } from '../forms/schema';
import { featureName, figure, i18n, unitName } from '../i18n/i18n.svelte';
import { limitsText } from '../i18n/topics/limits';
import { commissioning } from '../i18n/topics/commissioning';

/**
 * What the page calls a setting, a choice (`key.choice`) or a group (`group.name`), or explains of a
 * setting (`key.help`); empty where it has no word for it.
 */
export function settingWord(key: string): string {
  const fields: Record<string, unknown> = commissioning().fields;
  const [setting, choice = ''] = key.split('.');
  const classes: Record<string, string> = limitsText().zones.classes;
  const word =
    fields[key] ??
    (setting === 'iso_class' ? classes[choice] : choice !== 'help' && fields[choice]);
  return typeof word === 'string' ? word : '';
}

/** The same for the settings of a point, some of which have a name of their own. */
export const pointWord = (key: string): string =>
  settingWord(`PointSettings.${key}`) || settingWord(key);

/** The words that a source of values brings; English where it does not speak the page's language. */
export function formWords(form: SourceForm): Words {
  const own = { ...form.words['en'], ...form.words[i18n.language] };
  return (key) => own[key] ?? (key === 'notSaid' ? settingWord(key) : '');
}

const unitOf = (key: string) =>
  (MachineSettings.properties[key] ?? PointSettings.properties[key])?.['x-unit'] ?? '';

/** What the page calls a key of the settings, with its unit; empty where it has no word for it. */
export function settingName(key: string, word = settingWord): string {
  const name = word(key);
  return name && [name, unitName(unitOf(key))].filter(Boolean).join(', ');
}

/** A setting of a machine, or of a point as `point/setting`. */
export function settingPath(path: string): string {
  const [key = '', point] = path.split('/').reverse();
  const name = settingName(key, point ? pointWord : settingWord);
  return [point, name || key].filter(Boolean).join(' · ');
}

/** A value of a setting in words; nothing that is not set is named. */
export function settingValue(value: unknown, key = ''): string {
  const words = commissioning();
  if (value === null || value === undefined || value === '') return words.fields.notSaid;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return figure(value);
  if (typeof value === 'string') {
    return key === 'feature' ? featureName(value) : settingWord(`${key}.${value}`) || value;
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
