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
  hint: 'Without a role at a site, the role counts at all sites. With one, the person sees and does nothing elsewhere. Administrators have all sites.',
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
  hint: 'Ohne Rolle an einem Standort gilt die Rolle an allen. Mit einer sieht und tut die Person anderswo nichts. Administratoren haben alle Standorte.',
  save: 'Standorte speichern',
};

export const sitesText = ofLanguage({ en, de });
