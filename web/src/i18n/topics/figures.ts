import { ofLanguage } from '../i18n.svelte';

/** What is said of the alarms' load (ISA-18.2 clause 16, EEMUA 191). */
const en = {
  intro: 'How much the alarms ask of people, by ISA-18.2.',
  range: 'Time',
  ranges: { '1': '24 h', '7': '7 days', '30': '30 days' },
  alarms: 'Alarms',
  perDay: 'Alarms a day',
  perDayGoal: 'up to 150 a day are acceptable for one person, 300 the most',
  peak: 'Most in 10 minutes',
  peakGoal: 'more than 10 in 10 minutes are a flood',
  floods: (n: number) =>
    n === 0 ? 'no flood' : n === 1 ? '1 flood of 10 minutes' : `${String(n)} floods of 10 minutes`,
  standing: 'Active now',
  standingGoal: 'not ended, acknowledged or not',
  stale: 'Longer than a day',
  staleGoal: 'each needs a plan: repair, shelve, or correct the limit',
  waiting: 'Not acknowledged',
  waitingGoal: 'each waits for a person',
  answer: 'Time to acknowledge',
  answerGoal: 'half of them were acknowledged faster',
  answered: 'Answered',
  answeredGoal: 'share of them of which someone said what it was: that is how Auscult learns',
  byDay: 'Alarms by day',
  top: 'Most alarms',
  topShare: (share: string) => `together ${share} of all alarms`,
  machine: 'Machine',
  share: 'Share',
  chattering: 'Chattering machines',
  chatteringHint: '3 or more alarms within a minute: look at the sensor or the limit first.',
  none: 'No alarm in this time.',
  stopsTitle: 'What cases saved and cost',
  stopsHint:
    'As people stated when they closed the cases: hours × the cost of downtime in the settings of the machine. Nothing is estimated by Auscult.',
  noStops: 'No one has stated a stop yet: closing a case asks for it.',
  month: 'Month',
  closed: 'Cases closed',
  avoided: 'Stops avoided',
  saved: 'Saved',
  happened: 'Stops that happened',
  lost: 'Cost',
  stopHours: (hours: string, n: number) => `${hours} h in ${n === 1 ? '1 case' : `${n} cases`}`,
  withoutCost: (n: number) => `${n} without a cost`,
  reached: 'within the goal',
  missed: 'beyond the goal',
};

const de: typeof en = {
  intro: 'Was die Alarme Menschen abverlangen, nach DIN EN 62682.',
  range: 'Zeit',
  ranges: { '1': '24 h', '7': '7 Tage', '30': '30 Tage' },
  alarms: 'Alarme',
  perDay: 'Alarme am Tag',
  perDayGoal: 'bis 150 am Tag sind einer Person zumutbar, 300 das Äußerste',
  peak: 'Meiste in 10 Minuten',
  peakGoal: 'mehr als 10 in 10 Minuten sind eine Alarmflut',
  floods: (n) =>
    n === 0
      ? 'keine Alarmflut'
      : n === 1
        ? '1 Alarmflut von 10 Minuten'
        : `${String(n)} Alarmfluten von 10 Minuten`,
  standing: 'Jetzt anstehend',
  standingGoal: 'nicht beendet, quittiert oder nicht',
  stale: 'Länger als ein Tag',
  staleGoal: 'jeder braucht einen Plan: reparieren, zurückstellen oder die Grenze berichtigen',
  waiting: 'Nicht quittiert',
  waitingGoal: 'jeder wartet auf eine Person',
  answer: 'Zeit bis zur Quittierung',
  answerGoal: 'die Hälfte wurde schneller quittiert',
  answered: 'Beantwortet',
  answeredGoal: 'Anteil, von dem jemand sagte, was es war: So lernt Auscult',
  byDay: 'Alarme nach Tagen',
  top: 'Die meisten Alarme',
  topShare: (share) => `zusammen ${share} aller Alarme`,
  machine: 'Maschine',
  share: 'Anteil',
  chattering: 'Flatternde Maschinen',
  chatteringHint: '3 oder mehr Alarme in einer Minute: zuerst Sensor oder Grenze ansehen.',
  none: 'In dieser Zeit kein Alarm.',
  stopsTitle: 'Was Fälle erspart und gekostet haben',
  stopsHint:
    'Wie beim Abschließen der Fälle angegeben: Stunden × Kosten des Stillstands aus den Einstellungen der Maschine. Auscult schätzt nichts.',
  noStops:
    'Noch hat niemand einen Stillstand angegeben: Beim Abschließen eines Falls wird danach gefragt.',
  month: 'Monat',
  closed: 'Abgeschlossene Fälle',
  avoided: 'Vermiedener Stillstand',
  saved: 'Erspart',
  happened: 'Eingetretener Stillstand',
  lost: 'Kosten',
  stopHours: (hours, n) => `${hours} h in ${n === 1 ? '1 Fall' : `${n} Fällen`}`,
  withoutCost: (n) => `${n} ohne Kostenangabe`,
  reached: 'im Ziel',
  missed: 'über dem Ziel',
};

export const figuresText = ofLanguage({ en, de });
