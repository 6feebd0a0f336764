/** Pages with an address of one word: `/events`. */
const PLAIN = [
  'prescriptions',
  'notifications',
  'cases',
  'machines',
  'map',
  'alarms',
  'figures',
  'events',
  'labels',
  'gateways',
  'updates',
  'report',
  'commissioning',
  'people',
  'audit',
] as const;
export type PlainPage = (typeof PLAIN)[number];

/** The pages and their addresses; each address can be linked and shared. */
export type Route =
  | { page: 'overview' }
  | { page: PlainPage }
  | { page: 'machine' | 'models' | 'case' | 'event'; id: string }
  | { page: 'lost' };

/** The page of an address; `lost` if there is none. */
export function matchRoute(pathname: string): Route {
  const parts = pathname.split('/').filter(Boolean).map(decode);
  const [head, id, below] = parts;
  if (head === undefined) return { page: 'overview' };
  if (id === undefined) {
    const plain = PLAIN.find((page) => page === head);
    return plain ? { page: plain } : { page: 'lost' };
  }
  if (parts.length === 2) {
    if (head === 'machines') return { page: 'machine', id };
    if (head === 'cases') return { page: 'case', id };
    if (head === 'events') return { page: 'event', id };
  }
  if (parts.length === 3 && head === 'machines' && below === 'models') {
    return { page: 'models', id };
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

/** Builds the addresses of pages. */
export const address = {
  overview: '/',
  cases: '/cases',
  prescriptions: '/prescriptions',
  notifications: '/notifications',
  machines: '/machines',
  map: '/map',
  alarms: '/alarms',
  figures: '/figures',
  events: '/events',
  labels: '/labels',
  gateways: '/gateways',
  updates: '/updates',
  report: '/report',
  commissioning: '/commissioning',
  people: '/people',
  audit: '/audit',
  machine: (machine: string, query: Record<string, string> = {}) =>
    withQuery(`/machines/${encodeURIComponent(machine)}`, query),
  models: (machine: string) => `/machines/${encodeURIComponent(machine)}/models`,
  case: (one: string, query: Record<string, string> = {}) =>
    withQuery(`/cases/${encodeURIComponent(one)}`, query),
  event: (event: string) => `/events/${encodeURIComponent(event)}`,
};

function withQuery(path: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return search ? `${path}?${search}` : path;
}
