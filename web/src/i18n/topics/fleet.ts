/** What is said of enrolment by code. */
export const fleetEn = {
  enrolment: {
    title: 'Enrol a gateway',
    intro:
      'A code gives one new gateway its certificate, its rights at the broker and its identity. On the gateway, run:',
    command: (code: string) => `auscult enrol ${code}@${location.host}`,
    site: 'Site',
    gateway: 'Gateway',
    hours: 'Valid for',
    hoursOf: (hours: number) => (hours === 1 ? '1 hour' : `${String(hours)} hours`),
    make: 'Make a code',
    once: 'It is shown this once.',
    until: 'Valid until',
    madeBy: 'Made by',
    states: { open: 'open', used: 'used', expired: 'expired', blocked: 'wrong attempts: blocked' },
    withdraw: 'Withdraw',
    withdrawOf: (gateway: string) => `Withdraw the code of ${gateway}`,
  },
};

export const fleetDe: typeof fleetEn = {
  enrolment: {
    title: 'Gateway aufnehmen',
    intro:
      'Ein Code gibt einem neuen Gateway sein Zertifikat, seine Rechte beim Broker und seine Kennung. Auf dem Gateway ausführen:',
    command: (code: string) => `auscult enrol ${code}@${location.host}`,
    site: 'Standort',
    gateway: 'Gateway',
    hours: 'Gültig',
    hoursOf: (hours: number) => (hours === 1 ? '1 Stunde' : `${String(hours)} Stunden`),
    make: 'Code erzeugen',
    once: 'Er wird nur dieses eine Mal gezeigt.',
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
};
