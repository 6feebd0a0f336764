import { expect, test } from 'vitest';
import { faultLines } from './fault-lines';

const bearing = (name: string) => ({ name, bpfo: 3.6, bpfi: 5.4, bsf: 2.4, ftf: 0.4, shaft: '' });
const machine = {
  bearings: [bearing('6312'), bearing('6310')],
  gear_teeth: [23],
  speed_rpm: 1500,
} as Parameters<typeof faultLines>[2];

test('a case opens the tools with its fault’s lines, its period and a zoom that shows them', () => {
  expect(faultLines('inner', '6310', machine)).toEqual({
    mark: 'bearing-1',
    period: 'bearing-1/BPFI',
    upto: '1000',
  });
  expect(faultLines('gear', null, machine)).toMatchObject({ mark: 'gear-23' });
  expect(faultLines('imbalance', null, machine)).toMatchObject({ period: 'shaft/1×' });
  expect(faultLines('cavitation', null, machine)).toEqual({});
  expect(faultLines('outer', null, { ...machine, bearings: [] })).toEqual({});
});
