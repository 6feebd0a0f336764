import { ofLanguage } from '../i18n.svelte';

/** What is said of what a plant remembers of a machine and of its sisters. */
const en = {
  earlier: 'Earlier cases and what was found',
  sisters: (n: number) =>
    n === 1 ? 'and of 1 sister machine' : `and of ${String(n)} sister machines`,
  sisterHint: 'Sister machines have the same points and the same name plate.',
  none: 'No earlier case was answered or closed with a finding.',
  further: (n: number) => `${String(n)} more were compared.`,
  sister: 'sister machine',
  alike: { place: 'same fault, same place', fault: 'same fault', signs: 'same signs', other: '' },
  stop: {
    avoided: (hours: string) => (hours ? `stop avoided: ${hours}` : 'stop avoided'),
    happened: (hours: string) => (hours ? `unplanned stop: ${hours}` : 'unplanned stop'),
  },
};

const de: typeof en = {
  earlier: 'Frühere Fälle und was gefunden wurde',
  sisters: (n) =>
    n === 1 ? 'und einer Schwestermaschine' : `und von ${String(n)} Schwestermaschinen`,
  sisterHint: 'Schwestermaschinen haben dieselben Messpunkte und dasselbe Typenschild.',
  none: 'Kein früherer Fall wurde beantwortet oder mit einem Befund abgeschlossen.',
  further: (n) => `${String(n)} weitere wurden verglichen.`,
  sister: 'Schwestermaschine',
  alike: {
    place: 'gleicher Schaden, gleiche Stelle',
    fault: 'gleicher Schaden',
    signs: 'gleiche Anzeichen',
    other: '',
  },
  stop: {
    avoided: (hours) => (hours ? `Stillstand vermieden: ${hours}` : 'Stillstand vermieden'),
    happened: (hours) => (hours ? `ungeplanter Stillstand: ${hours}` : 'ungeplanter Stillstand'),
  },
};

export const memoryText = ofLanguage({ en, de });
