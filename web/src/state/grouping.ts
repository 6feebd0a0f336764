import type { Machine } from '../api/client';
import { standing, WORST_FIRST, type Standing } from './severity';

/** Machines of one area of one plant. */
export interface Area {
  id: string;
  site: string;
  area: string;
  machines: Machine[];
  /** How many stand how, worst first, none left out that is there. */
  counts: [Standing, number][];
}

/** Machines by plant and area, in the order they come in: the area of the worst comes first. */
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

const siteOf = ({ id }: Machine): string => id.slice(0, id.indexOf('~'));

function counted(machines: readonly Machine[]): [Standing, number][] {
  return WORST_FIRST.map((one): [Standing, number] => [
    one,
    machines.filter((m) => standing(m) === one).length,
  ]).filter(([, count]) => count > 0);
}
