import type { Route } from '../routing/match';

/** The chapter of the documentation for each page (`tests/test_site.py` checks that they exist). */
const CHAPTERS: Record<Route['page'], string> = {
  overview: 'page.html',
  machine: 'page.html#on-a-machine-s-page',
  machines: 'page.html',
  map: 'page.html#plant-map',
  cases: 'page.html#cases',
  case: 'page.html#cases',
  prescriptions: 'cases.html',
  notifications: 'notification.html',
  alarms: 'page.html#alarms',
  event: 'page.html#labels',
  events: 'page.html#labels',
  labels: 'learning.html#what-each-verdict-does',
  models: 'learning.html#checkpoints',
  figures: 'page.html#alarm-load',
  gateways: 'deployment.html',
  updates: 'fleet-operation.html#update-in-stages',
  report: 'page.html#shift-report',
  commissioning: 'commissioning.html',
  people: 'deployment.html#people-and-programs',
  audit: 'page.html#people-and-audit',
  lost: 'index.html',
};

/** Where "Help" leads from a page: the server holds the documentation, so it works offline. */
export function helpFor(page: Route['page']): string {
  return `/docs/${CHAPTERS[page]}`;
}
