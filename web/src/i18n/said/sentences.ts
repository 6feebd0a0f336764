import german from '../german.json';
import { ENGLISH, type Sentences } from '../said';
import { commandsDe } from './commands.de';
import { commissioningDe } from './commissioning.de';
import { dashboardDe } from './dashboard.de';
import { decisionsDe } from './decisions.de';
import { learningDe } from './learning.de';
import { machinesDe } from './machines.de';
import { overallValuesDe } from './overallValues.de';
import { sourcesDe } from './sources.de';
import { wordsDe } from './words.de';

export const sentencesEn: Sentences = {
  ...ENGLISH,
  or: ' or ',
  load: (load) => `load ${load}`,
  unstated: 'an unknown speed and load',
  band: (range) => `band ${range}`,
  envelopeBand: (range, order) => `envelope ${range}${order && ` (${order} × shaft)`}`,
  fluctuation: (range) => `fluctuation of band ${range}`,
  when: (expected, earliest, latest, unit) =>
    latest === null
      ? `in about ${expected} ${unit} (${earliest} ${unit} at the earliest)`
      : `in about ${expected} ${unit} (${earliest} to ${latest} ${unit})`,
};

const UNITS = { months: 'Monaten', days: 'Tagen', hours: 'Stunden', minutes: 'Minuten' };

/** German; a code without words does not compile. */
export const sentencesDe: Sentences = {
  phrases: {
    ...decisionsDe,
    ...machinesDe,
    ...learningDe,
    ...commandsDe,
    ...sourcesDe,
    ...commissioningDe,
    ...dashboardDe,
    ...overallValuesDe,
    ...german.phrases,
  },
  words: { ...wordsDe, ...german.words },
  or: ' oder ',
  load: (load) => `Last ${load}`,
  unstated: 'unbekannter Drehzahl und Last',
  band: (range) => `Band ${range}`,
  envelopeBand: (range, order) => `Hüllkurve ${range}${order && ` (${order} × Drehfrequenz)`}`,
  fluctuation: (range) => `Schwankung im Band ${range}`,
  when: (expected, earliest, latest, unit) =>
    latest === null
      ? `in etwa ${expected} ${UNITS[unit]} (frühestens in ${earliest} ${UNITS[unit]})`
      : `in etwa ${expected} ${UNITS[unit]} (${earliest} bis ${latest} ${UNITS[unit]})`,
};
