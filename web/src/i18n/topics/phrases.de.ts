import { sentenceDe } from './sentences.de';
import type { phrasesEn } from './phrases';

const UNITS = { months: 'Monaten', days: 'Tagen', hours: 'Stunden', minutes: 'Minuten' };
const SYMPTOMS: Record<string, string> = {
  'envelope steady': 'Hüllkurve unverändert',
  impulsive: 'stoßhaltiges Signal',
  asymmetric: 'unsymmetrisches Signal',
  'broad band rose': 'breitbandiger Anstieg',
  'high bands or impulses rose': 'Anstieg hoher Frequenzbänder oder Stöße',
  '1× or 3× rose': 'Anstieg bei 1× oder 3× Drehfrequenz',
  'gear mesh moved': 'Zahneingriffspegel verändert',
  'gear-mesh sidebands rose': 'Anstieg der Seitenbänder des Zahneingriffs',
  'shaft-spaced sidebands': 'Seitenbänder im Abstand der Drehfrequenz',
  'twice line frequency rose': 'Anstieg bei doppelter Netzfrequenz',
};
/** Families of symptoms: of a multiple of shaft speed, or of a bearing's line. */
const SYMPTOM_FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^(\d)× rose$/, 'Anstieg bei $1× Drehfrequenz'],
  [/^(\d)× steady$/, '$1× Drehfrequenz unverändert'],
  [/^(BPFO|BPFI|BSF|FTF) lines rose$/, 'Anstieg der $1-Linien'],
  [/^(BPFO|BPFI|BSF|FTF) stands out$/, '$1 ragt heraus'],
  [/^(BPFO|BPFI|BSF|FTF) sidebands rose$/, 'Anstieg der $1-Seitenbänder'],
  [/^(BPFO|BPFI|BSF|FTF) sidebands$/, '$1-Seitenbänder'],
];

/** German. „Lagerschadensfrequenz“, „Überhöhung“ und Grenzen wie in DIN ISO 13373 und 20816. */
export const phrasesDe: typeof phrasesEn = {
  departs: (changes) => `weicht von der Referenz ab: ${changes}`,
  departsTogether: (point, changes) =>
    'die Messpunkte weichen gemeinsam von der Referenz ab, einzeln noch keiner' +
    (changes ? `; am meisten ${point}: ${changes}` : ''),
  likely: (fault, found, missing) =>
    `${fault} wahrscheinlich: ${found}${missing && `; nicht gefunden: ${missing}`}`,
  unclear: (faults) => `unklar: ${faults.join(' oder ')} möglich`,
  noSymptom: 'unklar: Von keinem Fehler ist das Leitsymptom da',
  bearingFault: (fault, bearing, hz, order, db) =>
    `${fault} (${bearing}) wahrscheinlich: Linienkamm in der Hüllkurve bei ${hz} (${order} × angegebene Drehzahl), ${db} über Zufall`,
  theBearing: 'das Lager',
  noBearingFault: (line, db, ahead) =>
    `kein Lagerschaden ragt heraus: am ehesten ${line} mit ${db} über Zufall, ${ahead} vor dem nächsten`,
  bearingNotCarried: 'unklar: Die Aufnahme kann die Lagerschadensfrequenzen nicht enthalten',
  limit: (what, value, below, alarm, limit) =>
    `${what}: ${value} ${below ? 'unterschreitet' : 'überschreitet'} die ${alarm ? 'Alarmgrenze' : 'Warngrenze'} von ${limit}`,
  forecast: (what, alarm, limit, when) =>
    `${what}: Hält der Trend an, ist die ${alarm ? 'Alarmgrenze' : 'Warngrenze'} von ${limit} ${when} erreicht`,
  when: (expected, earliest, latest, unit) =>
    latest === null
      ? `in etwa ${expected} ${UNITS[unit]} (frühestens in ${earliest} ${UNITS[unit]})`
      : `in etwa ${expected} ${UNITS[unit]} (${earliest} bis ${latest} ${UNITS[unit]})`,
  sensorFault: (faults) => `Sensorstörung: ${faults}`,
  silent: (s) => `seit mehr als ${s} kein Messwert`,
  notRunning: 'steht still: Wird nicht beurteilt',
  unseenState: (state, nearest) =>
    `Betriebszustand ${state} kam in der Referenz nie vor (am ähnlichsten: ${nearest})`,
  load: (load) => `Last ${load}`,
  unstated: 'ohne Angabe',
  tag: (tag) => tag.replace(/^inferred state /, 'erkannter Zustand '),
  resembles: (kind, actor, day, share) =>
    `ähnelt einem früheren Ereignis, das ${actor} am ${day} als Fehler bestätigt hat${kind && ` (${kind})`}: ${share} Übereinstimmung`,
  windows: (n) => `${n} weitere Fenster`,
  windowsAt: (n, where) => `${n} weitere Fenster bei ${where}`,
  drift: (sigma, allowed) =>
    `die Merkmale wandern noch: Ein Viertel der Zeit liegt ${sigma}\u202fσ daneben, ${allowed}\u202fσ sind erlaubt`,
  isoSupportUnknown:
    'Die Aufstellung ist nicht angegeben: starr oder elastisch eintragen, damit nach ISO 20816-3 beurteilt wird',
  isoTooLarge: (power) =>
    `${power} liegen über dem Bereich von ISO 20816-3 (50 MW): stattdessen feste Grenzen setzen`,
  isoClassUnknown:
    'Weder Nennleistung noch Gruppe sind angegeben: eines davon eintragen, damit nach ISO 20816 beurteilt wird',
  isoUnitUndeclared: (points) =>
    `${points}: Die Einheit ist nicht angegeben; g, m/s² oder mm/s eintragen, damit nach ISO 20816 beurteilt wird`,
  sensors: {
    not_finite: 'Werte, die keine Zahlen sind',
    flat_line: 'Signal ohne jede Änderung',
    clipping: 'übersteuert: Wandler oder Sensor am Anschlag',
    bias: 'Ruhespannung außerhalb des Bereichs: Kabelbruch oder Kurzschluss',
    dropout: 'Aussetzer im Signal',
    spikes: 'einzelne Spitzen: elektrische Störung',
    noise_floor: 'nichts über dem Rauschen des Wandlers',
  },
  otherFaults: { rub: 'Anstreifen', electrical: 'Elektrischer Fehler' },
  symptom: (symptom) => {
    const known = SYMPTOMS[symptom];
    if (known !== undefined) return known;
    const family = SYMPTOM_FAMILIES.find(([pattern]) => pattern.test(symptom));
    return family ? symptom.replace(...family) : symptom;
  },
  standard: (title) =>
    title
      .replace(' group ', ' Gruppe ')
      .replace(' class ', ' Klasse ')
      .replace(', rigid', ', starr')
      .replace(', flexible', ', elastisch'),
  band: (range) => `Band ${range}`,
  envelopeBand: (range, order) => `Hüllkurve ${range}${order && ` (${order} × Drehfrequenz)`}`,
  fluctuation: (range) => `Schwankung im Band ${range}`,
  sentence: sentenceDe,
};
