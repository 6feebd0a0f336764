import { api, dataOf, type Session } from '../api/client';
import { i18n } from '../i18n/i18n.svelte';
import { knownZone } from '../i18n/zone';

/** Roles at a site; programs have no other. */
export const SITE_ROLES = ['viewer', 'technician', 'engineer'] as const;
export const ROLES = [...SITE_ROLES, 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** Set while signing out: the page must not reload itself then. */
let leaving = false;

/** Who is signed in, with which role. The API enforces the role; the page hides what it rejects. */
class SessionState {
  #session = $state.raw<Session>();

  /** Name of the account; null while login is off: then forms ask for a name. */
  readonly name: string | null = $derived(this.#session?.name ?? null);
  readonly role: Role | null = $derived(this.#session?.role ?? null);

  /** Whether this is the demonstration. */
  readonly demo: boolean = $derived(this.#session?.demo ?? false);

  /** Machines that people can look at in a week; null where the plant did not state it. */
  readonly casesAWeek: number | null = $derived(this.#session?.cases_a_week ?? null);
  /** Sign of the currency of downtime costs; empty where none is set. */
  readonly currency: string = $derived(this.#session?.currency ?? '');

  /** Whether the role includes `role`: at the site of a machine or gateway, if its id is given. */
  may(role: Role, id?: string): boolean {
    const sites = this.#session?.sites;
    const own = sites && id ? (sites[id.slice(0, id.indexOf('~'))] ?? null) : this.role;
    return own !== null && ROLES.indexOf(own) >= ROLES.indexOf(role);
  }

  /** Whether the role includes `role` at all sites: for what the sites share. */
  mayEverywhere(role: Role): boolean {
    return !this.#session?.sites && this.may(role);
  }

  /** Loads the session; if sign-in is required and missing, the server shows the sign-in page. */
  async refresh(): Promise<void> {
    const session = await dataOf(api.GET('/api/v1/session'));
    i18n.zone = knownZone(session.time_zone);
    if (!session.login_required || session.role !== null) this.#session = session;
    else if (!leaving) location.reload();
  }

  async signOut(): Promise<void> {
    leaving = true;
    await api.DELETE('/api/v1/session');
    location.assign('/');
  }
}

export const session = new SessionState();

// The next request after the end of a session leads to the sign-in page.
api.use({
  onResponse({ response }) {
    if (response.status === 401 && !leaving) location.reload();
  },
});
