/** What is said around alarms (ISA-18.2, IEC 62682). */
export const alarmsEn = {
  states: {
    unacknowledged: 'Not acknowledged',
    returned: 'Over, not acknowledged',
    acknowledged: 'Acknowledged',
    shelved: 'Shelved',
    out_of_service: 'Out of service',
    planned_work: 'Planned work',
    normal: 'Over',
  },
  groups: {
    waiting: 'To acknowledge',
    acknowledged: 'Acknowledged',
    shelved: 'Shelved',
    out_of_service: 'Out of service',
    planned_work: 'Planned work',
  },
  summary: (n: number) =>
    n === 0
      ? 'No alarm waits for you.'
      : n === 1
        ? 'One alarm waits for you.'
        : `${String(n)} alarms wait for you.`,
  none: {
    waiting: 'Nothing to acknowledge.',
    acknowledged: 'No acknowledged alarm is still active.',
    shelved: 'No machine’s alarms are shelved.',
    out_of_service: 'No machine is out of service.',
    planned_work: 'No planned work is under way.',
  },
  by: (name: string) => `by ${name}`,
  until: (time: string) => `until ${time}`,
  select: (machine: string) => `Select the alarm of ${machine}`,
  selectAll: 'Select all',
  selected: (n: number) => (n === 1 ? '1 selected' : `${String(n)} selected`),
  actions: {
    acknowledge: 'Acknowledge',
    shelve: 'Shelve',
    unshelve: 'End shelving',
    out_of_service: 'Take out of service',
    return_to_service: 'Back into service',
    finish_work: 'Work finished',
  },
  hints: {
    acknowledge:
      'Confirms that someone knows. The alarm stays active; if it gets worse, it asks again.',
    shelve:
      'The machine is still monitored, but its alarms need no answer until the time is over. A fault that is still there then alarms again.',
    unshelve:
      'The machine’s alarms count again. What is still wrong counts as acknowledged by you.',
    out_of_service: 'Its alarms need no answer until the machine is returned to service.',
    return_to_service:
      'The machine’s alarms count again. What is still wrong counts as acknowledged by you.',
    finish_work:
      'The gateway assesses the machine again and compares its first windows with those before the work. If the fault is still there, it alarms again.',
  },
  of: (n: number) => `${String(n)} alarms`,
  comment: 'Comment',
  reason: 'Reason',
  reasonMissing: 'Please give a reason: others must know why.',
  duration: 'For how long',
  durations: { '3600': '1 h', '28800': '8 h', '86400': '24 h', '604800': '7 d' },
  send: 'Confirm',
  waitingForGateway: 'Sent; the gateway has not confirmed it yet.',
  refused: (machine: string, why: string) => `${machine}: refused. ${why}`,
  failed: (machine: string, why: string) => `${machine}: could not be sent. ${why}`,
  suppressed: {
    shelved: (until: string, who: string) => `Alarms shelved until ${until} by ${who}.`,
    out_of_service: (who: string) => `Out of service, taken by ${who}.`,
    planned_work: (who: string, since: string, until: string) =>
      `Planned work by ${who} since ${since}, until ${until || 'someone reports it finished'}.`,
  },
  handle: 'Alarm',
};

export const alarmsDe: typeof alarmsEn = {
  states: {
    unacknowledged: 'Nicht quittiert',
    returned: 'Vorbei, nicht quittiert',
    acknowledged: 'Quittiert',
    shelved: 'Zurückgestellt',
    out_of_service: 'Außer Betrieb',
    planned_work: 'Geplante Arbeit',
    normal: 'Vorbei',
  },
  groups: {
    waiting: 'Zu quittieren',
    acknowledged: 'Quittiert',
    shelved: 'Zurückgestellt',
    out_of_service: 'Außer Betrieb',
    planned_work: 'Geplante Arbeit',
  },
  summary: (n) =>
    n === 0
      ? 'Kein Alarm wartet auf Sie.'
      : n === 1
        ? 'Ein Alarm wartet auf Sie.'
        : `${String(n)} Alarme warten auf Sie.`,
  none: {
    waiting: 'Nichts zu quittieren.',
    acknowledged: 'Kein quittierter Alarm dauert noch an.',
    shelved: 'Von keiner Maschine sind Alarme zurückgestellt.',
    out_of_service: 'Keine Maschine ist außer Betrieb.',
    planned_work: 'An keiner Maschine wird geplant gearbeitet.',
  },
  by: (name) => `von ${name}`,
  until: (time) => `bis ${time}`,
  select: (machine) => `Alarm von ${machine} auswählen`,
  selectAll: 'Alle auswählen',
  selected: (n) => `${String(n)} ausgewählt`,
  actions: {
    acknowledge: 'Quittieren',
    shelve: 'Zurückstellen',
    unshelve: 'Zurückstellung beenden',
    out_of_service: 'Außer Betrieb nehmen',
    return_to_service: 'Wieder in Betrieb nehmen',
    finish_work: 'Arbeit beendet',
  },
  hints: {
    acknowledge:
      'Sagt, dass jemand Bescheid weiß. Es löscht nichts; wird es schlimmer, wird wieder gefragt.',
    shelve:
      'Die Maschine wird weiter überwacht, aber ihre Alarme fragen niemanden, bis die Zeit um ist. Was dann noch falsch ist, fragt wieder.',
    unshelve:
      'Die Alarme der Maschine zählen wieder. Was noch falsch ist, gilt als von Ihnen quittiert.',
    out_of_service: 'Ihre Alarme fragen niemanden, bis jemand die Maschine zurückholt.',
    return_to_service:
      'Die Alarme der Maschine zählen wieder. Was noch falsch ist, gilt als von Ihnen quittiert.',
    finish_work:
      'Das Gateway beurteilt die Maschine wieder und vergleicht ihre ersten Fenster mit denen vor der Arbeit. Ist der Schaden noch da, alarmiert er wieder.',
  },
  of: (n) => `${String(n)} Alarme`,
  comment: 'Bemerkung',
  reason: 'Grund',
  reasonMissing: 'Bitte geben Sie einen Grund an: Andere müssen wissen, warum.',
  duration: 'Wie lange',
  durations: { '3600': '1 h', '28800': '8 h', '86400': '24 h', '604800': '7 d' },
  send: 'Bestätigen',
  waitingForGateway: 'Gesendet; das Gateway hat es noch nicht bestätigt.',
  refused: (machine, why) => `${machine}: abgelehnt. ${why}`,
  failed: (machine, why) => `${machine}: konnte nicht gesendet werden. ${why}`,
  suppressed: {
    shelved: (until, who) => `Alarme zurückgestellt bis ${until} von ${who}.`,
    out_of_service: (who) => `Außer Betrieb genommen von ${who}.`,
    planned_work: (who, since, until) =>
      `Geplante Arbeit von ${who} seit ${since}, bis ${until || 'jemand ihr Ende meldet'}.`,
  },
  handle: 'Alarm',
};
