import { ofLanguage } from '../i18n.svelte';

/** What is said of what a plant remembers of a machine and of its sisters. */
const en = {
  earlier: 'Earlier cases and what was found',
  sisters: (n: number) =>
    `Of this machine and of ${n === 1 ? '1 sister machine' : `${String(n)} sister machines`}.`,
  none: 'No earlier case was answered or closed with a finding.',
  further: (n: number) => `${String(n)} more were compared.`,
  sister: 'sister machine',
  alike: {
    recognised: 'recognised as the same',
    place: 'same fault, same place',
    fault: 'same fault',
    signs: 'same signs',
    other: '',
  },
  notes: 'Notes',
  noNotes: 'No note yet.',
  inPlots: (point: string) => `Mark it in the plots of ${point}`,
  time: 'Time',
  hz: 'Frequency in Hz (optional)',
  clickFills: (spectrum: boolean): string =>
    spectrum
      ? 'A click on the trend fills the time in, one on the spectrum the frequency.'
      : 'A click on the trend fills the time in.',
  withdraw: 'Withdraw',
  compare: 'Compare with',
  nothing: 'no comparison',
  before: { day: 'a day earlier', week: 'a week earlier', month: '30 days earlier' },
  compared: (name: string) => `Dashed: ${name}.`,
  notCompared: (name: string) => `${name}: no value of this feature in that time.`,
  stop: {
    avoided: (hours: string) => (hours ? `Stop avoided: ${hours}` : 'Stop avoided'),
    happened: (hours: string) => (hours ? `Unplanned stop: ${hours}` : 'Unplanned stop'),
  },
};

const de: typeof en = {
  earlier: 'Frühere Fälle und was gefunden wurde',
  sisters: (n) =>
    `Von dieser Maschine und ${n === 1 ? 'einer Schwestermaschine' : `${String(n)} Schwestermaschinen`}.`,
  none: 'Kein früherer Fall wurde beantwortet oder mit einem Befund abgeschlossen.',
  further: (n) => `${String(n)} weitere wurden verglichen.`,
  sister: 'Schwestermaschine',
  alike: {
    recognised: 'als gleich wiedererkannt',
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
  clickFills: (spectrum) =>
    spectrum
      ? 'Ein Klick in den Trend trägt die Zeit ein, einer ins Spektrum die Frequenz.'
      : 'Ein Klick in den Trend trägt die Zeit ein.',
  withdraw: 'Zurücknehmen',
  compare: 'Vergleichen mit',
  nothing: 'kein Vergleich',
  before: { day: 'einen Tag früher', week: 'eine Woche früher', month: '30 Tage früher' },
  compared: (name) => `Gestrichelt: ${name}.`,
  notCompared: (name) => `${name}: kein Wert dieses Merkmals in jener Zeit.`,
  stop: {
    avoided: (hours) => (hours ? `Stillstand vermieden: ${hours}` : 'Stillstand vermieden'),
    happened: (hours) => (hours ? `Ungeplanter Stillstand: ${hours}` : 'Ungeplanter Stillstand'),
  },
};

export const memoryText = ofLanguage({ en, de });
