/** What is said around a fault that was missed. */
export const missedEn = {
  open: 'Report a missed fault',
  title: 'A fault that was missed',
  hint: 'When was it? Drag over the trend above to mark the stretch. The gateway learns to detect what it recorded then.',
  from: 'From',
  until: 'Until',
  send: 'Report it',
  nothing: 'nothing would change',
};
export const missedDe: typeof missedEn = {
  open: 'Übersehenen Schaden melden',
  title: 'Ein Schaden, der übersehen wurde',
  hint: 'Wann war er da? Ziehen Sie im Verlauf oben über die Strecke. Das Gateway lernt zu erkennen, was es damals aufnahm.',
  from: 'Von',
  until: 'Bis',
  send: 'Melden',
  nothing: 'nichts würde sich ändern',
};
