import { address } from '../routing/match';

/** The pages that the navigation leads to; `also` are pages that belong to one of them. */
export const LINKS = [
  { href: address.overview, page: 'overview', also: [] },
  { href: address.cases, page: 'cases', also: ['case', 'event'] },
  { href: address.machines, page: 'machines', also: ['machine', 'models'] },
] as const;

/** Rarely used pages, behind "More". */
export const MORE = [
  { href: address.map, page: 'map' },
  { href: address.alarms, page: 'alarms' },
  { href: address.events, page: 'events' },
  { href: address.labels, page: 'labels' },
  { href: address.figures, page: 'figures' },
  { href: address.gateways, page: 'gateways' },
  { href: address.updates, page: 'updates' },
  { href: address.report, page: 'report' },
  { href: address.notifications, page: 'notifications' },
  { href: address.prescriptions, page: 'prescriptions' },
  { href: address.commissioning, page: 'commissioning' },
  { href: address.people, page: 'people' },
  { href: address.audit, page: 'audit' },
] as const;
