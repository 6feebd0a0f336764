import type { TableColumn, TableMapping } from '../api/client';

/** `[[machine]]` of values.toml and its points, as the gateway sends and takes them. */
export type Entry = Record<string, unknown>;

/** Keys of an entry that say how a table is read; all machines of the table share them. */
export const LAYOUT = ['time', 'timezone', 'time_format', 'tag', 'value', 'events'] as const;
export type Layout = Record<(typeof LAYOUT)[number], string>;

export type Use = 'unused' | 'value' | 'running_value' | 'run_bit';

/** A column, or a tag of a long table: what it is, and whose. */
export interface Row {
  column: string;
  cells: readonly string[];
  use: Use;
  machine: string;
  point: string;
  quantity: string;
  unit: string;
  /** The machine runs while the value is above this. */
  above: number | null;
  /** Keys of the point that this form does not show. */
  ofPoint: Entry;
  /** The machine in `values.toml`, which a person may rename. */
  of: string;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const entryOf = (value: unknown): Entry => (value ?? {}) as Entry;
const list = (value: unknown): Entry[] => (value ?? []) as Entry[];

export function without(entry: Entry, keys: readonly string[]): Entry {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));
}

export function layoutOf(entry: Entry | undefined): Layout {
  const found = entry ?? {};
  return Object.fromEntries(LAYOUT.map((key) => [key, text(found[key])])) as Layout;
}

/** Whether the machines of a table read it in one way; by file they may differ. */
export function isUniform(entries: readonly Entry[]): boolean {
  return new Set(entries.map((entry) => JSON.stringify(layoutOf(entry)))).size < 2;
}

/** A row for each column, and for each further point that reads the same one. */
export function rowsOf(head: TableMapping): Row[] {
  const entries = head.machines;
  const layout = layoutOf(entries[0]);
  const used = entries.flatMap((entry) => usesOf(entry, head.table));
  const shown: readonly TableColumn[] = layout.tag ? head.tags : head.columns;
  const names = new Set([...shown.map((one) => one.name), ...used.map((one) => one.column)]);
  names.delete(layout.time);
  return [...names].flatMap((column) => {
    const cells = shown.find((one) => one.name === column)?.cells ?? [];
    const own = used.filter((one) => one.column === column);
    const rows = own.length > 0 ? own : [{ ...UNUSED, column }];
    return rows.map((one) => ({ ...one, cells }));
  });
}

const UNUSED: Row = {
  column: '', cells: [], use: 'unused', machine: '', point: '', quantity: 'other', unit: '',
  above: null, ofPoint: {}, of: '',
}; // prettier-ignore

function usesOf(entry: Entry, table: string): Row[] {
  const machine = text(entry['id']);
  const running = entryOf(entry['running']);
  const above = typeof running['above'] === 'number' ? running['above'] : null;
  const ofBit = running['table'] === table;
  const common = { ...UNUSED, machine, of: machine };
  const rows: Row[] = list(entry['points']).map((point) => {
    const isRun = running['point'] === point['id'];
    return {
      ...common,
      column: text(point['column']),
      use: isRun ? 'running_value' : 'value',
      above: isRun ? above : null,
      point: text(point['id']),
      quantity: text(point['quantity']),
      unit: text(point['unit']),
      ofPoint: without(point, ['id', 'column', 'quantity', 'unit']),
    };
  });
  if (ofBit) rows.push({ ...common, column: text(running['column']), use: 'run_bit', above });
  return rows;
}

/** Keys of a machine that this form does not show; run bits of another table are among them. */
function hiddenOf(entry: Entry, table: string): Entry {
  const running = entryOf(entry['running']);
  const shown = running['table'] === table || running['point'] ? ['running'] : [];
  return without(entry, ['id', 'table', 'points', ...LAYOUT, ...shown]);
}

const runs = (row: Row) => row.use === 'run_bit' || row.use === 'running_value';

/** Whether an earlier row says already whether this row's machine runs. */
export function runsTwice(rows: readonly Row[], row: Row): boolean {
  return runs(row) && rows.find((one) => runs(one) && one.machine === row.machine) !== row;
}

/** The id of a point or machine that a name suggests. */
export function idOf(name: string): string {
  const plain = name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 32);
}

/** The machines of the table, and for each the rows of its points in order. */
export function entriesOf(
  rows: readonly Row[],
  layout: Layout,
  { table, machines: before }: Pick<TableMapping, 'table' | 'machines'>,
): { machines: Entry[]; places: Row[][] } {
  const given = Object.fromEntries(Object.entries(layout).filter(([, value]) => value !== ''));
  const used = rows.filter((row) => row.use !== 'unused');
  const ids = [...new Set(used.map((row) => row.machine))];
  const places = ids.map((id) => used.filter((row) => row.machine === id && row.use !== 'run_bit'));
  const machines = ids.map((id, i) => {
    const own = used.filter((row) => row.machine === id);
    const [old = '', ...others] = new Set(own.map((row) => row.of));
    const renamed = others.length === 0 && !ids.includes(old);
    const entry =
      before.find((one) => one['id'] === id) ??
      before.find((one) => renamed && one['id'] === old) ??
      {};
    return {
      ...hiddenOf(entry, table),
      ...given,
      id,
      table,
      points: (places[i] ?? []).map(({ ofPoint, point, column, quantity, unit }) => ({
        ...ofPoint,
        id: point,
        column,
        quantity,
        unit,
      })),
      ...runningOf(own, without(given, ['events']), table),
    };
  });
  return { machines, places };
}

function runningOf(own: readonly Row[], layout: Entry, table: string): Entry {
  const row = own.find(runs);
  if (row === undefined) return {};
  const above = row.above === null ? {} : { above: row.above };
  if (row.use === 'running_value') return { running: { point: row.point, ...above } };
  return { running: { ...layout, table, column: row.column, ...above } };
}
