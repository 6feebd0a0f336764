/** The pages of the product and their addresses: every address can be linked, kept and shared. */
export type Route =
  | { page: 'overview' }
  | { page: 'machine'; machine: string }
  | { page: 'events' }
  | { page: 'event'; event: string }
  | { page: 'labels' }
  | { page: 'gateways' }
  | { page: 'lost' };

/** Which page an address means; `lost` where it is none of ours. */
export function matchRoute(pathname: string): Route {
  const parts = pathname.split('/').filter(Boolean).map(decode);
  const [head, id] = parts;
  if (parts.length === 0) return { page: 'overview' };
  if (parts.length === 1) {
    if (head === 'events') return { page: 'events' };
    if (head === 'labels') return { page: 'labels' };
    if (head === 'gateways') return { page: 'gateways' };
  }
  if (parts.length === 2 && id !== undefined) {
    if (head === 'machines') return { page: 'machine', machine: id };
    if (head === 'events') return { page: 'event', event: id };
  }
  return { page: 'lost' };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Addresses of pages, so that no component puts one together by hand. */
export const address = {
  overview: '/',
  events: '/events',
  labels: '/labels',
  gateways: '/gateways',
  machine: (machine: string, query: Record<string, string> = {}) =>
    withQuery(`/machines/${encodeURIComponent(machine)}`, query),
  event: (event: string) => `/events/${encodeURIComponent(event)}`,
};

function withQuery(path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return search ? `${path}?${search}` : path;
}
