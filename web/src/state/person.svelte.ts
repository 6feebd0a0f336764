import { session } from './session.svelte';

const STORED = 'auscult.person';

/** Who acts: the signed-in account or, while login is off, the name given on this device. */
class Person {
  #givenName = $state(localStorage.getItem(STORED) ?? '');

  get name(): string {
    return session.name ?? this.#givenName;
  }
  /** Who a request names; `page` where no name is given. */
  get actor(): string {
    return this.name.trim() || 'page';
  }
  /** Whether forms ask for the name. */
  get mustBeAsked(): boolean {
    return session.name === null;
  }
  get givenName(): string {
    return this.#givenName;
  }
  set givenName(name: string) {
    this.#givenName = name;
    localStorage.setItem(STORED, name.trim());
  }
}

export const person = new Person();
