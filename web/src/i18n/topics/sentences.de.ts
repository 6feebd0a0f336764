import { PROBLEMS_DE } from './problems.de';

/**
 * Sentences that a gateway or the server writes without a code: answers to commands, and what a
 * lesson came to. Each is known by its form; what is not known stays as it was written. Parts that
 * are joined by `; ` are known one by one.
 */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  // what a lesson came to
  [
    /^(\d+) of (\d+) labelled false alarms are silent, (\d+) of (\d+) confirmed faults still alarm$/,
    '$1 von $2 gemeldeten Fehlalarmen sind still, $3 von $4 bestätigten Fehlern alarmieren weiter',
  ],
  [
    /^would lose or weaken the confirmed fault of event (.+)$/,
    'der bestätigte Fehler von Ereignis $1 ginge verloren oder würde schwächer erkannt',
  ],
  [
    /^(\d+) of (\d+) confirmed faults would be lost$/,
    '$1 von $2 bestätigten Fehlern gingen verloren',
  ],
  [
    /^false alarms on healthy windows would rise from (\S+) to (\S+)$/,
    'Fehlalarme auf gesunden Fenstern stiegen von $1 auf $2',
  ],
  [
    /^the false alarm of event (\S+) would go from (\S+) σ to (\S+) σ, (\S+) σ is silent$/,
    'der Fehlalarm von Ereignis $1 ginge von $2 σ auf $3 σ; still ist er ab $4 σ',
  ],
  [
    /^contradicts the false-alarm label of event (.+)$/,
    'widerspricht der Antwort „Fehlalarm“ auf Ereignis $1',
  ],
  [/^replaces the answer of (.+)$/, 'ersetzt die Antwort von $1'],
  [/^the event counts as open$/, 'das Ereignis gilt wieder als offen'],
  [/^runs in the shadow of the active heads first$/, 'läuft zunächst auf Probe'],
  [/^runs beside the active one$/, 'läuft zunächst auf Probe'],
  [
    /^no window of this event is kept, so nothing can be learned$/,
    'von diesem Ereignis ist kein Fenster mehr aufbewahrt, daraus lässt sich nichts lernen',
  ],
  [
    /^learned again from new windows of labelled events: (.+)$/,
    'aus neuen Fenstern beantworteter Ereignisse nachgelernt: $1',
  ],
  [/^delta of (\S+) at (\S+) \((\S+)\): (.+)$/, 'Delta von $1 an Gerät $2 ($3): $4'],
  [
    /^the shadow run (passed|failed): (\d+) live windows: (\d+) healthy ones beyond the limit, (\d+) before$/,
    'Probelauf $1: $2 Fenster, davon gesunde über der Grenze: $3, vorher $4',
  ],
  [/^(\d+) like a confirmed fault hidden$/, '$1 verdeckt, die einem bestätigten Fehler gleichen'],
  [
    /^the head of (.+) is full, it holds (\d+) places at most and had to join some: .+$/,
    'an $1 ist kein Platz mehr für Antworten (höchstens $2): eine neue Referenz lernen, die diese Zustände enthält',
  ],
  [/^nothing is learned from this answer$/, 'aus dieser Antwort wird nichts gelernt'],
  [/^maintenance teaches no fault$/, 'aus Wartung wird kein Fehler gelernt'],
  [
    /^if the machine runs differently from now on, start a new baseline: .+$/,
    'läuft die Maschine von nun an anders, eine neue Referenz beginnen; die jetzige bleibt erhalten',
  ],
  // what a label waits for
  [/^waits for (\d+) more labels?$/, 'wartet auf $1 weitere Antworten'],
  [
    /^waits (\d+) s until the last training has cooled down$/,
    'wartet $1 s nach dem letzten Lernen',
  ],
  [/^waits until the gateway has time to learn it$/, 'wartet, bis das Gateway Zeit zum Lernen hat'],
  [/^waits for the computer to recover: .+$/, 'wartet, bis sich der Rechner erholt hat'],
  [
    /^the machine has no baseline yet, so there is nothing to teach$/,
    'die Maschine hat noch keine Referenz, es gibt noch nichts zu lernen',
  ],
  [/^could not be learned$/, 'konnte nicht gelernt werden'],
  [/^see the gateway's log$/, 'siehe Protokoll des Gateways'],
  // versions
  [/^a new baseline, no labels yet$/, 'neue Referenz, noch ohne Antworten'],
  [/^back to (\S+), with its baseline$/, 'zurück zu $1, mit seiner Referenz'],
  [/^back to (\S+)$/, 'zurück zu $1'],
  [/^promoted by (.+)$/, 'von $1 vorzeitig übernommen'],
  [/^rejected by (.+)$/, 'von $1 verworfen'],
  [/^now active is (\S+)$/, 'jetzt gilt $1'],
  [/^baseline (\S+) judges again$/, 'Referenz $1 gilt wieder'],
  [/^fewer alarms per week, no fault lost$/, 'weniger Alarme je Woche, kein Fehler verloren'],
  // refusals
  [/^this gateway has no machine '?([^']+)'?$/, 'dieses Gateway hat keine Maschine $1'],
  [/^this gateway has no event (\S+)$/, 'dieses Gateway hat kein Ereignis $1'],
  [/^machine (\S+) has no point '?([^']+)'?$/, 'Maschine $1 hat keinen Messpunkt $2'],
  [/^machine (\S+) still learns its baseline$/, 'Maschine $1 lernt ihre Referenz noch'],
  [/^its baseline is (\S+) by now, not (\S+)$/, 'ihre Referenz ist inzwischen $1, nicht $2'],
  [/^look again$/, 'bitte noch einmal ansehen'],
  [
    /^no healthy period of (\S+) is collecting: (\S+)$/,
    'bei $1 wird gerade keine gesunde Zeit gesammelt',
  ],
  [
    /^(\S+) has no earlier baseline to go back to$/,
    '$1 hat keine frühere Referenz, zu der man zurückgehen könnte',
  ],
  [/^no window of (\S+) has been heard yet$/, 'von $1 wurde noch nichts gemessen'],
  [/^baseline (\S+) of (\S+) is not kept$/, 'Referenz $1 von $2 ist nicht mehr aufbewahrt'],
  [/^(\S+) is not a candidate of (\S+) now$/, '$1 ist bei $2 nicht mehr auf Probe'],
  [
    /^checkpoint (\S+) belongs to another baseline$/,
    'Lernstand $1 gehört zu einer anderen Referenz',
  ],
  [
    /^the weights of checkpoint (\S+) are not kept$/,
    'die Gewichte von Lernstand $1 sind nicht mehr aufbewahrt',
  ],
  [/^there is no checkpoint (\S+)$/, 'einen Lernstand $1 gibt es nicht'],
  [/^event (\S+) is over and waits for nobody$/, 'Ereignis $1 ist vorbei und wartet auf niemanden'],
  [/^(.+) has acknowledged it already$/, '$1 hat schon quittiert'],
  [/^it has become worse: .+$/, 'es ist inzwischen schlimmer geworden'],
  [
    /^(\S+) is out of service: bring it back first$/,
    '$1 ist außer Betrieb: erst wieder in Betrieb nehmen',
  ],
  [/^(\S+) is not shelved$/, '$1 ist nicht zurückgestellt'],
  [/^(\S+) is not out of service$/, '$1 ist nicht außer Betrieb'],
  [/^the alarms of (\S+) are shelved$/, 'die Alarme von $1 sind zurückgestellt'],
  [/^the alarms of (\S+) are out of service$/, 'die Alarme von $1 sind außer Betrieb'],
  [/^no signal of (\S+) .+ yet$/, 'von $1 gibt es noch kein Signal'],
  [/^more than (\d+) clips an hour$/, 'mehr als $1 Klangproben in der Stunde'],
  [/^ask again later$/, 'bitte später noch einmal'],
  [/^raw signals never leave this gateway.*$/, 'Rohsignale verlassen dieses Gateway nicht'],
  [/^expired (\d+) s ago$/, 'vor $1 s abgelaufen'],
  [
    /^the machines were changed by someone else meanwhile$/,
    'die Maschinen wurden inzwischen von jemand anderem geändert',
  ],
  [/^load them again$/, 'bitte neu laden'],
  [/^the gateway failed to do it$/, 'dem Gateway ist dabei ein Fehler unterlaufen'],
  [/^see its log$/, 'siehe sein Protokoll'],
  [/^the gateway did not answer in time$/, 'das Gateway hat nicht rechtzeitig geantwortet'],
  [/^ask again when it is online$/, 'bitte noch einmal, wenn es verbunden ist'],
  [
    /^limit of point '([^']+)': it has no feature '([^']+)'$/,
    'Grenze an $1: Dieser Messpunkt hat kein Merkmal $2',
  ],
  [/^see docs\/features\.md$/, 'siehe docs/features.md'],
  [/^the delta is not applied: (.+)$/, 'das Delta wird nicht eingespielt: $1'],
  [
    /^(\d+) bytes that are no delta of this version: .+$/,
    '$1 Byte, die kein Delta dieser Version sind: eine Datei wählen, die als Delta geladen wurde',
  ],
  [
    /^signed with key (\S+)…, which is not trusted here$/,
    'unterschrieben mit dem Schlüssel $1…, dem hier nicht vertraut wird',
  ],
  [
    /^the signature is wrong: .+$/,
    'die Unterschrift stimmt nicht: das Delta wurde verändert oder beschädigt',
  ],
  [/^it can't be read \(.+\)$/, 'es ist nicht lesbar'],
  [/^another version made it$/, 'eine andere Version hat es erstellt'],
  [
    /^made for base (\S+) and specification (\S+), this machine has (\S+) and (\S+)$/,
    'erstellt für Modell $1 und Merkmale $2, diese Maschine hat $3 und $4',
  ],
  [
    /^made for points (\[.*\]), this machine has (\[.*\])$/,
    'erstellt für die Messpunkte $1, diese Maschine hat $2',
  ],
  [
    /^point (\S+) has values that are no numbers, or of another model$/,
    'Messpunkt $1 hat Werte, die keine Zahlen sind oder zu einem anderen Modell gehören',
  ],
  [/^not now: (.+)$/, 'jetzt nicht: $1'],
  [/^bring the delta again then$/, 'dann das Delta noch einmal einspielen'],
  [/^machine (\S+) has no baseline yet$/, 'Maschine $1 hat noch keine Referenz'],
  [/^accepted: (.+)$/, 'angenommen: $1'],
  [/^rejected: (.+)$/, 'abgelehnt: $1'],
  [
    /^gateway (\S+) did not answer within (\S+) s$/,
    'Gateway $1 hat nicht innerhalb von $2 s geantwortet',
  ],
  // states of sources and links
  [/^ended$/, 'beendet'],
  [/^not connected to its broker$/, 'nicht mit seinem Broker verbunden'],
  [/^not connected$/, 'nicht verbunden'],
  [/^trying again$/, 'es wird weiter versucht'],
  [
    /^(\d+) blocks dropped, the gateway was late$/,
    '$1 Blöcke verworfen, das Gateway kam nicht nach',
  ],
  [/^done$/, 'ausgeführt'],
];

const WORDS = new Map(
  Object.entries({
    passed: 'bestanden',
    failed: 'nicht bestanden',
    viewer: 'Betrachter',
    technician: 'Techniker',
    engineer: 'Ingenieur',
    administrator: 'Administrator',
    machine: 'Maschine',
    point: 'Messpunkt',
    event: 'Ereignis',
    gateway: 'Gateway',
    label: 'Antwort',
    command: 'Auftrag',
    spectrum: 'Spektrum',
  }),
);

/** The sentence in German where it is known, part by part. */
export function sentenceDe(text: string): string {
  return text.split('; ').map(partDe).join('; ');
}

function partDe(part: string): string {
  for (const [pattern, german] of [...SENTENCES, ...PROBLEMS_DE]) {
    const found = pattern.exec(part);
    if (found) return german.replace(/\$(\d)/g, (_, n: string) => valueDe(found[Number(n)] ?? ''));
  }
  return part;
}

/** What varies, as German writes it: a comma in numbers; a sentence within, in German too. */
function valueDe(value: string): string {
  if (/^-?\d+\.\d+%?$/.test(value)) return value.replace('.', ',').replace('%', '\u202f%');
  return WORDS.get(value) ?? (value.includes(' ') ? partDe(value) : value);
}
