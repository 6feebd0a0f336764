/** What server and gateway find wrong with what was sent, by its form; see `sentences.de.ts`. */
export const PROBLEMS_DE: readonly (readonly [RegExp, string])[] = [
  // answers of the server
  [/^there is no (.+) '(.+)'$/, '$1 „$2“ gibt es nicht'],
  [/^sign in first .+$/, 'bitte zuerst anmelden'],
  [/^this needs the role (\w+)$/, 'dafür braucht es die Rolle $1'],
  [/^(.+) is (viewer|technician|engineer|administrator)$/, '$1 ist $2'],
  [/^nothing can be stored now \(.*\)$/, 'jetzt kann nichts gespeichert werden'],
  [
    /^try again, and check the server's disk$/,
    'bitte noch einmal versuchen und die Platte des Servers prüfen',
  ],
  [/^an error inside the server$/, 'ein Fehler im Server'],
  [/^its log says more$/, 'sein Protokoll sagt mehr'],
  [/^'(.+)' is in the published list$/, '„$1“ steht schon im Katalog'],
  [/^take another name$/, 'bitte einen anderen Namen nehmen'],
  [/^old: this is not the password$/, 'das alte Passwort stimmt nicht'],
  [
    /^name: use 2 to 64 letters, digits, .*$/,
    'Name: 2 bis 64 Buchstaben, Ziffern, „.“, „_“, „@“ oder „-“',
  ],
  [/^body\.name: '(.+)' is taken$/, 'der Name $1 ist vergeben'],
  [
    /^body\.there must be an active administrator: make another one first$/,
    'es muss einen aktiven Administrator geben: zuerst einen anderen anlegen',
  ],
  [/^(?:body\.)?password: (\d+) characters$/, 'das Passwort hat $1 Zeichen'],
  [/^use at least (\d+)$/, 'nötig sind mindestens $1'],
  [/^use at most (\d+)$/, 'erlaubt sind höchstens $1'],
  [
    /^(?:body\.)?password: use at least (\d+) different characters$/,
    'das Passwort braucht mindestens $1 verschiedene Zeichen',
  ],
  [
    /^(?:body\.)?password: must not be made of the name$/,
    'das Passwort darf nicht aus dem Namen gebildet sein',
  ],
  [/^since_ms .+ must be before until_ms .+$/, 'der Anfang muss vor dem Ende liegen'],
  [/^TypeError: .*$/, 'der Server ist nicht erreichbar'],
  [/^(Failed to fetch|NetworkError.*|Load failed)$/, 'der Server ist nicht erreichbar'],
  // tables of machines
  [/^this column is missing$/, 'diese Spalte fehlt'],
  [/^there is no such column$/, 'diese Spalte gibt es nicht'],
  [/^see the template$/, 'siehe Vorlage'],
  [/^must not be empty$/, 'darf nicht leer sein'],
  [/^the table is empty$/, 'die Tabelle ist leer'],
  [/^more than (\d+) rows$/, 'mehr als $1 Zeilen'],
  [/^'(.*)' is not a number$/, '„$1“ ist keine Zahl'],
  [/^'(.*)': say yes or no$/, '„$1“: yes oder no schreiben'],
  [/^no bearing '(.+)' in the catalogue$/, 'kein Lager „$1“ im Katalog'],
  [/^add it there first$/, 'bitte dort zuerst aufnehmen'],
  [/^row (\d+) says '?(.*?)'?$/, 'Zeile $1 sagt „$2“'],
  [/^say it once, or alike$/, 'nur einmal angeben, oder gleich'],
  [
    /^'(.+)': write feature>warning\/alarm, .*$/,
    '„$1“: Merkmal>Warnung/Alarm schreiben, z. B. kurtosis>4/8',
  ],
  [/^'(.+)': write name=topic#\/pointer .*$/, '„$1“: Name=Thema#/Ort *Faktor +Versatz schreiben'],
  [/^this machine plays recordings already$/, 'diese Maschine spielt schon Aufnahmen'],
  [/^it has one kind of source$/, 'sie hat nur eine Art von Quelle'],
  [/^needs a point with a topic$/, 'braucht einen Messpunkt mit Thema'],
  // machines
  [
    /^machine '(.+)' is in the gateway's own file$/,
    'Maschine $1 steht in der eigenen Datei des Gateways',
  ],
  [/^change it there, or take another id$/, 'dort ändern oder eine andere Kennung nehmen'],
  [/^machine id '(.+)' is used twice$/, 'die Kennung $1 ist doppelt'],
  [/^machine '(.+)' has point id '(.+)' twice$/, 'Maschine $1 hat den Messpunkt $2 doppelt'],
  [
    /^it delivers to machine '(.+)', which is not in the list$/,
    'sie liefert an Maschine $1, die nicht in der Liste ist',
  ],
  [/^machine '(.+)' has a source already$/, 'Maschine $1 hat schon eine Quelle'],
  [
    /^'(.+)' is outside the gateway's recordings_dir .+$/,
    '„$1“ liegt außerhalb von recordings_dir des Gateways',
  ],
  [
    /^unit 'V' needs sensitivity_mv and sensitivity_unit$/,
    'die Einheit V braucht eine Empfindlichkeit mit Einheit',
  ],
  [
    /^give both envelope_low_hz and envelope_high_hz, or neither$/,
    'bei der Hüllkurve beide Grenzen angeben oder keine',
  ],
  [
    /^limit on '(.+)': give warning, alarm or both$/,
    'Grenze auf $1: Warnung, Alarm oder beides angeben',
  ],
  [
    /^limit on '(.+)': warning (\S+) must be reached before alarm (\S+)$/,
    'Grenze auf $1: Die Warnung bei $2 muss vor dem Alarm bei $3 erreicht werden',
  ],
  [
    /^burst_s and interval_s belong together: give both or neither$/,
    'Messdauer und Abstand gehören zusammen',
  ],
  [/^(point|topic|tag) '(.+)' is named twice$/, '„$2“ ist doppelt genannt'],
  // values
  [/^Input should be greater than or equal to (\S+)$/, 'mindestens $1'],
  [/^Input should be greater than (\S+)$/, 'größer als $1'],
  [/^Input should be less than or equal to (\S+)$/, 'höchstens $1'],
  [/^Input should be less than (\S+)$/, 'kleiner als $1'],
  [/^Input should be (.+)$/, 'erlaubt sind: $1'],
  [/^Field required$/, 'fehlt'],
  [/^String should have at least (\d+) characters?$/, 'mindestens $1 Zeichen'],
  [/^String should have at most (\d+) characters?$/, 'höchstens $1 Zeichen'],
];
