import { describe, expect, it } from 'vitest';
import type { CatalogueBearing, MachineConfiguration, MachineSettings } from '../api/client';
import {
  bearingOf,
  draftOf,
  listWith,
  nameByQuantity,
  newDraft,
  newPoint,
  newTacho,
  placeOf,
  settingsOf,
  simulate,
  type DraftPoint,
} from './draft';
import { channelKey, mixesSources, MQTT, newTag, SPARKPLUG, sourceOf, sourcesOf } from './sources';

const BEARING: CatalogueBearing = {
  name: '6205',
  balls: 9,
  ball_diameter_mm: 7.94,
  pitch_diameter_mm: 39.04,
  contact_angle_deg: 0,
  orders: { bpfo: 3.58, bpfi: 5.42, bsf: 2.36, ftf: 0.4 },
  approximate: false,
  source: 'test',
  origin: 'published',
};
const channel = channelKey({ source: 'rig/manifest.csv', machine: 'pump', point: 'de' });
const draft = {
  ...newDraft(),
  id: ' pump-1 ',
  bearings: [bearingOf(BEARING)],
  gear_teeth: '20, 35',
  points: [{ ...newPoint('DE'), channel }, newPoint('NDE')],
};
const machine = settingsOf(draft);
const now: MachineConfiguration = {
  gateway_id: 'plant~gw1',
  version: 'v1',
  fixed: [],
  machines: [machine, { ...machine, id: 'fan-1' }],
  sources: [
    { type: 'recordings', manifest: 'rig/manifest.csv', machine: 'pump', as_machine: 'pump-1' },
    { type: 'sound_card', machine: 'fan-1' },
  ],
  channels: [],
  forms: [],
};

