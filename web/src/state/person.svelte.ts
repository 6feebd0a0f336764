import { session } from './session.svelte';

const STORED = 'auscult.person';

/** Who acts: the account that is signed in, or, where login is off, whom the device was told. */
class Person {
  #told = $state(localStorage.getItem(STORED) ?? '');

  get name(): string {
    return session.name ?? this.#told;
  }
  /** Whether the page has to ask. */
  get mustBeAsked(): boolean {
    return session.name === null;
  }
  get told(): string {
    return this.#told;
  }
  set told(name: string) {
    this.#told = name;
    localStorage.setItem(STORED, name.trim());
  }
}

export const person = new Person();
