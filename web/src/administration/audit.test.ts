import { describe, expect, it } from 'vitest';
import { subjectText, type RightsWords } from './audit';

const english: RightsWords = { allSites: 'all sites', keys: {}, parts: {} };
const german: RightsWords = {
  allSites: 'alle Standorte',
  keys: { role: 'Rolle', sites: 'Standorte' },
  parts: { 'password changed': 'Passwort geändert' },
};
const said = (words: RightsWords, subject: string, action = 'change account') =>
  subjectText(
    { action, subject },
    words,
    words === german ? { viewer: 'Betrachter', engineer: 'Ingenieur' } : { viewer: 'viewer' },
  );

describe('what an audited change of rights says', () => {
  it('names all sites in the language of the page', () => {
    expect(said(english, 'lea: role viewer, all sites')).toBe('lea: role viewer, all sites');
    expect(said(english, 'lea: role viewer, sites ')).toBe('lea: role viewer, all sites');
    expect(said(german, 'lea: role viewer, all sites')).toBe(
      'lea: Rolle Betrachter, alle Standorte',
    );
    expect(said(german, 'lea: sites north engineer, south viewer, password changed')).toBe(
      'lea: Standorte north Ingenieur, south Betrachter, Passwort geändert',
    );
    expect(said(german, 'historian: north viewer', 'make token')).toBe(
      'historian: north Betrachter',
    );
  });

  it('leaves all other subjects as they are', () => {
    const subject = 'pump (p~g~m): reason viewer';
    expect(said(german, subject, 'shelve')).toBe(subject);
  });
});