describe('a draft', () => {
  it('can be a simulated machine, and is read back unchanged', () => {
    const pump = newDraft();
    simulate(pump, 'inner');
    const settings = settingsOf(pump);
    const sources = sourcesOf(pump);
    expect(settings.bearings.map((one) => one.name)).toEqual(['6205 (simulated)']);
    expect(sources).toMatchObject([
      {
        type: 'simulator',
        machine: 'pump',
        fault: 'inner',
        speed_rpm: 1480,
        points: [
          { point: 'DE-H', direction: 'horizontal' },
          { point: 'DE-V', direction: 'vertical' },
          { point: 'DE-A', direction: 'axial' },
        ],
      },
    ]);
    const kept = sources.map((one) => ({ ...one, run_s: 600, seed: 7 }));
    expect(sourcesOf(draftOf(settings, kept))).toEqual(kept);
  });

  it('becomes settings with the geometry of its bearings', () => {
    expect(machine.id).toBe('pump-1');
    expect(machine.gear_teeth).toEqual([20, 35]);
    expect(machine.bearings[0]).toMatchObject({ name: '6205', balls: 9, ball_diameter_mm: 7.94 });
    expect(machine.points[0]).not.toHaveProperty('channel');
  });

  it('keeps a sensitivity only for volts', () => {
    const point = { ...newPoint('DE'), sensitivity_mv: 100, sensitivity_unit: 'g' as const };
    const points = [point, { ...point, unit: 'V' as const }];
    const made = settingsOf({ ...draft, points });
    expect(made.points.map((p) => p.sensitivity_mv)).toEqual([null, 100]);
  });

  it('reads the chosen channels', () => {
    expect(sourceOf(draft)).toMatchObject({
      manifest: 'rig/manifest.csv',
      machine: 'pump',
      as_machine: 'pump-1',
      points: { DE: 'de' },
    });
    expect(sourceOf({ ...draft, points: [newPoint('DE')] })).toBeNull();
  });

  it('reads sensors and process values over MQTT', () => {
    const point = { ...newPoint('DE'), channel: MQTT, topic: ' a/de ', burst_s: 2, interval_s: 60 };
    const tags = [{ ...newTag(), topic: 'plc/speed', pointer: '/v', scale: 60 }];
    const wireless = { ...draft, points: [point, newPoint('NDE')], tags };
    const source = sourceOf(wireless);
    expect(source).toEqual({
      type: 'mqtt',
      machine: 'pump-1',
      waveforms: [{ point: 'DE', topic: 'a/de', burst_s: 2, interval_s: 60 }],
      tags: [{ name: 'speed_rpm', topic: 'plc/speed', pointer: '/v', scale: 60, offset: 0 }],
      stale_after_s: 300,
    });
    const again = draftOf(settingsOf(wireless), source ? [source] : []);
    expect(again.points.map((p) => [p.channel, p.topic])).toEqual([
      ['mqtt', 'a/de'],
      ['', ''],
    ]);
    expect(sourceOf(again)).toEqual(source);
    expect(mixesSources(wireless)).toBe(false);
    expect(mixesSources({ ...wireless, points: [point, { ...newPoint(), channel }] })).toBe(true);
  });

  it('reads metrics of other edge nodes, and keeps fields it does not show', () => {
    const source = {
      type: 'sparkplug',
      machine: 'pump-1',
      group_id: 'plant',
      edge_node_id: 'plc1',
      waveforms: [
        { point: 'DE', metric: 'Vib#1/DE', device_id: 'rack', encoding: 'float32', scale: 0.5 },
      ],
      tags: [{ name: 'load', metric: 'Load', edge_node_id: 'plc2' }],
    };
    const again = draftOf(machine, [source]);
    expect(again.points.map((p) => [p.channel, p.topic])).toEqual([
      [SPARKPLUG, 'plant/plc1/rack#Vib#1/DE'],
      ['', ''],
    ]);
    expect(again.stale_after_s).toBe(86_400);
    const made = sourceOf(again);
    expect(made).toMatchObject({ group_id: 'plant', edge_node_id: 'plc1' });
    expect(made?.['waveforms']).toMatchObject([
      { metric: 'Vib#1/DE', device_id: 'rack', encoding: 'float32', scale: 0.5 },
    ]);
    expect(made?.['tags']).toMatchObject([{ metric: 'Load', edge_node_id: 'plc2' }]);
    expect(settingsOf(again)).toEqual(machine);
  });

  it('reads values of a Modbus device, an OPC UA server and a push, and keeps what it does not show', () => {
    const value = (id: string) => ({ ...newPoint(id), kind: 'value' as const, interval_s: 60 });
    const sources = [
      {
        type: 'modbus',
        machine: 'pump-1',
        host: '10.0.0.7',
        port: 502,
        unit_id: 3,
        timeout_s: 2,
        register_map: 'banner-qm30vt2',
        values: [
          { point: 'v', register_name: 'z_velocity_rms' },
          { point: 'p', address: 16, encoding: 'float32', invalid: [0] },
        ],
      },
      {
        type: 'opcua',
        machine: 'pump-1',
        url: 'opc.tcp://plc:4840',
        key_file: 'key.pem',
        values: [{ point: 'T', node: 'ns=2;s=T', scale: 0.1 }],
      },
      {
        type: 'http',
        machine: 'pump-1',
        host: '0.0.0.0',
        port: 8430,
        token_sha256: 'a'.repeat(64),
        values: [{ point: 'I' }],
      },
    ];
    const settings = settingsOf({ ...draft, points: ['v', 'p', 'T', 'I'].map(value) });
    const again = draftOf(settings, sources);
    expect(again.points.map((point) => point.channel)).toEqual([
      'modbus',
      'modbus',
      'opcua',
      'http',
    ]);
    expect(again.points[1]?.more).toEqual({ address: 16, encoding: 'float32', invalid: [0] });
    expect(sourcesOf(again)).toEqual(sources);
    expect(settingsOf(again)).toEqual(settings);

    const port = { type: 'integer', default: 8430, 'x-initial': 1 };
    const properties = {
      port,
      host: { type: 'string' },
      line: { type: 'string', 'x-variant': 'a' },
    };
    const form = { kind: 'http', allowed: true, words: {}, row: { properties: {} } };
    const { connections } = draftOf(
      settings,
      [{ type: 'http', machine: 'pump-1', host: 'a', values: [{ point: 'I' }] }],
      [{ ...form, connection: { properties } }],
    );
    expect(connections['http'], 'the default, not what a new form proposes').toEqual({
      port: 8430,
      host: 'a',
    });
  });

  it('keeps the channel of a tachometer, and a second device of a kind', () => {
    const tacho = { ...newTacho(), channel: MQTT, topic: 'fan/T' };
    const point = { ...newPoint('DE'), channel: MQTT, topic: 'fan/DE' };
    const fan = { ...draft, points: [point], tacho };
    const sources = sourcesOf(fan);
    expect(sources[0]?.['waveforms']).toMatchObject([{ point: 'DE' }, { point: 'T' }]);
    expect(sourcesOf(draftOf(settingsOf(fan), sources))).toEqual(sources);
    expect(mixesSources({ ...fan, tacho: { ...tacho, channel } })).toBe(true);

    const device = { type: 'modbus', machine: 'pump-1', values: [{ point: 'a' }] };
    const list = { ...now, sources: [...sources, device, { ...device, host: 'b' }] };
    const kept = listWith(list, 'pump-1', settingsOf(fan), sources);
    expect(kept.sources).toEqual(list.sources);
  });

  it('is the machine again that it was made of', () => {
    const source = sourceOf(draft);
    const again = draftOf(machine, source ? [source] : []);
    expect(again.points[0]?.channel).toBe(channel);
    expect(settingsOf(again)).toEqual(machine);
  });
});

