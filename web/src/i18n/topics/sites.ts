import { ofLanguage } from '../i18n.svelte';

/** Rights per site. */
const en = {
  sites: 'Sites',
  all: 'all sites',
  none: 'no access',
  edit: 'Sites…',
  of: (name: string) => `Sites of ${name}`,
  at: (site: string) => `Role at ${site}`,
  other: 'Another site',
  add: 'Add',
  bySite: 'by site',
  hint: 'No role chosen here: the role counts at all sites. A role chosen for a site: no access to the other sites.',
  save: 'Save sites',
};

const de: typeof en = {
  sites: 'Standorte',
  all: 'alle Standorte',
  none: 'kein Zugriff',
  edit: 'Standorte…',
  of: (name) => `Standorte von ${name}`,
  at: (site) => `Rolle am Standort ${site}`,
  other: 'Weiterer Standort',
  add: 'Hinzufügen',
  bySite: 'je Standort',
  hint: 'Keine Rolle gewählt: die Rolle gilt an allen Standorten. Eine Rolle für einen Standort gewählt: kein Zugriff auf die anderen.',
  save: 'Standorte speichern',
};

export const sitesText = ofLanguage({ en, de });
