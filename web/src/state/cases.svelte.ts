import { api, dataOf, type Case } from '../api/client';
import { caseOrder } from './attention';
import { resource, type Resource } from './resource.svelte';

/** The cases that are not finished: loaded once for the page, updated live, most urgent first. */
class Cases {
  #list: Resource<Case[]> | undefined = $state.raw();

  readonly active: Case[] = $derived([...(this.#list?.data ?? [])].sort(caseOrder));
  /** Number of cases that need someone. */
  readonly waiting: number = $derived(
    this.active.filter(({ attention }) => attention === 'needs_someone').length,
  );
  readonly #byMachine: Map<string, Case> = $derived(
    new Map(this.active.toReversed().map((one) => [one.machine_id, one])),
  );

  /** The most urgent case of a machine that is not finished. */
  of(machineId: string): Case | undefined {
    return this.#byMachine.get(machineId);
  }
  get loading(): boolean {
    return this.#list?.loading ?? true;
  }
  get error() {
    return this.#list?.error;
  }
  readonly reload = (): void => {
    this.#list?.reload();
  };

  /** Call while the app component is set up. */
  start(): void {
    this.#list = resource(async () => (await dataOf(api.GET('/api/v1/cases'))).items, {
      case: (shown, changed) => [
        ...shown
          .filter(({ id }) => id !== changed.id)
          .map((one) =>
            changed.common?.cases.some(({ id }) => id === one.id)
              ? { ...one, common: changed.common }
              : one,
          ),
        ...(changed.attention === 'closed' ? [] : [changed]),
      ],
    });
  }
}

export const cases = new Cases();
