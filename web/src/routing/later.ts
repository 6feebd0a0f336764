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

/** Longest wait for a moment without work, ms. */
const PATIENCE_MS = 1000;

/** Resolves when the browser has nothing else to do; not every browser can tell. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis)
      requestIdleCallback(
        () => {
          resolve();
        },
        { timeout: PATIENCE_MS },
      );
    else setTimeout(resolve, PATIENCE_MS / 4);
  });

/**
 * Loads the pages that are not open yet, so that they work through a lost connection too: one by
 * one and each in a quiet moment, because what is on the screen is drawn meanwhile.
 */
export async function loadLater(
  loads: (() => Promise<unknown>)[] = Object.values(LATER),
): Promise<void> {
  for (const load of loads) {
    await idle();
    await load().catch(() => undefined);
  }
}
