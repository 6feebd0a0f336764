import { ofLanguage } from '../i18n.svelte';

/** What is said while the columns of a historian's export are mapped. */
const en = {
  open: 'Map a table of values',
  intro:
    'A historian’s export (CSV or Parquet) in the folder of the gateway’s recordings (recordings_dir). The mapping goes into values.toml beside it; auscult rehearse then plays the table. Only the first rows are read here.',
  table: 'Table',
  choose: 'choose',
  none: 'The gateway sees no table. Put one into its recordings_dir.',
  more: (n: number) => (n === 1 ? 'One more is not shown.' : `${String(n)} more are not shown.`),
  looking: 'The gateway looks…',
  layout: 'How the table is read',
  time: 'Column of the times',
  time_format: 'Form of the times',
  time_formatHint: 'only if they are not recognised, e.g. %m/%d/%Y %H:%M',
  timezone: 'Time zone',
  timezoneHint: 'of times that state none, e.g. Europe/Berlin',
  tag: 'Column of the names',
  value: 'Column of the numbers',
  wide: 'none: each value has a column',
  events: 'Table of known breakdowns',
  eventsHint: 'optional, in the same folder, with columns from, to, what',
  again: 'Read it this way',
  stored: 'values.toml maps this table already.',
  drafted: 'This is a draft from the names and first cells of the columns.',
  unsaid: 'The table does not say:',
  mixed:
    'The machines of this table read it in different ways. Change them in values.toml on the gateway.',
  noCells: 'no value in the first rows',
  use: 'What it is',
  uses: {
    unused: 'not used',
    value: 'measurement',
    running_value: 'measurement that shows whether the machine runs',
    run_bit: 'says whether the machine runs',
  },
  runsTwice: 'Another row says already whether this machine runs; change one of the two.',
  machine: 'Machine',
  point: 'Point',
  above: 'Runs above',
  moreTags:
    'Shown are the names in the first rows; the table has more rows, maybe with more names.',
  gap: 'A cell without a number is a gap.',
  write: 'Write values.toml',
};

const de: typeof en = {
  open: 'Tabelle mit Werten zuordnen',
  intro:
    'Ein Export aus dem Betriebsdatenarchiv (CSV oder Parquet) im Ordner der Aufnahmen des Gateways (recordings_dir). Die Zuordnung kommt in values.toml daneben; auscult rehearse spielt die Tabelle dann ab. Gelesen werden hier nur die ersten Zeilen.',
  table: 'Tabelle',
  choose: 'wählen',
  none: 'Das Gateway sieht keine Tabelle. Legen Sie eine in sein recordings_dir.',
  more: (n) =>
    n === 1 ? 'Eine weitere wird nicht gezeigt.' : `${String(n)} weitere werden nicht gezeigt.`,
  looking: 'Das Gateway sieht nach…',
  layout: 'Wie die Tabelle gelesen wird',
  time: 'Spalte der Zeiten',
  time_format: 'Form der Zeiten',
  time_formatHint: 'nur wenn sie nicht erkannt werden, z. B. %m/%d/%Y %H:%M',
  timezone: 'Zeitzone',
  timezoneHint: 'von Zeiten ohne Angabe, z. B. Europe/Berlin',
  tag: 'Spalte der Namen',
  value: 'Spalte der Zahlen',
  wide: 'keine: jeder Wert hat eine Spalte',
  events: 'Tabelle bekannter Ausfälle',
  eventsHint: 'freiwillig, im selben Ordner, mit den Spalten from, to, what',
  again: 'So lesen',
  stored: 'values.toml ordnet diese Tabelle schon zu.',
  drafted: 'Das ist ein Vorschlag nach den Namen und ersten Zellen der Spalten.',
  unsaid: 'Die Tabelle sagt nicht:',
  mixed:
    'Die Maschinen dieser Tabelle lesen sie auf verschiedene Weise. Ändern Sie sie in values.toml auf dem Gateway.',
  noCells: 'kein Wert in den ersten Zeilen',
  use: 'Was es ist',
  uses: {
    unused: 'nicht verwendet',
    value: 'Messwert',
    running_value: 'Messwert, der zeigt, ob die Maschine läuft',
    run_bit: 'sagt, ob die Maschine läuft',
  },
  runsTwice: 'Schon eine andere Zeile sagt, ob diese Maschine läuft; eine der beiden ändern.',
  machine: 'Maschine',
  point: 'Messpunkt',
  above: 'Läuft über',
  moreTags:
    'Gezeigt sind die Namen der ersten Zeilen; die Tabelle hat mehr Zeilen, vielleicht mit weiteren Namen.',
  gap: 'Eine Zelle ohne Zahl ist eine Lücke.',
  write: 'values.toml schreiben',
};

export const tableText = ofLanguage({ en, de });
