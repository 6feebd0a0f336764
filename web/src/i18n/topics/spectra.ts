/** What is said around spectra. */
export const spectraEn = {
  shaft: 'Shaft speed',
  mesh: (teeth: number) => `Gear mesh, ${String(teeth)} teeth`,
  mark: 'Mark frequencies of',
  markNothing: 'Mark frequencies…',
  cursor: 'Cursor',
  cursors: { single: 'Single', harmonics: 'Harmonics', sidebands: 'Sidebands' },
  spacing: 'Spacing',
  upTo: 'Frequency axis',
  upToHz: (hz: string) => `up to ${hz}`,
  healthyUpTo: (value: string) => `healthy up to ${value}`,
  bandKey: (n: number) =>
    `Grey band: where this machine’s lines lay while it was healthy (middle 80 % of ${String(n)} spectra).`,
  renews: (s: number) => `A new one is measured every ${String(s)} s while this page is open.`,
  renewsNoMore: 'Repeated measuring has ended; ask for one to continue.',
  nominalSpeed: 'at the speed on the name plate',
  waterfall: 'Spectra over time',
  waterfallHint:
    'Darker is stronger, newest at the bottom. The strip at the left shows the condition. Click a row to open that spectrum.',
  waterfallSays: (n: number, from: string, to: string) =>
    `${String(n)} spectra from ${from} to ${to}`,
  sketch: 'Where it is measured',
  sketchHint: 'A schematic: places are taken from the points’ names.',
};

export const spectraDe: typeof spectraEn = {
  shaft: 'Wellendrehzahl',
  mesh: (teeth) => `Zahneingriff, ${String(teeth)} Zähne`,
  mark: 'Frequenzen anzeigen von',
  markNothing: 'Frequenzen anzeigen …',
  cursor: 'Cursor',
  cursors: { single: 'Einzeln', harmonics: 'Harmonische', sidebands: 'Seitenbänder' },
  spacing: 'Abstand',
  upTo: 'Frequenzachse',
  upToHz: (hz) => `bis ${hz}`,
  healthyUpTo: (value) => `gesund bis ${value}`,
  bandKey: (n) =>
    `Graues Band: wo die Linien dieser Maschine lagen, solange sie gesund war (mittlere 80 % von ${String(n)} Spektren).`,
  renews: (s) => `Solange diese Seite offen ist, wird alle ${String(s)} s neu gemessen.`,
  renewsNoMore: 'Das selbsttätige Messen ist beendet; fordern Sie eines an, um weiterzumachen.',
  nominalSpeed: 'bei der Drehzahl des Typenschilds',
  waterfall: 'Spektren im Zeitverlauf',
  waterfallHint:
    'Dunkler ist stärker, das neueste unten. Der Streifen links zeigt den Zustand. Ein Klick auf eine Zeile öffnet das Spektrum.',
  waterfallSays: (n, from, to) => `${String(n)} Spektren von ${from} bis ${to}`,
  sketch: 'Wo gemessen wird',
  sketchHint: 'Schematisch: Die Orte sind aus den Namen der Messpunkte abgeleitet.',
};
