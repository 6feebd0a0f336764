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
  notes: 'Notes',
  noNotes: 'No note yet.',
  inPlots: (point: string) => `Mark it in the plots of ${point}`,
  time: 'Time',
  hz: 'Frequency in Hz (optional)',
  withdraw: 'Withdraw',
  compare: 'Compare with',
  nothing: 'no comparison',
  before: { day: 'a day earlier', week: 'a week earlier', month: '30 days earlier' },
  compared: (name: string) => `Dashed: ${name}.`,
  notCompared: (name: string) => `${name}: no value of this feature in that time.`,
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
  notes: 'Notizen',
  noNotes: 'Noch keine Notiz.',
  inPlots: (point) => `In den Diagrammen von ${point} markieren`,
  time: 'Zeit',
  hz: 'Frequenz in Hz (freiwillig)',
  withdraw: 'Zurücknehmen',
  compare: 'Vergleichen mit',
  nothing: 'kein Vergleich',
  before: { day: 'einen Tag früher', week: 'eine Woche früher', month: '30 Tage früher' },
  compared: (name) => `Gestrichelt: ${name}.`,
  notCompared: (name) => `${name}: kein Wert dieses Merkmals in jener Zeit.`,
  stop: {
    avoided: (hours) => (hours ? `Stillstand vermieden: ${hours}` : 'Stillstand vermieden'),
    happened: (hours) => (hours ? `ungeplanter Stillstand: ${hours}` : 'ungeplanter Stillstand'),
  },
};

export const memoryText = ofLanguage({ en, de });
