import { ofLanguage } from '../i18n.svelte';

/** Run-ups and coast-downs: critical speeds, Bode and polar plot, cascade. */
const en = {
  title: 'Run-ups and coast-downs',
  none: 'None yet. The gateway keeps each change of speed by half or more, where the speed is known: from a tachometer or a value.',
  which: 'Run-up or coast-down',
  up: 'run-up',
  down: 'coast-down',
  beside: 'Compare with',
  nothing: 'no comparison',
  earlier: 'Dashed: the one it is compared with.',
  critical: 'Critical speeds',
  noCritical: 'No critical speed was passed.',
  rpm: 'Speed',
  amplitude: 'Amplitude of 1×',
  amplification: 'Amplification',
  turn: 'Turn of phase',
  phase: 'Phase of 1×',
  noPhase:
    'Without a tachometer of one pulse a turn there is no phase: a peak may be a resonance of the frame.',
  bode: (what: string) => `${what} over the speed`,
  polar: 'Polar plot of 1×',
  polarSays: (reach: string) =>
    `Radius of the grey circle: ${reach}. 0° is on the right, a lag turns clockwise. Dots: critical speeds.`,
  cascade: 'Cascade',
  axis: 'Axis of the cascade',
  orders: 'Orders',
  cascadeSays: (n: number, low: string, high: string) =>
    `${String(n)} spectra from ${low} to ${high}`,
};

const de: typeof en = {
  title: 'Hochläufe und Ausläufe',
  none: 'Noch keine. Das Gateway behält jede Änderung der Drehzahl um die Hälfte oder mehr, wo die Drehzahl bekannt ist: von einem Tachometer oder einem Wert.',
  which: 'Hochlauf oder Auslauf',
  up: 'Hochlauf',
  down: 'Auslauf',
  beside: 'Vergleichen mit',
  nothing: 'kein Vergleich',
  earlier: 'Gestrichelt: der Lauf, mit dem verglichen wird.',
  critical: 'Kritische Drehzahlen',
  noCritical: 'Es wurde keine kritische Drehzahl durchfahren.',
  rpm: 'Drehzahl',
  amplitude: 'Amplitude von 1×',
  amplification: 'Verstärkung',
  turn: 'Phasendrehung',
  phase: 'Phase von 1×',
  noPhase:
    'Ohne Tachometer mit einem Impuls je Umdrehung gibt es keine Phase: Eine Spitze kann eine Resonanz des Gestells sein.',
  bode: (what) => `${what} über der Drehzahl`,
  polar: 'Ortskurve von 1×',
  polarSays: (reach) =>
    `Radius des grauen Kreises: ${reach}. 0° ist rechts, eine Nacheilung dreht im Uhrzeigersinn. Punkte: kritische Drehzahlen.`,
  cascade: 'Kaskade',
  axis: 'Achse der Kaskade',
  orders: 'Ordnungen',
  cascadeSays: (n, low, high) => `${String(n)} Spektren von ${low} bis ${high}`,
};

export const runUpText = ofLanguage({ en, de });
