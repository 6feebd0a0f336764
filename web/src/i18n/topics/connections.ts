import { ofLanguage } from '../i18n.svelte';

/** What the forms of sources of values say, and the tachometer. */
const en = {
  oldGateway:
    'Update this gateway to set up sources of values: its version sends no forms for them.',
  otherDevice: 'another device: registers by address',
  allow: (kind: string) =>
    `The gateway accepts this where its configuration file has page_sources = ["${kind}"] in [gateway].`,
  makeToken: 'Make a token',
  token: 'Copy this token to the sender now; only its hash is stored:',
  insecure:
    'The browser makes tokens only over HTTPS. Make one on a computer: openssl rand -hex 32, then printf %s TOKEN | sha256sum.',
  trial: {
    show: 'Show what arrives',
    showing: 'The gateway looks, for at most 10 s…',
    hint: 'The gateway opens this source for at most 10 s and stores nothing.',
    read: (raw: string) => `read as ${raw}`,
    good: 'quality good',
    uncertain: 'quality uncertain',
    measured: (time: string) => `measured ${time}`,
    arrived: (time: string) => `arrived ${time}`,
  },
  choose: 'choose',
  otherRegister: 'another register: by address',
  tacho: {
    title: 'Tachometer',
    add: 'Add a tachometer',
    remove: 'Remove the tachometer',
    id: 'Channel id',
    fs_hz: 'Sampling rate, Hz',
    unit: 'Unit of the samples',
    pulses_per_rev: 'Marks on the shaft',
    level: 'Level of a pulse (empty: halfway)',
    falling: 'A pulse begins at the falling edge',
    shaft: 'Shaft with the mark',
    sameSource: 'It comes from the same kind of source as the vibration.',
  },
};

const de: typeof en = {
  oldGateway:
    'Aktualisieren Sie dieses Gateway, um Quellen von Werten einzurichten: Seine Version schickt dafür keine Formulare.',
  otherDevice: 'ein anderes Gerät: Register nach Adresse',
  allow: (kind) =>
    `Das Gateway nimmt dies an, wenn in seiner Konfigurationsdatei bei [gateway] page_sources = ["${kind}"] steht.`,
  makeToken: 'Ein Token erzeugen',
  token: 'Dieses Token jetzt zum Sender kopieren; gespeichert wird nur sein Hash:',
  insecure:
    'Der Browser erzeugt Token nur über HTTPS. Auf einem Rechner: openssl rand -hex 32, dann printf %s TOKEN | sha256sum.',
  trial: {
    show: 'Zeigen, was ankommt',
    showing: 'Das Gateway sieht nach, höchstens 10 s lang…',
    hint: 'Das Gateway öffnet diese Quelle für höchstens 10 s und speichert nichts.',
    read: (raw) => `gelesen: ${raw}`,
    good: 'Qualität gut',
    uncertain: 'Qualität unsicher',
    measured: (time) => `gemessen ${time}`,
    arrived: (time) => `angekommen ${time}`,
  },
  choose: 'wählen',
  otherRegister: 'ein anderes Register: nach Adresse',
  tacho: {
    title: 'Drehzahlgeber',
    add: 'Einen Drehzahlgeber hinzufügen',
    remove: 'Den Drehzahlgeber entfernen',
    id: 'Id des Kanals',
    fs_hz: 'Abtastrate, Hz',
    unit: 'Einheit der Abtastwerte',
    pulses_per_rev: 'Marken auf der Welle',
    level: 'Pegel eines Impulses (leer: halbe Höhe)',
    falling: 'Ein Impuls beginnt mit der fallenden Flanke',
    shaft: 'Welle mit der Marke',
    sameSource: 'Es kommt von derselben Art Quelle wie die Schwingung.',
  },
};

export const connectionText = ofLanguage({ en, de });
