import { ofLanguage } from '../i18n.svelte';

/** What is said around listening to a machine. */
const en = {
  title: 'Listen',
  intro: 'Vibration made audible: listen to the machine now, and to its healthy period.',
  now: 'Now',
  healthy: 'Healthy',
  ask: {
    recent: 'Fetch the last seconds',
    healthy: 'Fetch a healthy sample',
  },
  asking: 'Asked; it is here as soon as the gateway sends it.',
  refused: (why: string) => `The gateway refused: ${why}`,
  failed: (why: string) => `It could not be asked: ${why}`,
  notPlayed: 'It could not be played.',
  none: 'Nothing fetched yet.',
  techniciansOnly: 'Technicians can fetch a sample.',
  play: (what: string) => `Play: ${what}`,
  pause: (what: string) => `Pause: ${what}`,
  facts: (length: string, rms: string, peak: string) => `${length} · RMS ${rms} · peak ${peak}`,
  raise: 'Raise the pitch',
  raiseHint: 'Plays faster: low rumble of slow machines becomes audible.',
  speeds: { '1': 'as it is', '2': '2×', '4': '4×' },
  sameLoudness: 'Same scale: what is louder is stronger at the machine.',
};

const de: typeof en = {
  title: 'Anhören',
  intro: 'Schwingung hörbar gemacht: die Maschine jetzt, und wie sie gesund klang.',
  now: 'Jetzt',
  healthy: 'Gesund',
  ask: {
    recent: 'Die letzten Sekunden holen',
    healthy: 'Eine gesunde Aufnahme holen',
  },
  asking: 'Angefordert; sie ist hier, sobald das Gateway sie sendet.',
  refused: (why) => `Das Gateway hat abgelehnt: ${why}`,
  failed: (why) => `Die Anforderung ging nicht: ${why}`,
  notPlayed: 'Sie ließ sich nicht abspielen.',
  none: 'Noch nichts geholt.',
  techniciansOnly: 'Techniker können eine Aufnahme holen.',
  play: (what) => `Abspielen: ${what}`,
  pause: (what) => `Anhalten: ${what}`,
  facts: (length, rms, peak) => `${length} · effektiv ${rms} · Spitze ${peak}`,
  raise: 'Tonhöhe anheben',
  raiseHint: 'Spielt schneller: Das tiefe Grollen langsamer Maschinen wird hörbar.',
  speeds: { '1': 'wie es ist', '2': '2×', '4': '4×' },
  sameLoudness: 'Gleicher Maßstab: Was lauter ist, ist stärker.',
};

export const listeningText = ofLanguage({ en, de });
