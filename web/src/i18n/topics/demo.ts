import { ofLanguage } from '../i18n.svelte';

/** What the demonstration says on its pages. */
const en = {
  about:
    'Demonstration: the machines of the waterworks are simulated. Gearbox and fan motor play recordings of real machines.',
  hint: (number: number, of: number) => `Hint ${number} of ${of}`,
  dismiss: 'Dismiss',
  learning:
    'Each machine learns for about half a minute what is healthy. Then a bearing of Cooling water pump 1 fails, and the pump appears here as a case.',
  hints: {
    open: 'Open the first case. It shows which fault, where, how far it has grown, and what to check.',
    answer:
      'Answer “What was it?”. The detector learns from “Real fault”. “Planned work” keeps the machine quiet until the work is finished.',
    changed:
      'See under “What the answer changed” what the detector does differently now. Then try a repair: Exhaust fan 1 is balanced five minutes after its alarm. Close its case as repaired, and the gateway checks whether the fault is gone.',
  },
};

const de: typeof en = {
  about:
    'Vorführung: Die Maschinen des Wasserwerks sind simuliert. Getriebe und Lüftermotor spielen Aufnahmen von echten Maschinen.',
  hint: (number, of) => `Hinweis ${number} von ${of}`,
  dismiss: 'Ausblenden',
  learning:
    'Jede Maschine lernt etwa eine halbe Minute lang, was gesund ist. Dann fällt ein Lager von „Cooling water pump 1“ aus, und die Pumpe erscheint hier als Fall.',
  hints: {
    open: 'Öffnen Sie den ersten Fall. Er zeigt, welcher Schaden es ist, wo er ist, wie weit er fortgeschritten ist und was zu prüfen ist.',
    answer:
      'Antworten Sie auf „Was war es?“. Aus „Echter Schaden“ lernt der Detektor. „Geplante Arbeit“ hält die Maschine ruhig, bis die Arbeit beendet ist.',
    changed:
      'Unter „Was die Antwort geändert hat“ steht, was der Detektor jetzt anders macht. Probieren Sie dann eine Reparatur: „Exhaust fan 1“ wird fünf Minuten nach seinem Alarm ausgewuchtet. Schließen Sie seinen Fall als repariert ab, dann prüft das Gateway, ob der Schaden behoben ist.',
  },
};

export const demoText = ofLanguage({ en, de });
