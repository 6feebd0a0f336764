import { ofLanguage } from '../i18n.svelte';

/** Sources of values that a gateway connects to, and the tachometer. */
const en = {
  titles: {
    modbus: 'The Modbus device',
    opcua: 'The OPC UA server',
    http: 'Values by HTTP',
  },
  channels: {
    modbus: 'a register of a Modbus device',
    opcua: 'a variable of an OPC UA server',
    http: 'a value that arrives by HTTP',
  },
  keys: {
    host: 'Address',
    port: 'Port',
    serial_port: 'Serial line',
    baud_rate: 'Baud rate',
    parity: 'Parity',
    unit_id: 'Unit id',
    url: 'Address of the server (opc.tcp://…)',
    token_sha256: 'SHA-256 of the token',
  },
  line: 'Connected by',
  serial: 'Modbus RTU, a serial line',
  device: 'Device',
  otherDevice: 'another device: registers by address',
  parity: { none: 'none', even: 'even', odd: 'odd' },
  allow: (kind: string) =>
    `The gateway accepts this where its configuration file has page_sources = ["${kind}"] in [gateway].`,
  opcuaFiles:
    'A server that asks for a password or a certificate is set up in the configuration file of the gateway.',
  listensAt: 'Address of the gateway (0.0.0.0: all)',
  makeToken: 'Make a token',
  token: 'Copy this token to the sender now; only its hash is stored:',
  insecure:
    'The browser makes tokens only over HTTPS. Make one on a computer: openssl rand -hex 32, then printf %s TOKEN | sha256sum.',
  push: (port: string) =>
    `The sender posts {"POINT": 61.5} to http://GATEWAY:${port}/values with the header Authorization: Bearer TOKEN.`,
  node: 'Node id',
  nodeHint: 'E.g. ns=2;s=Pump1.Bearing.Temperature',
  register: 'Register',
  choose: 'choose',
  otherRegister: 'another register: by address',
  address: 'Address, from 0 (40001 on paper is 0)',
  table: 'Table',
  holding: 'holding registers',
  input: 'input registers',
  encoding: 'Type of the number',
  wordOrder: 'Order of the registers',
  big: 'high word first',
  little: 'low word first',
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
  titles: {
    modbus: 'Das Modbus-Gerät',
    opcua: 'Der OPC-UA-Server',
    http: 'Werte über HTTP',
  },
  channels: {
    modbus: 'ein Register eines Modbus-Geräts',
    opcua: 'eine Variable eines OPC-UA-Servers',
    http: 'ein Wert, der über HTTP eintrifft',
  },
  keys: {
    host: 'Adresse',
    port: 'Port',
    serial_port: 'Serielle Leitung',
    baud_rate: 'Baudrate',
    parity: 'Parität',
    unit_id: 'Gerätenummer (Unit-Id)',
    url: 'Adresse des Servers (opc.tcp://…)',
    token_sha256: 'SHA-256 des Tokens',
  },
  line: 'Verbunden über',
  serial: 'Modbus RTU, eine serielle Leitung',
  device: 'Gerät',
  otherDevice: 'ein anderes Gerät: Register nach Adresse',
  parity: { none: 'keine', even: 'gerade', odd: 'ungerade' },
  allow: (kind) =>
    `Das Gateway nimmt dies an, wenn in seiner Konfigurationsdatei bei [gateway] page_sources = ["${kind}"] steht.`,
  opcuaFiles:
    'Ein Server, der Passwort oder Zertifikat verlangt, wird in der Konfigurationsdatei des Gateways eingerichtet.',
  listensAt: 'Adresse des Gateways (0.0.0.0: alle)',
  makeToken: 'Ein Token erzeugen',
  token: 'Dieses Token jetzt zum Sender kopieren; gespeichert wird nur sein Hash:',
  insecure:
    'Der Browser erzeugt Token nur über HTTPS. Auf einem Rechner: openssl rand -hex 32, dann printf %s TOKEN | sha256sum.',
  push: (port) =>
    `Der Sender schickt {"PUNKT": 61.5} mit POST an http://GATEWAY:${port}/values mit der Kopfzeile Authorization: Bearer TOKEN.`,
  node: 'Node-Id',
  nodeHint: 'z. B. ns=2;s=Pump1.Bearing.Temperature',
  register: 'Register',
  choose: 'wählen',
  otherRegister: 'ein anderes Register: nach Adresse',
  address: 'Adresse, ab 0 (40001 auf Papier ist 0)',
  table: 'Tabelle',
  holding: 'Holding-Register',
  input: 'Input-Register',
  encoding: 'Typ der Zahl',
  wordOrder: 'Reihenfolge der Register',
  big: 'hohes Wort zuerst',
  little: 'niedriges Wort zuerst',
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
