import type { AuditEntry } from '../api/client';

/** Actions whose subject ends in rights. */
const RIGHTS = new Set(['make account', 'change account', 'make token']);

export interface RightsWords {
  allSites: string;
  /** Words that begin a part, such as `role` and `sites`. */
  keys: Partial<Record<string, string>>;
  /** Parts that are shown as a whole. */
  parts: Partial<Record<string, string>>;
}

/** What an entry is about: rights in the page's language, all else as stored. */
export function subjectText(
  entry: Pick<AuditEntry, 'action' | 'subject'>,
  words: RightsWords,
  roles: Partial<Record<string, string>>,
): string {
  const colon = entry.subject.indexOf(': ');
  if (colon < 0 || !RIGHTS.has(entry.action)) return entry.subject;
  const part = (text: string): string => {
    // Version 0.2 wrote no word for all sites.
    if (text === 'all sites' || text === 'sites ') return words.allSites;
    const whole = words.parts[text];
    if (whole !== undefined) return whole;
    const parted = text.split(' ');
    const key = parted.length > 1 ? words.keys[parted[0] ?? ''] : undefined;
    if (key !== undefined) parted[0] = key;
    const role = roles[parted.at(-1) ?? ''];
    if (role !== undefined) parted[parted.length - 1] = role;
    return parted.join(' ');
  };
  const rights = entry.subject.slice(colon + 2).split(', ');
  return `${entry.subject.slice(0, colon)}: ${rights.map(part).join(', ')}`;
}
