/** A machine's false alarms: what it promises, and what happened. */
export const accountEn = {
  title: 'False alarms',
  promised: (perYear: string) => `Promised: at most ${perYear} a year, on average.`,
  observed: (falseAlarms: number, unanswered: number) =>
    `In the last 365 days: ${falseAlarms} answered as false, ${unanswered} over without an answer.`,
  wider: (factor: string) =>
    `The learned limits are ${factor} times as wide, because the machines of this gateway had more false events than promised.`,
  missing: (days: number) =>
    `Small changes are found quickly after ${days === 1 ? 'one more healthy day' : `${days} more healthy days`}.`,
};
export const accountDe: typeof accountEn = {
  title: 'Fehlalarme',
  promised: (perYear) => `Zugesagt: im Mittel höchstens ${perYear} im Jahr.`,
  observed: (falseAlarms, unanswered) =>
    `In den letzten 365 Tagen: ${falseAlarms} als falsch beantwortet, ${unanswered} beendet und unbeantwortet.`,
  wider: (factor) =>
    `Die gelernten Grenzen sind ${factor}-mal so weit, weil die Maschinen dieses Gateways mehr Fehlalarme hatten als zugesagt.`,
  missing: (days) =>
    `Kleine Änderungen werden erst nach ${days === 1 ? 'einem weiteren gesunden Tag' : `${days} weiteren gesunden Tagen`} schnell erkannt.`,
};
