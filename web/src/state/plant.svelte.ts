import { api, dataOf, type Gateway, type Machine } from '../api/client';
import { resource, type Resource } from './resource.svelte';
import { byName, shownCondition, WORST_FIRST, worstFirst, type ShownCondition } from './severity';

/** Whether a gateway is connected and has reported lately. */
export const isConnected = ({ state, stale }: Gateway): boolean => state === 'online' && !stale;

/** All machines and gateways: loaded once for the page, updated live. */
class Plant {
  #list: Resource<Map<string, Machine>> | undefined = $state.raw();
  #gateways: Resource<Gateway[]> | undefined = $state.raw();

  readonly byName: Machine[] = $derived([...(this.#list?.data?.values() ?? [])]);
  /** Worst first. */
  readonly machines: Machine[] = $derived(this.byName.toSorted(worstFirst));
  readonly counts: Record<ShownCondition, number> = $derived(countConditions(this.byName));
  /** Number of unacknowledged alarms. */
  readonly waiting: number = $derived(
    this.byName.reduce((sum, machine) => sum + machine.unacknowledged, 0),
  );

  /** The sites of the gateways that the person may see. */
  readonly sites: string[] = $derived(
    [...new Set((this.#gateways?.data ?? []).map((gateway) => gateway.site))].sort(),
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
  readonly reload = (): void => {
    this.#list?.reload();
  };

  /** Call while the app component is set up. */
  start(): void {
    this.#list = resource(
      async () => {
        const { items } = await dataOf(api.GET('/api/v1/machines'));
        return inNameOrder(items);
      },
      { machine: withMachine },
    );
    this.#gateways = resource(async () => (await dataOf(api.GET('/api/v1/gateways'))).items, {
      gateway: (shown, gateway) =>
        [...shown.filter((g) => g.id !== gateway.id), gateway].sort((a, b) =>
          a.id < b.id ? -1 : 1,
        ),
    });
  }
}

function inNameOrder(machines: readonly Machine[]): Map<string, Machine> {
  return new Map(machines.toSorted(byName).map((machine) => [machine.id, machine]));
}

/** The machines with a new view of one; sorted again only if it is new or renamed. */
function withMachine(machines: Map<string, Machine>, machine: Machine): Map<string, Machine> {
  const before = machines.get(machine.id);
  const now = new Map(machines).set(machine.id, machine);
  return before && byName(before, machine) === 0 ? now : inNameOrder([...now.values()]);
}

export function countConditions(machines: Machine[]): Record<ShownCondition, number> {
  const counts = Object.fromEntries(WORST_FIRST.map((s) => [s, 0])) as Record<
    ShownCondition,
    number
  >;
  for (const machine of machines) counts[shownCondition(machine)] += 1;
  return counts;
}

export const plant = new Plant();
