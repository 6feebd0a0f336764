const STORED = 'auscult.person';

/** Who answers at this device, until people log in. */
class Person {
  #name = $state(localStorage.getItem(STORED) ?? '');

  get name(): string {
    return this.#name;
  }
  set name(name: string) {
    this.#name = name;
    localStorage.setItem(STORED, name.trim());
  }
}

export const person = new Person();
