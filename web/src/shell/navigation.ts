import { address } from '../routing/match';

/** The pages that the navigation leads to; `also` are pages that belong to one of them. */
export const LINKS = [
  { href: address.overview, page: 'overview', also: [] },
  { href: address.cases, page: 'cases', also: ['case', 'event'] },
  { href: address.machines, page: 'machines', also: ['machine', 'models'] },
] as const;

/** Rarely used pages, behind "More", by what they are for. */
export const MORE = [
  { group: 'plant', pages: ['map', 'alarms', 'events', 'labels'] },
  { group: 'reports', pages: ['report', 'figures'] },
  {
    group: 'settingUp',
    pages: ['commissioning', 'prescriptions', 'notifications', 'gateways', 'updates'],
  },
  { group: 'access', pages: ['people', 'audit'] },
] as const;
