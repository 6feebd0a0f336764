import { ofLanguage } from '../i18n.svelte';

/** What a machine's sensors would show, before anything fails. */
const en = {
  title: 'What this machine’s sensors would show',
  hint: 'The least change that would be found while the machine runs, at its limit of false alarms: computed from its own healthy values, with faults of the simulator added to its own healthy signal. It is right within a factor of two.',
  what: 'Change or fault',
  day: 'within a day',
  week: 'within a week',
  month: 'within a month',
  step: (value: string) => `${value}: step up or down`,
  drift: (value: string) => `${value}: steady drift`,
  never: 'not found',
  faultSizes: 'For a fault: the peak that it adds to the signal of the sensor.',
  missing:
    'Not in the table: faults far from the sensors, faults that come with a change that the machine shows anyway, and faults of bearings, gears and balance at points whose speed or bearings are not stated.',
};
const de: typeof en = {
  title: 'Was die Sensoren dieser Maschine zeigen würden',
  hint: 'Die kleinste Änderung, die im Betrieb bei der Grenze für Fehlalarme gefunden würde: berechnet aus den eigenen gesunden Werten, Fehler des Simulators sind dem eigenen gesunden Signal überlagert. Genau auf einen Faktor zwei.',
  what: 'Änderung oder Fehler',
  day: 'in einem Tag',
  week: 'in einer Woche',
  month: 'in einem Monat',
  step: (value) => `${value}: Sprung nach oben oder unten`,
  drift: (value) => `${value}: stetiger Anstieg oder Abfall`,
  never: 'nicht gefunden',
  faultSizes: 'Bei Fehlern: die Spitze, die der Fehler dem Signal des Sensors hinzufügt.',
  missing:
    'Nicht in der Tabelle: Fehler weit weg von den Sensoren, Fehler mit einer Änderung, die die Maschine ohnehin zeigt, und Fehler von Lagern, Getrieben und Wuchtung an Messpunkten ohne Angabe von Drehzahl oder Lagern.',
};

export const detectableText = ofLanguage({ en, de });
