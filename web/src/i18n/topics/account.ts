/** A machine's false alarms: what it promises, and what happened. */
export const accountEn = {
  title: 'False alarms',
  promised: (perYear: string) => `Promised: at most ${perYear} a year, on average.`,
  observed: (falseAlarms: number, unanswered: number) =>
    `In the last 365 days: ${falseAlarms} answered as false, ${unanswered} over without an answer.`,
  missing: (days: number) =>
    `Small changes are found quickly after ${days === 1 ? 'one more healthy day' : `${days} more healthy days`}.`,
};
export const accountDe: typeof accountEn = {
  title: 'Fehlalarme',
  promised: (perYear) => `Zugesagt: im Mittel höchstens ${perYear} im Jahr.`,
  observed: (falseAlarms, unanswered) =>
    `In den letzten 365 Tagen: ${falseAlarms} als falsch beantwortet, ${unanswered} beendet und unbeantwortet.`,
  missing: (days) =>
    `Kleine Änderungen werden erst nach ${days === 1 ? 'einem weiteren gesunden Tag' : `${days} weiteren gesunden Tagen`} schnell erkannt.`,
};
