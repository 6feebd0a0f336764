import german from './german.json';

/** The languages that have names here. */
export type Language = 'en' | 'de';

type Words = Record<string, string>;

/** Words of the field for the features of docs/features.md; `#` stands for a number. The server says
 * the German ones too: auscult/contract/phrases/german.py has them. */
const NAMES: Record<Language, Words> = {
  en: {
    mean: 'Mean',
    rms: 'RMS',
    peak: 'Peak',
    peak_to_peak: 'Peak to peak',
    crest_factor: 'Crest factor',
    kurtosis: 'Kurtosis',
    skewness: 'Skewness',
    shape_factor: 'Shape factor',
    impulse_factor: 'Impulse factor',
    clearance_factor: 'Clearance factor',
    velocity_rms: 'Vibration velocity, RMS',
    displacement_rms: 'Displacement, RMS',
    acceleration_rms: 'Acceleration, RMS',
    velocity_peak: 'Vibration velocity, peak',
    acceleration_peak: 'Acceleration, peak',
    temperature: 'Temperature',
    current: 'Current',
    voltage: 'Voltage',
    power: 'Power',
    energy: 'Energy',
    pressure: 'Pressure',
    flow: 'Flow',
    speed: 'Speed',
    humidity: 'Humidity',
    spectral_centroid: 'Centre of the spectrum',
    spectral_spread: 'Width of the spectrum',
    spectral_entropy: 'Evenness of the spectrum',
    spectral_flatness: 'Flatness of the spectrum',
    spectral_rolloff: 'Upper edge of the spectrum',
    'band_#': 'Frequency band #',
    'third_octave_#': 'Third octave #',
    'octave_#': 'Octave #',
    'envelope_band_#': 'Envelope, band #',
    'mel_#': 'Sound band #',
    'mel_fluctuation_#': 'Fluctuation, sound band #',
    a_weighted_rms: 'A-weighted level',
    bpfo: 'Outer race (BPFO)',
    bpfi: 'Inner race (BPFI)',
    bsf: 'Rolling element (BSF)',
    ftf: 'Cage (FTF)',
    gear_mesh: 'Gear mesh',
    level: 'level',
    prominence: 'prominence',
    sidebands: 'sidebands',
    cepstrum_peak: 'Strongest periodicity',
    cepstrum_quefrency: 'Period of the strongest periodicity',
    cepstrum_shaft: 'Periodicity with the shaft',
    'order_#': '#× shaft speed',
    evidence: 'Evidence',
  },
  de: german.features,
};

/** Families of which each line has a level, a prominence and sidebands. */
const PART = /^(bpfo|bpfi|bsf|ftf|gear_mesh)_(level|prominence|sidebands)$/;
/** A band with edges that people chose. */
const OWN_BAND = /^rms_([\d.]+)_([\d.]+)hz$/;
const NUMBERED = /^(.*_)(\d+(?:\.\d+)?)(k?hz|x)?$/;

/**
 * A feature's name for people, without its unit: the unit follows the number. An unknown feature
 * keeps its own name, spelt out.
 */
export function featureName(feature: string, unit: string, language: Language): string {
  const words: Words = NAMES[language];
  const bare = withoutUnit(feature, unit);
  const own = OWN_BAND.exec(feature);
  if (own) return `${words['rms'] ?? ''} ${own[1] ?? ''}–${own[2] ?? ''}\u00a0Hz`;
  const part = PART.exec(bare);
  if (part) return `${words[part[1] ?? ''] ?? ''}: ${words[part[2] ?? ''] ?? ''}`;
  const whole = words[bare];
  if (whole) return whole;
  const numbered = NUMBERED.exec(bare);
  const pattern = numbered && words[`${numbered[1] ?? ''}#`];
  if (numbered && pattern) return pattern.replace('#', place(numbered[2] ?? '', numbered[3]));
  const spelt = bare.replace(/_/g, ' ').replace(/\brms\b/g, 'RMS');
  return spelt.charAt(0).toUpperCase() + spelt.slice(1);
}

function withoutUnit(feature: string, unit: string): string {
  const suffix = `_${unit.replace('/', '_').replace('²', '2').replace('µ', 'u').replace('°', '').toLowerCase()}`;
  return unit && feature.endsWith(suffix) ? feature.slice(0, -suffix.length) : feature;
}

/** A frequency as a quantity, an order or a band's number as it is counted from 1. */
function place(number: string, kind: string | undefined): string {
  if (kind === 'hz') return `${number}\u00a0Hz`;
  if (kind === 'khz') return `${number}\u00a0kHz`;
  return kind === 'x' ? number : String(Number(number) + 1);
}
