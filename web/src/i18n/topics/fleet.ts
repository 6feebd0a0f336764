import { ofLanguage } from '../i18n.svelte';

/** What is said of enrolment by code. */
const en = {
  enrolment: {
    title: 'Enrol a gateway',
    intro:
      'A code gives one new gateway its certificate, its rights at the broker and its identity.',
    command: (code: string) => `auscult enrol ${code}@${location.host}`,
    site: 'Site',
    gateway: 'Gateway',
    hours: 'Valid for',
    hoursOf: (hours: number) => (hours === 1 ? '1 hour' : `${String(hours)} hours`),
    make: 'Make a code',
    once: 'Run this on the gateway; it is shown once:',
    until: 'Valid until',
    madeBy: 'Made by',
    states: { open: 'open', used: 'used', expired: 'expired', blocked: 'wrong attempts: blocked' },
    withdraw: 'Withdraw',
    withdrawOf: (gateway: string) => `Withdraw the code of ${gateway}`,
  },
  bulk: {
    open: 'Apply to many',
    title: 'One machine as the template of others',
    intro:
      'Settings of one machine for others, on any gateway. Points are matched by their id. Each gateway checks its machines before anything changes.',
    template: 'Template',
    what: 'What the others take from it',
    machines: 'Machines',
    filter: 'Filter',
    all: (n: number) => `Select ${String(n)}`,
    none: 'Select none',
    preview: (n: number) => `Preview (${String(n)})`,
    apply: 'Apply',
    machine: 'Machine',
    result: 'Result',
    states: {
      changes: 'would change',
      changed: 'changed',
      unchanged: 'has them already',
      rejected: 'rejected',
    },
  },
};

const de: typeof en = {
  enrolment: {
    title: 'Gateway aufnehmen',
    intro:
      'Ein Code gibt einem neuen Gateway sein Zertifikat, seine Rechte beim Broker und seine Kennung.',
    command: (code: string) => `auscult enrol ${code}@${location.host}`,
    site: 'Standort',
    gateway: 'Gateway',
    hours: 'Gültig',
    hoursOf: (hours: number) => (hours === 1 ? '1 Stunde' : `${String(hours)} Stunden`),
    make: 'Code erzeugen',
    once: 'Auf dem Gateway ausführen; wird nur einmal gezeigt:',
    until: 'Gültig bis',
    madeBy: 'Erzeugt von',
    states: {
      open: 'offen',
      used: 'benutzt',
      expired: 'abgelaufen',
      blocked: 'Fehlversuche: gesperrt',
    },
    withdraw: 'Zurückziehen',
    withdrawOf: (gateway: string) => `Code von ${gateway} zurückziehen`,
  },
  bulk: {
    open: 'Auf viele anwenden',
    title: 'Eine Maschine als Vorlage für andere',
    intro:
      'Einstellungen einer Maschine für andere, auf jedem Gateway. Messpunkte werden über ihre Kennung zugeordnet. Jedes Gateway prüft seine Maschinen, bevor sich etwas ändert.',
    template: 'Vorlage',
    what: 'Was die anderen von ihr übernehmen',
    machines: 'Maschinen',
    filter: 'Filter',
    all: (n: number) => `${String(n)} auswählen`,
    none: 'Keine auswählen',
    preview: (n: number) => `Vorschau (${String(n)})`,
    apply: 'Anwenden',
    machine: 'Maschine',
    result: 'Ergebnis',
    states: {
      changes: 'würde sich ändern',
      changed: 'geändert',
      unchanged: 'hat sie schon',
      rejected: 'abgelehnt',
    },
  },
};

export const fleetText = ofLanguage({ en, de });
