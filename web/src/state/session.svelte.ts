import { api, dataOf, type Session } from '../api/client';

const ROLES = ['viewer', 'technician', 'engineer', 'administrator'] as const;
export type Role = (typeof ROLES)[number];

/** Set while signing out: the page must not come back to where it was. */
let leaving = false;

/** Who is signed in and what the API will let them do; it decides, the page only does not tempt. */
class SessionState {
  #session = $state.raw<Session>();

  /** The account's name; null while login is off: then people say who they are. */
  readonly name: string | null = $derived(this.#session?.name ?? null);
  readonly role: Role | null = $derived(this.#session?.role ?? null);

  /** Whether the role includes another. */
  may(role: Role): boolean {
    return this.role !== null && ROLES.indexOf(this.role) >= ROLES.indexOf(role);
  }

  /** Asks who is signed in; if nobody is who must be, the server shows the sign-in page. */
  async refresh(): Promise<void> {
    const session = await dataOf(api.GET('/api/v1/session'));
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

// A session that ended is noticed by whatever is asked next.
api.use({
  onResponse({ response }) {
    if (response.status === 401 && !leaving) location.reload();
  },
});
