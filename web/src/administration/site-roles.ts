import type { SITE_ROLES } from '../state/session.svelte';

export type SiteRole = (typeof SITE_ROLES)[number];
/** Role at each chosen site. */
export type SiteRoles = Record<string, SiteRole>;
/** Null = all sites. None chosen is neither: the form asks. */
export type ChosenSites = SiteRoles | null;

export const someChosen = (sites: ChosenSites): boolean =>
  sites === null || Object.keys(sites).length > 0;

/** As the API has it: no site named = all. */
export const asSent = (sites: ChosenSites): SiteRoles => sites ?? {};

export const asChosen = (sites: Record<string, string> | undefined): ChosenSites =>
  sites && Object.keys(sites).length ? (sites as SiteRoles) : null;

/** `north: engineer, south: viewer`, or that it is all sites. */
export function sitesShown(
  roles: Record<string, string>,
  nameOf: (role: string) => string,
  all: string,
): string {
  const sites = Object.keys(roles).sort();
  return sites.length
    ? sites.map((site) => `${site}: ${nameOf(roles[site] ?? '')}`).join(', ')
    : all;
}
