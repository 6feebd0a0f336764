import { ofLanguage } from '../i18n.svelte';

/** What is said of what a machine has learned. */
const en = {
  intro: 'What this machine’s detector learned from each answer, newest first.',
  none: 'Nothing was learned from answers yet: the baseline alone decides.',
  open: 'Versions and what they changed',
  states: {
    active: 'Active now',
    candidate: 'On trial',
    rejected: 'Rejected',
    retired: 'Replaced',
  },
  trial: 'On trial',
  trialHint: 'A new version runs on trial beside the active one. It becomes active when it passes.',
  trialProgress: (have: string, need: string) => `${have} of ${need} windows`,
  trialCompare: (candidate: string, active: string) =>
    `healthy windows beyond the limit: ${candidate} with it, ${active} with the active one`,
  waiting: (n: number) =>
    n === 1 ? '1 answer waits to be learned.' : `${String(n)} answers wait to be learned.`,
  taughtBy: (who: string) => `by ${who}`,
  trainings: (n: number, rejected: number) =>
    `Trained ${n} times, the later ones on windows that came after the answer` +
    (rejected ? `; ${rejected} of them were rejected` : ''),
  version: 'Version',
  before: 'Before',
  after: 'After',
  actions: {
    promote: 'Activate it now',
    reject: 'Drop it',
    'roll-back': 'Go back to this',
  },
  hints: {
    promote: 'The trial ends and this version is active from now on.',
    reject: 'The trial ends and this version is kept as rejected.',
    'roll-back': 'The gateway uses this version again. Nothing is lost: you can return.',
  },
  baselines: 'Healthy periods',
  baselineSince: 'learned',
  baselineActive: 'active',
  baselineBack: 'Go back to this',
  baselineBackTo: (when: string) => `Go back to this: learned ${when}`,
  baselineHint:
    'The gateway uses this baseline again, with what was learned on it. The present one is kept: you can return.',
  gone: 'no longer kept',
  event: 'the event',
  size: (kb: string) => `${kb} kB`,
  compare: 'What it changed',
  deltas: {
    title: 'Exchange with other machines',
    intro:
      'What this machine learned from answers, as a small signed file without signals. A machine with the same baseline can learn from it, if it passes that machine’s checks.',
    take: 'Download the delta',
    fetching: 'Asking the gateway…',
    notTaken: (why: string) => `There is no delta now: ${why}`,
    bring: 'Import a delta',
    size: (kb: string, most: string) => `This file has ${kb} kB; a delta has 1 to ${most} kB.`,
    sure: (name: string) =>
      `Have this machine learn from ${name}? The result is a version like any other; you can go back to the one before.`,
  },
};

const de: typeof en = {
  intro:
    'Alles, was das Gateway aus Antworten über diese Maschine gelernt hat, Version für Version, die neueste zuerst.',
  none: 'Aus Antworten wurde noch nichts gelernt: Bewertet wird allein nach der gesunden Zeit.',
  open: 'Versionen und was sie geändert haben',
  states: {
    active: 'In Kraft',
    candidate: 'Auf Probe',
    rejected: 'Abgelehnt',
    retired: 'Abgelöst',
  },
  trial: 'Auf Probe',
  trialHint:
    'Eine neue Version läuft neben der geltenden mit. Bewährt sie sich, übernimmt sie von selbst.',
  trialProgress: (have, need) => `${have} von ${need} Fenstern`,
  trialCompare: (candidate, active) =>
    `gesunde Fenster über der Grenze: ${candidate} mit ihr, ${active} ohne sie`,
  waiting: (n) =>
    n === 1
      ? '1 Antwort wartet darauf, gelernt zu werden.'
      : `${String(n)} Antworten warten darauf, gelernt zu werden.`,
  taughtBy: (who) => `von ${who}`,
  trainings: (n, rejected) =>
    `${n}-mal gelernt, die späteren Male aus Fenstern nach der Antwort` +
    (rejected ? `; ${rejected} davon wurden abgelehnt` : ''),
  version: 'Version',
  before: 'Vorher',
  after: 'Nachher',
  actions: {
    promote: 'Jetzt in Kraft setzen',
    reject: 'Verwerfen',
    'roll-back': 'Dahin zurück',
  },
  hints: {
    promote: 'Die Probe endet, und diese Version gilt von nun an.',
    reject: 'Die Probe endet, und diese Version bleibt als abgelehnt erhalten.',
    'roll-back':
      'Das Gateway bewertet wieder nach dieser Version. Nichts geht verloren: Sie können zurückkommen.',
  },
  baselines: 'Gesunde Zeiten',
  baselineSince: 'gelernt',
  baselineActive: 'gilt jetzt',
  baselineBack: 'Dahin zurück',
  baselineBackTo: (when) => `Dahin zurück: gelernt ${when}`,
  baselineHint:
    'Das Gateway bewertet wieder nach dieser gesunden Zeit, mit dem, was darauf gelernt wurde. Die jetzige bleibt erhalten: Sie können zurückkommen.',
  gone: 'nicht mehr aufbewahrt',
  event: 'das Ereignis',
  size: (kb) => `${kb} kB`,
  compare: 'Was sie geändert hat',
  deltas: {
    title: 'Mitnehmen und einspielen',
    intro:
      'Was Antworten diese Maschine gelehrt haben, ist eine kleine signierte Datei. Eine Maschine mit derselben Referenz kann daraus lernen; ihre eigene Prüfung entscheidet. Messsignale sind nicht darin.',
    take: 'Delta herunterladen',
    fetching: 'Das Gateway wird gefragt …',
    notTaken: (why) => `Jetzt gibt es kein Delta: ${why}`,
    bring: 'Delta einspielen',
    size: (kb, most) => `Diese Datei hat ${kb} kB; ein Delta hat 1 bis ${most} kB.`,
    sure: (name) =>
      `Soll diese Maschine aus ${name} lernen? Was daraus wird, ist eine Version wie jede andere und lässt sich zurücknehmen.`,
  },
};

export const modelsText = ofLanguage({ en, de });
