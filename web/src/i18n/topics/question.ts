/** Words of a question about a stretch without an event. */
export const questionEn = {
  title: 'Was this normal?',
  hint: 'No event was reported. Your answer helps to tell the next one apart.',
  false_alarm: 'Yes, normal',
  confirmed_fault: 'No, a fault',
  unsure: 'Not sure',
  waiting: (count: number) => (count === 1 ? '1 question' : `${count} questions`),
};
export const questionDe: typeof questionEn = {
  title: 'War das normal?',
  hint: 'Es gab kein Ereignis. Ihre Antwort hilft, das nächste zu unterscheiden.',
  false_alarm: 'Ja, normal',
  confirmed_fault: 'Nein, ein Schaden',
  unsure: 'Weiß nicht',
  waiting: (count: number) => (count === 1 ? '1 Frage' : `${count} Fragen`),
};
