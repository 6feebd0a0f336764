/** What the overview says. */
export const overviewEn = {
  site: 'Site',
  allSites: 'All sites',
  empty: 'No machine has reported yet.',
  emptyHint:
    'Machines appear here by themselves as soon as a gateway connects to the broker. Check the gateways page if this takes longer than a minute.',
  emptyGateway: 'A gateway is connected. Set up its first machine, with a sensor or simulated.',
  filter: 'Show machines by condition',
  order: 'Order',
  worstFirst: 'Worst first',
  byArea: 'By area',
  byName: 'By name',
  noArea: 'No area given',
  view: 'View',
  cards: 'Cards',
  list: 'List',
  map: 'Map',
  search: 'Find a machine',
  noMatch: 'No machine fits this filter.',
  needSomeone: (n: number) =>
    n === 0
      ? 'No machine needs attention'
      : n === 1
        ? '1 machine needs someone'
        : `${n} machines need someone`,
  rest: (parts: readonly string[]) => `${parts.join(', ')}.`,
  inHand: (n: number) => `${n} taken`,
  quiet: (n: number) => `${n} quiet`,
  atRest: (n: number) => `${n} at rest`,
  shelved: (n: number) => `${n} shelved, out of service or under planned work`,
  unacknowledged: (n: number) =>
    n === 1 ? '1 alarm not acknowledged' : `${n} alarms not acknowledged`,
  learning: (n: number) => `${n} learning`,
  gateways: (online: number, all: number) =>
    all === 1
      ? online
        ? 'gateway online'
        : 'gateway offline'
      : `${online} of ${all} gateways online`,
  reporting: (reporting: number, all: number) => `${reporting} of ${all} machines report`,
  someone: 'Needs someone',
  urgentFirst: 'most urgent first',
  hand: 'Taken',
  handHint: 'someone has taken it',
  quietTitle: 'Quiet',
  all: (n: number) => `All ${n}`,
  areaCount: (quiet: number, listed: number) =>
    `${quiet === 1 ? '1 machine' : `${quiet} machines`}${listed ? `, ${listed} above` : ''}`,
  toLimit: 'Time to limit',
  limitIn: (time: string) => `${time} to the limit`,
  range: (from: string, to: string) => `${from} to ${to}`,
  earliest: (time: string) => `${time} at the earliest`,
  noLimit: 'No limit in sight',
  notKnown: 'Not known',
  over: 'Over for now',
  evidence: 'Evidence',
  ofAlarm: (ratio: string) => `${ratio} × alarm level`,
  who: 'Acknowledged by',
  noOne: 'No one yet',
  since: (time: string) => `since ${time}`,
  began: (time: string) => `began ${time}`,
  closedAt: (time: string) => `closed ${time}`,
  approval: 'Baseline complete: an engineer must approve it',
  approve: 'Approve…',
  asked: (when: string, gateway: string) => `asked ${when} by ${gateway}`,
  ago: (ago: string) => `${ago} ago`,
  lastHeard: (ago: string) => `last message ${ago} ago`,
  noNews: (ago: string) => `No message for ${ago}`,
  never: 'Has not reported yet',
  unheard: 'never',
  unseenState: 'Unknown operating state',
  answer: 'Look and answer',
  points: (n: number) => (n === 1 ? '1 point' : `${n} points`),
  normalReason: 'Within its baseline.',
  learningReason: 'Learning its baseline. Only limits and ISO zones that are set for it apply yet.',
  changed: 'Changed, cause not clear yet',
  sure: (percent: string) => `${percent} sure`,
  zone: (letter: string) => `zone ${letter}`,
};

