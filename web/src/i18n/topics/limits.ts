import { ofLanguage } from '../i18n.svelte';

/** What is said of fixed limits and ISO zones. */
const en = {
  limits: {
    title: (point: string) => `Fixed limits: ${point}`,
    none: 'No fixed limits.',
    direction: 'Bad is',
    above: 'above',
    below: 'below',
    change: 'Change the limits',
    reset: 'Restore configured limits',
    hint: 'They apply from now on, beside the baseline, until someone changes them.',
    resetHint: 'The limits of the gateway’s configuration count again.',
    one: (n: number) => `Limit ${String(n)}`,
    add: 'Add a limit',
    remove: (n: number) => `Remove limit ${String(n)}`,
    faults: {
      empty: 'Give a warning level, an alarm level or both.',
      order: 'The warning must be reached before the alarm.',
      band: 'The lower edge must be below the upper edge.',
    },
    look: 'Look at the limits marked above.',
    ownBand: 'RMS of a band with own edges',
    fromHz: 'From, Hz',
    toHz: 'To, Hz',
  },
  zones: {
    title: 'ISO zones',
    boundary: (from: string, to: string) => `${from}/${to}`,
    refused: 'ISO does not apply to this machine:',
    notAll: 'ISO does not apply to all its points:',
    change: 'Choose group and foundation',
    hint: 'The gateway applies the change and keeps what it has learned; its sources pause briefly.',
    fixed: 'This machine is in the gateway’s own file: change group and foundation there.',
    byPower: 'by rated power and shaft height',
    classes: {
      group1: 'ISO 20816-3, group 1 (above 300 kW)',
      group2: 'ISO 20816-3, group 2 (15 to 300 kW)',
      I: 'ISO 10816-1, class I (small machines)',
      II: 'ISO 10816-1, class II (medium machines)',
      III: 'ISO 10816-1, class III (large, rigid foundation)',
      IV: 'ISO 10816-1, class IV (large, flexible foundation)',
    },
  },
};

const de: typeof en = {
  limits: {
    title: (point) => `Feste Grenzen: ${point}`,
    none: 'Keine festen Grenzen.',
    direction: 'Schlecht ist',
    above: 'darüber',
    below: 'darunter',
    change: 'Grenzen ändern',
    reset: 'Auf Konfiguration zurücksetzen',
    hint: 'Sie gelten von nun an neben dem Gelernten, bis jemand sie ändert.',
    resetHint: 'Es gelten wieder die Grenzen aus der Einrichtung des Gateways.',
    one: (n) => `Grenze ${String(n)}`,
    add: 'Grenze hinzufügen',
    remove: (n) => `Grenze ${String(n)} entfernen`,
    faults: {
      empty: 'Bitte eine Warngrenze, eine Alarmgrenze oder beide angeben.',
      order: 'Die Warngrenze muss vor der Alarmgrenze erreicht werden.',
      band: 'Die untere Kante muss unter der oberen liegen.',
    },
    look: 'Bitte die oben bezeichneten Grenzen ansehen.',
    ownBand: 'Effektivwert eines eigenen Bandes',
    fromHz: 'Von, Hz',
    toHz: 'Bis, Hz',
  },
  zones: {
    title: 'ISO-Zonen',
    boundary: (from, to) => `${from}/${to}`,
    refused: 'ISO beurteilt diese Maschine nicht:',
    notAll: 'ISO beurteilt nicht alle ihre Messpunkte:',
    change: 'Gruppe und Aufstellung wählen',
    hint: 'Das Gateway übernimmt die Änderung und behält, was es gelernt hat; seine Quellen setzen kurz aus.',
    fixed:
      'Diese Maschine steht in der eigenen Datei des Gateways: Gruppe und Aufstellung dort ändern.',
    byPower: 'nach Nennleistung und Achshöhe',
    classes: {
      group1: 'ISO 20816-3, Gruppe 1 (über 300 kW)',
      group2: 'ISO 20816-3, Gruppe 2 (15 bis 300 kW)',
      I: 'ISO 10816-1, Klasse I (kleine Maschinen)',
      II: 'ISO 10816-1, Klasse II (mittlere Maschinen)',
      III: 'ISO 10816-1, Klasse III (groß, starr aufgestellt)',
      IV: 'ISO 10816-1, Klasse IV (groß, elastisch aufgestellt)',
    },
  },
};

export const limitsText = ofLanguage({ en, de });
