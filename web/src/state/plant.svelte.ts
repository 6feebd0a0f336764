import { api, dataOf, type Gateway, type Machine } from '../api/client';
import { resource, type Resource } from './resource.svelte';
import { isAbnormal, standing, WORST_FIRST, worstFirst, type Standing } from './severity';

/** All machines and gateways as they stand: held once for the whole page, patched live. */
class Plant {
  #list: Resource<Map<string, Machine>> | undefined = $state.raw();
  #gateways: Resource<Gateway[]> | undefined = $state.raw();

  readonly machines: Machine[] = $derived([...(this.#list?.data?.values() ?? [])].sort(worstFirst));
  readonly counts: Record<Standing, number> = $derived(countStandings(this.machines));
  readonly abnormal: number = $derived(
    this.machines.filter((machine) => isAbnormal(standing(machine))).length,
  );

  /** Alarms that wait for someone to acknowledge them. */
  readonly waiting: number = $derived(
    this.machines.reduce((sum, machine) => sum + machine.unacknowledged, 0),
  );

  get gateways(): Resource<Gateway[]> | undefined {
    return this.#gateways;
  }
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
    this.#gateways = resource(async () => (await dataOf(api.GET('/api/v1/gateways'))).items, {
      gateway: (shown, gateway) =>
        [...shown.filter((g) => g.id !== gateway.id), gateway].sort((a, b) =>
          a.id < b.id ? -1 : 1,
        ),
    });
  }
}

function countStandings(machines: Machine[]): Record<Standing, number> {
  const counts = Object.fromEntries(WORST_FIRST.map((s) => [s, 0])) as Record<Standing, number>;
  for (const machine of machines) counts[standing(machine)] += 1;
  return counts;
}

export const plant = new Plant();
