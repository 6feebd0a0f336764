import type { Machine } from '../api/client';
import { shownCondition, WORST_FIRST, type ShownCondition } from './severity';

/** Machines of one area of one plant. */
export interface Area {
  id: string;
  site: string;
  area: string;
  machines: Machine[];
  /** Number of machines by condition, worst first, without zeros. */
  counts: [ShownCondition, number][];
}

/** Machines by site and area, in the order of the first machine of each. */
export function byArea(machines: readonly Machine[]): Area[] {
  const areas = new Map<string, Machine[]>();
  for (const machine of machines) {
    const id = `${siteOf(machine)}\n${machine.area}`;
    const known = areas.get(id);
    if (known) known.push(machine);
    else areas.set(id, [machine]);
  }
  return [...areas].map(([id, mine]) => {
    const [site = '', area = ''] = id.split('\n');
    return { id, site, area, machines: mine, counts: counted(mine) };
  });
}

/** The site of a machine, by its id. */
export const siteOf = ({ id }: Machine): string => id.slice(0, id.indexOf('~'));

function counted(machines: readonly Machine[]): [ShownCondition, number][] {
  return WORST_FIRST.map((one): [ShownCondition, number] => [
    one,
    machines.filter((m) => shownCondition(m) === one).length,
  ]).filter(([, count]) => count > 0);
}
