import { api, dataOf, type Machine } from '../api/client';
import { resource, type Resource } from './resource.svelte';
import { isAbnormal, standing, WORST_FIRST, worstFirst, type Standing } from './severity';

/** All machines with their current states: held once for the whole page, patched live. */
class Plant {
  #list: Resource<Map<string, Machine>> | undefined = $state.raw();

  readonly machines: Machine[] = $derived([...(this.#list?.data?.values() ?? [])].sort(worstFirst));
  readonly counts: Record<Standing, number> = $derived(countStandings(this.machines));
  readonly abnormal: number = $derived(
    this.machines.filter((machine) => isAbnormal(standing(machine))).length,
  );

  get loading(): boolean {
    return this.#list?.loading ?? true;
  }
  get error() {
    return this.#list?.error;
  }
  machine(id: string): Machine | undefined {
    return this.#list?.data?.get(id);
  }
  reload(): void {
    this.#list?.reload();
  }

  /** To be called while the shell is set up. */
  start(): void {
    this.#list = resource(
      async () => {
        const { items } = await dataOf(api.GET('/api/v1/machines'));
        return new Map(items.map((machine) => [machine.id, machine]));
      },
      { machine: (machines, machine) => new Map(machines).set(machine.id, machine) },
    );
  }
}

function countStandings(machines: Machine[]): Record<Standing, number> {
  const counts = Object.fromEntries(WORST_FIRST.map((s) => [s, 0])) as Record<Standing, number>;
  for (const machine of machines) counts[standing(machine)] += 1;
  return counts;
}

export const plant = new Plant();
