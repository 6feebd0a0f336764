import { ofLanguage } from '../i18n.svelte';

/** Orbit and phase of two points. */
const en = {
  title: 'Orbit and phase of two points',
  other: 'Against',
  order: 'Order of the orbit',
  across: 'Across',
  upwards: 'Upwards',
  axes: (x: string, y: string, reach: string) =>
    `Across: ${x}. Upwards: ${y}. Radius of the grey circle: ${reach}. The dot is the start.`,
  drawn: (order: string, x: string, y: string) => `Orbit at ${order} of ${x} and ${y}`,
  line: 'Line',
  beneath: (time: string) => `Thick grey line: the healthy machine, ${time}, to the same scale.`,
  noHealthy: 'No healthy signal of both points of the same time is stored.',
  phase: 'Phase',
  healthyPhase: 'Healthy',
  coherence: 'Coherence',
  more: 'Compare at',
  moreHint: 'Hz',
  leads: (other: string) => `A positive phase means that ${other} leads.`,
  weak: 'Below a coherence of about 0.5 the two points do not move together, and the phase says nothing.',
  basis: (time: string, seconds: string, df: string, n: number) =>
    `${time}, ${seconds} of both points, Δf ${df}, ${String(n)} segments`,
  fetch: 'Fetch both signals now',
  fetching: 'Fetching both signals…',
};

const de: typeof en = {
  title: 'Orbit und Phase zweier Punkte',
  other: 'Gegen',
  order: 'Ordnung des Orbits',
  across: 'Waagerecht',
  upwards: 'Senkrecht',
  axes: (x, y, reach) =>
    `Waagerecht: ${x}. Senkrecht: ${y}. Radius des grauen Kreises: ${reach}. Der Punkt ist der Anfang.`,
  drawn: (order, x, y) => `Orbit bei ${order} von ${x} und ${y}`,
  line: 'Linie',
  beneath: (time) => `Dicke graue Linie: die gesunde Maschine, ${time}, im selben Maßstab.`,
  noHealthy: 'Von beiden Punkten ist kein gesundes Signal derselben Zeit gespeichert.',
  phase: 'Phase',
  healthyPhase: 'Gesund',
  coherence: 'Kohärenz',
  more: 'Vergleichen bei',
  moreHint: 'Hz',
  leads: (other) => `Eine positive Phase heißt: ${other} eilt vor.`,
  weak: 'Unter einer Kohärenz von etwa 0,5 bewegen sich die Punkte nicht gemeinsam, und die Phase sagt nichts.',
  basis: (time, seconds, df, n) =>
    `${time}, ${seconds} beider Punkte, Δf ${df}, ${String(n)} Abschnitte`,
  fetch: 'Beide Signale jetzt abrufen',
  fetching: 'Beide Signale werden abgerufen …',
};

export const orbitText = ofLanguage({ en, de });