describe('the list', () => {
  const ids = (machines: MachineSettings[]) => machines.map((m) => m.id);

  it('gets a machine first, and the others keep their sources', () => {
    const list = listWith(now, 'new', { ...machine, id: 'new' }, []);
    expect(ids(list.machines)).toEqual(['new', 'pump-1', 'fan-1']);
    expect(list.sources).toEqual(now.sources);
  });

  it('replaces a machine, whose source stays unless recordings were taken away', () => {
    const fan = listWith(now, 'fan-1', { ...machine, id: 'fan-1' }, []);
    expect(fan.sources).toHaveLength(2);
    const pump = listWith(now, 'pump-1', machine, []);
    expect(pump.sources).toEqual([now.sources[1]]);
  });

  it('loses a machine with its source', () => {
    const list = listWith(now, 'pump-1', null, []);
    expect(ids(list.machines)).toEqual(['fan-1']);
    expect(list.sources).toEqual([now.sources[1]]);
  });
});

it('says where a problem is', () => {
  const at = (...path: (string | number)[]) => placeOf({ path, text: '' }, draft);
  expect(at('machines', 0, 'points', 1, 'limits')).toEqual({
    step: 'limits',
    row: 1,
    source: null,
    key: 'limits',
  });
  expect(at('machines', 0, 'points', 1)).toMatchObject({ step: 'points', row: 1, key: '' });
  expect(at('machines', 0, 'id')).toMatchObject({ step: 'machine', row: null, key: 'id' });
  expect(at('machines', 0, 'bearings', 0, 'bpfo')?.step).toBe('bearings');
  expect(at('sources', 0, 'manifest')).toMatchObject({ step: 'points', key: 'manifest' });
  expect(at('sources', 7, 'type'), 'a source of another machine').toBeNull();
  const values = newDraft();
  values.points = [
    newPoint('a'),
    { ...newPoint('b'), channel: 'opcua', kind: 'value' },
    { ...newPoint('c'), channel: 'opcua', kind: 'value' },
  ];
  const third = { path: ['sources', 0, 'values', 1, 'node'], text: '' };
  expect(placeOf(third, values)).toMatchObject({ step: 'points', row: 2, key: 'node' });
  const whole = { path: ['sources', 0, 'url'], text: '' };
  expect(placeOf(whole, values)).toMatchObject({ row: null, source: 'opcua', key: 'url' });
});

it('names a point after its quantity, unless a person has named it', () => {
  const draft = newDraft();
  const points = [0, 1, 2, 3].map((i) => ({
    ...newPoint(i === 0 ? 'DE-H' : ''),
    kind: 'value' as const,
  }));
  draft.points = points;
  const [first, second, third, fourth] = draft.points as [
    DraftPoint,
    DraftPoint,
    DraftPoint,
    DraftPoint,
  ];
  const choose = (point: DraftPoint, quantity: NonNullable<DraftPoint['quantity']>) => {
    const before = point.quantity;
    point.quantity = quantity;
    nameByQuantity(draft, point, before);
  };
  choose(first, 'temperature');
  choose(second, 'temperature');
  choose(third, 'velocity_rms');
  fourth.id = 'oil';
  choose(fourth, 'temperature');
  expect(draft.points.map(({ id }) => id)).toEqual(['temperature', 'temperature-2', '', 'oil']);
  choose(second, 'pressure');
  expect(second.id).toBe('pressure');
});
