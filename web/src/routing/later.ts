import type { Component } from 'svelte';
import type { Route } from './match';

type Page = Component<{ id: string }>;
type Load = () => Promise<{ default: Page }>;

/** Pages that are loaded on demand: the first load is the overview. */
const LATER: Partial<Record<Route['page'], () => Promise<{ default: unknown }>>> = {
  case: () => import('../pages/CasePage.svelte'),
  machine: () => import('../pages/MachinePage.svelte'),
  cases: () => import('../pages/Cases.svelte'),
  machines: () => import('../pages/Machines.svelte'),
  map: () => import('../pages/PlantMap.svelte'),
  models: () => import('../pages/Models.svelte'),
  alarms: () => import('../pages/Alarms.svelte'),
  event: () => import('../pages/EventPage.svelte'),
  events: () => import('../pages/Events.svelte'),
  labels: () => import('../pages/Labels.svelte'),
  figures: () => import('../pages/Figures.svelte'),
  gateways: () => import('../pages/Gateways.svelte'),
  updates: () => import('../pages/Updates.svelte'),
  report: () => import('../pages/Report.svelte'),
  commissioning: () => import('../pages/Commissioning.svelte'),
  notifications: () => import('../pages/Notifications.svelte'),
  prescriptions: () => import('../pages/Prescriptions.svelte'),
  people: () => import('../pages/People.svelte'),
  audit: () => import('../pages/Audit.svelte'),
};

/** How a page is loaded, if it is not part of the first load; pages without an id ignore it. */
export const laterPage = (page: Route['page']): Load | undefined => LATER[page] as Load | undefined;

/** Loads the pages that are not open yet, so that they work through a lost connection too. */
export const loadLater = (): Promise<unknown> =>
  Promise.allSettled(Object.values(LATER).map((load) => load()));
