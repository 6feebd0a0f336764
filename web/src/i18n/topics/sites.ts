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
  chosen: 'chosen sites',
  choose: 'Choose a role at one site at least.',
  insteadOfPerson: 'Disable the account to end all access.',
  insteadOfToken: 'A token needs a site.',
  roleAtAll: 'Role at all sites',
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
  chosen: 'ausgewählte Standorte',
  choose: 'Eine Rolle an mindestens einem Standort wählen.',
  insteadOfPerson: 'Das Konto sperren, um jeden Zugriff zu beenden.',
  insteadOfToken: 'Ein Token braucht einen Standort.',
  roleAtAll: 'Rolle an allen Standorten',
  save: 'Standorte speichern',
};

export const sitesText = ofLanguage({ en, de });
