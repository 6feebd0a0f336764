export type SiteRole = 'viewer' | 'technician' | 'engineer';
/** Role at each site; empty = all sites. */
export type SiteRoles = Record<string, SiteRole>;

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