export const overviewDe: typeof overviewEn = {
  site: 'Standort',
  allSites: 'Alle Standorte',
  empty: 'Noch hat sich keine Maschine gemeldet.',
  emptyHint:
    'Maschinen erscheinen hier von selbst, sobald ein Gateway den Broker erreicht. Sehen Sie auf der Seite „Gateways“ nach, wenn das länger als eine Minute dauert.',
  emptyGateway:
    'Ein Gateway ist verbunden. Richten Sie seine erste Maschine ein, mit einem Sensor oder simuliert.',
  filter: 'Maschinen nach Zustand zeigen',
  order: 'Reihenfolge',
  worstFirst: 'Schlimmste zuerst',
  byArea: 'Nach Bereich',
  byName: 'Nach Name',
  noArea: 'Ohne Bereich',
  view: 'Ansicht',
  cards: 'Karten',
  list: 'Liste',
  map: 'Plan',
  search: 'Maschine suchen',
  noMatch: 'Keine Maschine passt zu diesem Filter.',
  needSomeone: (n) =>
    n === 0
      ? 'Keine Maschine braucht jemanden'
      : n === 1
        ? '1 Maschine braucht jemanden'
        : `${n} Maschinen brauchen jemanden`,
  rest: (parts) => `${parts.join(', ')}.`,
  inHand: (n) => `${n} in Arbeit`,
  quiet: (n) => `${n} ruhig`,
  atRest: (n) => `${n} im Stillstand`,
  shelved: (n) => `${n} zurückgestellt, außer Betrieb oder in geplanter Arbeit`,
  unacknowledged: (n) => (n === 1 ? '1 Alarm nicht quittiert' : `${n} Alarme nicht quittiert`),
  learning: (n) => `${n} lernend`,
  gateways: (online, all) =>
    all === 1
      ? online
        ? 'Gateway verbunden'
        : 'Gateway nicht verbunden'
      : `${online} von ${all} Gateways verbunden`,
  reporting: (reporting, all) => `${reporting} von ${all} Maschinen melden`,
  someone: 'Braucht jemanden',
  urgentFirst: 'dringendste zuerst',
  hand: 'In Arbeit',
  handHint: 'jemand kümmert sich darum',
  quietTitle: 'Ruhig',
  all: (n) => `Alle ${n}`,
  areaCount: (quiet, listed) =>
    `${quiet === 1 ? '1 Maschine' : `${quiet} Maschinen`}${listed ? `, ${listed} oben` : ''}`,
  toLimit: 'Zeit bis zur Grenze',
  limitIn: (time) => `${time} bis zur Grenze`,
  range: (from, to) => `${from} bis ${to}`,
  earliest: (time) => `frühestens ${time}`,
  noLimit: 'Keine Grenze in Sicht',
  notKnown: 'Nicht bekannt',
  over: 'Zurzeit vorbei',
  evidence: 'Evidenz',
  ofAlarm: (ratio) => `${ratio} × Alarmschwelle`,
  who: 'Quittiert von',
  noOne: 'Noch niemand',
  since: (time) => `seit ${time}`,
  began: (time) => `Beginn ${time}`,
  closedAt: (time) => `abgeschlossen ${time}`,
  approval: 'Referenz vollständig: Ein Ingenieur muss sie freigeben',
  approve: 'Freigeben…',
  asked: (when, gateway) => `gefragt ${when} von ${gateway}`,
  ago: (ago) => `vor ${ago}`,
  lastHeard: (ago) => `letzte Meldung vor ${ago}`,
  noNews: (ago) => `Keine Meldung seit ${ago}`,
  never: 'Hat sich noch nicht gemeldet',
  unheard: 'nie',
  unseenState: 'Unbekannter Betriebszustand',
  answer: 'Ansehen und antworten',
  points: (n) => (n === 1 ? '1 Messpunkt' : `${n} Messpunkte`),
  normalReason: 'Innerhalb der Referenz.',
  learningReason:
    'Lernt die Referenz. Bisher gelten nur Grenzen und ISO-Zonen, die für sie festgelegt sind.',
  changed: 'Verändert, Ursache noch unklar',
  sure: (percent) => `${percent} sicher`,
  zone: (letter) => `Zone ${letter}`,
};
