import { describe, expect, it } from 'vitest';
import type { TableMapping } from '../api/client';
import {
  entriesOf,
  idOf,
  isUniform,
  layoutOf,
  rowsOf,
  runsTwice,
  type Entry,
} from './table-mapping';

const layout = { time: 'Zeit', timezone: 'Europe/Berlin' };
const fan: Entry = {
  ...layout,
  id: 'fan',
  table: 'works/fan.csv',
  healthy_rows: 400,
  events: 'breakdowns.csv',
  points: [
    { id: 'v', column: 'Vib', quantity: 'velocity_rms', unit: 'mm/s', resolution: 0.1 },
    { id: 't', column: 'Temp', quantity: 'temperature', unit: '°C' },
  ],
  running: { ...layout, table: 'works/fan.csv', column: 'Lauf', above: 0.5 },
};
const pump: Entry = {
  ...layout,
  id: 'pump',
  table: 'works/fan.csv',
  events: 'breakdowns.csv',
  points: [
    { id: 'hall', column: 'Temp', quantity: 'temperature', unit: '°C' },
    { id: 'i', column: 'Strom', quantity: 'current', unit: 'A' },
  ],
  running: { point: 'i', above: 2 },
};
const column = (name: string) => ({ name, cells: ['1'], numbers: true });
const head = (machines: Entry[]): TableMapping => ({
  table: 'works/fan.csv',
  columns: ['Zeit', 'Vib', 'Temp', 'Lauf', 'Notiz'].map(column),
  tags: [],
  tables: [],
  open: [],
  left_out: 0,
  stored: true,
  version: '',
  more_rows: false,
  machines,
});

describe('mapping of a table', () => {
  it('gives back what the file holds, with the keys that the form does not show', () => {
    const rows = rowsOf(head([fan, pump]));
    expect(rows.map((row) => [row.column, row.use, row.machine])).toEqual([
      ['Vib', 'value', 'fan'],
      ['Temp', 'value', 'fan'],
      ['Temp', 'value', 'pump'],
      ['Lauf', 'run_bit', 'fan'],
      ['Notiz', 'unused', ''],
      ['Strom', 'running_value', 'pump'],
    ]);
    const { machines, places } = entriesOf(rows, layoutOf(fan), head([fan, pump]));
    expect(machines).toEqual([fan, pump]);
    expect(places[1]?.map((row) => row.column)).toEqual(['Temp', 'Strom']);
  });

  it('keeps run bits of another table, and reads tags of a long table', () => {
    const bits = { table: 'bits.csv', column: 'on' };
    const long = { ...fan, tag: 'tag', value: 'wert', events: undefined, running: bits };
    const found = rowsOf({ ...head([long]), tags: [column('Vib'), column('Druck')] });
    expect(found.map((row) => row.column)).toEqual(['Vib', 'Druck', 'Temp']);
    const { machines } = entriesOf(found, layoutOf(long), head([long]));
    expect(machines[0]).toMatchObject({ running: bits, tag: 'tag', value: 'wert' });
  });

  it('leaves the keys that the form does not show at their machine', () => {
    const machines = (rows: ReturnType<typeof rowsOf>) =>
      entriesOf(rows, layoutOf(fan), head([fan, { ...pump, healthy_rows: 9 }])).machines;
    const moved = rowsOf(head([fan, { ...pump, healthy_rows: 9 }]));
    for (const row of moved.filter((one) => one.point === 'i')) row.machine = 'fan';
    expect(machines(moved)).toMatchObject([{ healthy_rows: 400 }, { healthy_rows: 9 }]);
    const replaced = rowsOf(head([fan]));
    for (const row of replaced) row.use = row.column === 'Notiz' ? 'value' : 'unused';
    for (const row of replaced) row.machine = 'fan';
    expect(machines(replaced)).toMatchObject([{ id: 'fan', healthy_rows: 400 }]);
    const renamed = rowsOf(head([fan]));
    for (const row of renamed.filter((one) => one.machine)) row.machine = 'fan-2';
    expect(machines(renamed)).toMatchObject([{ id: 'fan-2', healthy_rows: 400 }]);
  });

  it('reports the second row that says whether a machine runs', () => {
    const rows = rowsOf(head([fan, pump]));
    for (const row of rows.filter((one) => one.point === 'v')) row.use = 'running_value';
    const twice = rows.filter((row) => runsTwice(rows, row));
    expect(twice.map((row) => row.column)).toEqual(['Lauf']);
  });

  it('reports tables that are read in several ways', () => {
    expect(isUniform([fan, pump])).toBe(true);
    expect(isUniform([fan, { ...pump, timezone: 'UTC' }])).toBe(false);
  });

  it('makes ids of names', () => {
    expect(idOf('Lagertemperatur A [°C]')).toBe('lagertemperatur-a-c');
  });
});
