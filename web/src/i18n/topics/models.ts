/** What is said of what a machine has learned. */
export const modelsEn = {
  intro: 'Every version of what answers have taught the gateway about this machine, newest first.',
  none: 'Nothing was learned from answers yet: the healthy period alone judges.',
  open: 'Versions and what they changed',
  states: {
    active: 'Judges now',
    candidate: 'On trial',
    rejected: 'Rejected',
    retired: 'Replaced',
  },
  trial: 'On trial',
  trialHint:
    'A new version watches beside the one that judges. It takes over by itself when it has proved itself.',
  trialProgress: (have: string, need: string) => `${have} of ${need} windows`,
  trialCompare: (candidate: string, active: string) =>
    `healthy windows beyond the limit: ${candidate} with it, ${active} as judged now`,
  waiting: (n: number) =>
    n === 1 ? '1 answer waits to be learned.' : `${String(n)} answers wait to be learned.`,
  taughtBy: (who: string) => `by ${who}`,
  version: 'Version',
  before: 'Before',
  after: 'After',
  actions: {
    promote: 'Let it judge now',
    reject: 'Drop it',
    'roll-back': 'Go back to this',
  },
  hints: {
    promote: 'The trial ends and this version judges from now on.',
    reject: 'The trial ends and this version is kept as rejected.',
    'roll-back': 'The gateway judges by this version again. Nothing is lost: you can come back.',
  },
  confirm: 'Yes, do it',
  sent: 'Sent; the gateway has not confirmed it yet.',
  refused: (why: string) => `The gateway refused: ${why}`,
  baselines: 'Healthy periods',
  baselineSince: 'learned',
  baselineActive: 'judges now',
  gone: 'no longer kept',
  event: 'the event',
  size: (kb: string) => `${kb} kB`,
  compare: 'What it changed',
};

export const modelsDe: typeof modelsEn = {
  intro:
    'Jede Fassung dessen, was Antworten das Gateway über diese Maschine gelehrt haben, neueste zuerst.',
  none: 'Aus Antworten wurde noch nichts gelernt: Die gesunde Zeit allein urteilt.',
  open: 'Fassungen und was sie geändert haben',
  states: {
    active: 'Urteilt jetzt',
    candidate: 'Auf Probe',
    rejected: 'Abgelehnt',
    retired: 'Abgelöst',
  },
  trial: 'Auf Probe',
  trialHint:
    'Eine neue Fassung schaut neben der mit, die urteilt. Bewährt sie sich, übernimmt sie von selbst.',
  trialProgress: (have, need) => `${have} von ${need} Fenstern`,
  trialCompare: (candidate, active) =>
    `gesunde Fenster über der Grenze: ${candidate} mit ihr, ${active} nach jetzigem Urteil`,
  waiting: (n) =>
    n === 1
      ? '1 Antwort wartet darauf, gelernt zu werden.'
      : `${String(n)} Antworten warten darauf, gelernt zu werden.`,
  taughtBy: (who) => `von ${who}`,
  version: 'Fassung',
  before: 'Vorher',
  after: 'Nachher',
  actions: {
    promote: 'Jetzt urteilen lassen',
    reject: 'Verwerfen',
    'roll-back': 'Dahin zurück',
  },
  hints: {
    promote: 'Die Probe endet, und diese Fassung urteilt von nun an.',
    reject: 'Die Probe endet, und diese Fassung bleibt als abgelehnt erhalten.',
    'roll-back':
      'Das Gateway urteilt wieder nach dieser Fassung. Nichts geht verloren: Sie können zurückkommen.',
  },
  confirm: 'Ja, ausführen',
  sent: 'Gesendet; das Gateway hat es noch nicht bestätigt.',
  refused: (why) => `Das Gateway hat abgelehnt: ${why}`,
  baselines: 'Gesunde Zeiten',
  baselineSince: 'gelernt',
  baselineActive: 'urteilt jetzt',
  gone: 'nicht mehr aufbewahrt',
  event: 'das Ereignis',
  size: (kb) => `${kb} kB`,
  compare: 'Was sie geändert hat',
};
