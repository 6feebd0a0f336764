import type { ChannelPart, MachineConfiguration, SourceForm } from '../api/client';
import type { SettingsSchema, Values } from '../forms/schema';
import { SIMULATED_FAULTS } from './choices';

export type Source = MachineConfiguration['sources'][number];

/** Channels of points whose source is a broker. */
export const MQTT = 'mqtt';
export const SPARKPLUG = 'sparkplug';
/** Channel of a point of the simulated machine. */
export const SIMULATOR = 'simulator';
const OVER_BROKER: readonly string[] = [MQTT, SPARKPLUG];

/** What was found where a value is: it fills in the point. */
export interface FoundValue {
  quantity: string;
  unit: string;
  /** Mean time between two values that were watched, s. */
  interval_s?: number | null;
}

/** The signal source of a point while it is being set up. */
export interface PointSource {
  /** A `channelKey`, `MQTT`, `SPARKPLUG`, `SIMULATOR`, a kind of values, or empty = another source. */
  channel: string;
  /** Topic of its sensor, or with `SPARKPLUG` the address of a metric. */
  topic: string;
  burst_s: number | null;
  interval_s?: number | null;
  /** Of a value all its settings at the source; else those that the form does not show. */
  more: Values;
}

/** The schemas of a source of values: of how it is reached, and of one of its values. */
export const connectionOf = (form: SourceForm) => form.connection as unknown as SettingsSchema;
export const rowOf = (form: SourceForm) => form.row as unknown as SettingsSchema;

/** How each source of values is reached, by its kind: a machine has at most one of each here. */
export type Connections = Record<string, Values>;

export const newPointSource = (): PointSource => ({
  channel: '',
  topic: '',
  burst_s: null,
  interval_s: null,
  more: {},
});

/** A process value over a broker that makes a machine's operating state. */
export interface DraftTag {
  name: string;
  /** As `topic` of a point. */
  topic: string;
  pointer: string;
  scale: number;
  offset: number;
}

export const newTag = (): DraftTag => ({
  name: 'speed_rpm',
  topic: '',
  pointer: '',
  scale: 1,
  offset: 0,
});

/** Age from which a process value is unknown, s; metrics are published only on change. */
export const STALE_AFTER_S: Record<string, number> = { [MQTT]: 300, [SPARKPLUG]: 86_400 };

/** A metric's address: group/edge node/device#metric, where the device may be missing. */
export const ADDRESS = '[^/#]+/[^/#]+(/[^/#]+)?#.+';

/** What a simulated machine does. */
export interface Simulation {
  fault: SimulatedFault;
  healthy_s: number;
  growth_s: number;
  /** Settings that the form does not show; they stay unchanged. */
  more: Record<string, unknown>;
}

export type SimulatedFault = (typeof SIMULATED_FAULTS)[number];

/**
 * Healthy long enough to learn, then a fault that alarms within minutes: the baseline took 2.5 min
 * on a computer under heavy load.
 */
export const newSimulation = (): Simulation => ({
  fault: 'outer',
  healthy_s: 360,
  growth_s: 180,
  more: {},
});

type SourcePoint = PointSource & { id: string; direction?: string | null; bearings?: string[] };

/** The part of a draft that describes its source. */
interface SourceDraft {
  id: string;
  speed_rpm?: number | null;
  points: SourcePoint[];
  /** A channel as the points are. */
  tacho?: SourcePoint | null | undefined;
  connections: Connections;
  simulation: Simulation;
  tags: DraftTag[];
  stale_after_s: number;
}

/** Key of a channel that a gateway can read. */
export const channelKey = (channel: Pick<ChannelPart, 'source' | 'machine' | 'point'>): string =>
  [channel.source, channel.machine, channel.point].join('\n');

/** Whether a channel is over a broker. */
export const overBroker = (channel: string): boolean => OVER_BROKER.includes(channel);

const kindOf = (channel: string): string =>
  overBroker(channel) || channel === SIMULATOR ? channel : 'recordings';

/** Whether a channel delivers values: their sources may differ from that of the samples. */
export const ofValues = (channel: string): boolean =>
  channel !== '' && kindOf(channel) === 'recordings' && !channel.includes('\n');

/** Whether a source delivers values. */
export const hasValues = (source: Source): boolean => Array.isArray(source['values']);

/** The kinds of the sources of values that points have. */
export const valueKinds = ({ points }: Pick<SourceDraft, 'points'>): string[] => [
  ...new Set(points.map(({ channel }) => channel).filter(ofValues)),
];

/** Whether a point has samples. */
const hasSamples = ({ channel }: PointSource): boolean => channel !== '' && !ofValues(channel);

type Sampled = Pick<SourceDraft, 'points' | 'tacho'>;
const sampled = ({ points, tacho }: Sampled): SourcePoint[] => [
  ...points,
  ...(tacho ? [tacho] : []),
];

/** Kind of the source of the first point that has samples. */
export function sourceKind(draft: Sampled): string | null {
  const first = sampled(draft).find(hasSamples);
  return first ? kindOf(first.channel) : null;
}

/** Whether the points have sources of several kinds: a machine has one. */
export function mixesSources(draft: Sampled): boolean {
  const kind = sourceKind(draft);
  return sampled(draft).some((point) => hasSamples(point) && kindOf(point.channel) !== kind);
}

/**
 * The source that delivers the chosen channels; none if no point has one. All channels of a machine
 * come from one machine of a recording: the gateway rejects others.
 */
export function sourceOf(draft: SourceDraft): Source | null {
  const kind = sourceKind(draft);
  const points = sampled(draft).filter((one) => hasSamples(one) && kindOf(one.channel) === kind);
  const machine = draft.id.trim();
  if (kind === MQTT) {
    return {
      type: MQTT,
      machine,
      waveforms: points.map((point) => ({ ...waveform(point), topic: point.topic.trim() })),
      tags: draft.tags.map((tag) => ({
        ...factors(tag),
        topic: tag.topic.trim(),
        pointer: tag.pointer.trim(),
      })),
      stale_after_s: draft.stale_after_s,
    };
  }
  if (kind === SPARKPLUG) {
    const { group_id, edge_node_id } = addressed(points[0]?.topic ?? '');
    return {
      type: SPARKPLUG,
      machine,
      group_id,
      edge_node_id,
      waveforms: points.map((point) => ({ ...waveform(point), ...metric(point.topic) })),
      tags: draft.tags.map((tag) => ({ ...factors(tag), ...metric(tag.topic) })),
      stale_after_s: draft.stale_after_s,
    };
  }
  if (kind === SIMULATOR) {
    const { fault, healthy_s, growth_s, more } = draft.simulation;
    return {
      ...more,
      type: SIMULATOR,
      machine,
      fault,
      healthy_s,
      growth_s,
      ...(draft.speed_rpm ? { speed_rpm: draft.speed_rpm } : {}),
      points: points.map(({ id, direction, more }) => ({
        ...more,
        point: id.trim(),
        ...(direction ? { direction } : {}),
      })),
    };
  }
  return recordings(machine, points);
}

/** All sources of a machine: of its samples, and of its values. */
export function sourcesOf(draft: SourceDraft): Source[] {
  const samples = sourceOf(draft);
  const values = valueKinds(draft).map((type) => ({
    ...given(draft.connections[type] ?? {}),
    type,
    machine: draft.id.trim(),
    values: draft.points
      .filter(({ channel }) => channel === type)
      .map(({ id, more }) => ({ ...given(more), point: id.trim() })),
  }));
  return samples ? [samples, ...values] : values;
}

/** Empty settings stand for their defaults. */
const given = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values)
      .map(([key, value]) => [key, typeof value === 'string' ? value.trim() : value] as const)
      .filter(([, value]) => value !== '' && value !== null && value !== undefined),
  );

/** How the sources of values of a machine are reached. */
export const connectionsOf = (sources: readonly Source[]): Connections =>
  Object.fromEntries(
    sources
      .filter(hasValues)
      .map((one) => [textOf(one['type']), without(one, 'type', 'machine', 'values')]),
  );

function recordings(machine: string, points: SourceDraft['points']): Source | null {
  const [manifest, recorded] = points[0]?.channel.split('\n') ?? [];
  if (manifest === undefined || recorded === undefined) return null;
  return {
    type: 'recordings',
    manifest,
    machine: recorded,
    as_machine: machine,
    points: Object.fromEntries(
      points.map((point) => [point.id.trim(), point.channel.split('\n')[2] ?? '']),
    ),
    repeat: true,
  };
}

const waveform = ({ id, burst_s, interval_s, more }: SourceDraft['points'][number]) => ({
  ...more,
  point: id.trim(),
  burst_s,
  interval_s: interval_s ?? null,
});

const factors = ({ name, scale, offset }: DraftTag) => ({ name: name.trim(), scale, offset });

function addressed(address: string) {
  const [place = '', ...rest] = address.trim().split('#');
  const [group_id = '', edge_node_id = '', device_id = ''] = place.split('/');
  return { group_id, edge_node_id, device_id, metric: rest.join('#') };
}

function metric(address: string) {
  const { edge_node_id, device_id, metric } = addressed(address);
  return { edge_node_id, device_id, metric };
}

/** A waveform or tag of a source; other kinds of sources have none. */
type Entry = Record<string, unknown>;
type Entries = 'waveforms' | 'tags' | 'values' | 'points';
const entries = (source: Source | undefined, key: Entries): Entry[] =>
  (source?.[key] as Entry[] | undefined) ?? [];

/** The source of a point, from that of its machine. */
export function pointSourceOf(source: Source | undefined, point: string): PointSource {
  const type = typeof source?.['type'] === 'string' ? source['type'] : '';
  if (type === 'recordings') {
    const names = source?.['points'] as Record<string, string> | undefined;
    const channel = [source?.['manifest'], source?.['machine'], names?.[point] ?? point];
    return { ...newPointSource(), channel: channel.join('\n') };
  }
  if (type === SIMULATOR) {
    const found = entries(source, 'points').find((one) => one['point'] === point);
    if (!found) return newPointSource();
    return { ...newPointSource(), channel: type, more: without(found, 'point', 'direction') };
  }
  if (source && hasValues(source)) {
    const value = entries(source, 'values').find((one) => one['point'] === point);
    if (!value) return newPointSource();
    return { ...newPointSource(), channel: type, more: without(value, 'point') };
  }
  const found = entries(source, 'waveforms').find((one) => one['point'] === point);
  if (!found || !overBroker(type)) return newPointSource();
  const { burst_s, interval_s, encoding, scale, column, rate_metric } = found;
  const more = Object.entries({ encoding, scale, column, rate_metric });
  return {
    channel: type,
    topic: addressOf(source, found),
    burst_s: numberOr(burst_s, null),
    interval_s: numberOr(interval_s, null),
    more: Object.fromEntries(more.filter(([, value]) => value !== undefined)),
  };
}

/** The simulation of a machine's source; the usual one for other sources. */
export function simulationOf(source: Source | undefined): Simulation {
  const usual = newSimulation();
  if (source?.['type'] !== SIMULATOR) return usual;
  return {
    fault: SIMULATED_FAULTS.find((one) => one === source['fault']) ?? 'none',
    healthy_s: numberOr(source['healthy_s'], usual.healthy_s),
    growth_s: numberOr(source['growth_s'], usual.growth_s),
    more: without(
      source,
      ...['type', 'machine', 'points', 'fault', 'healthy_s', 'growth_s', 'speed_rpm'],
    ),
  };
}

const without = (entry: Entry, ...keys: string[]): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));

export const tagsOf = (source: Source | undefined): DraftTag[] =>
  entries(source, 'tags').map((tag) => ({
    name: textOf(tag['name']),
    topic: addressOf(source, tag),
    pointer: textOf(tag['pointer']),
    scale: numberOr(tag['scale'], 1),
    offset: numberOr(tag['offset'], 0),
  }));

export function staleOf(source: Source | undefined): number {
  const usual = STALE_AFTER_S[textOf(source?.['type'])] ?? 300;
  return numberOr(source?.['stale_after_s'], usual);
}

function addressOf(source: Source | undefined, entry: Entry): string {
  if (source?.['type'] !== SPARKPLUG) return textOf(entry['topic']);
  const node = textOf(entry['edge_node_id']) || textOf(source['edge_node_id']);
  const place = [textOf(source['group_id']), node, textOf(entry['device_id'])].filter(Boolean);
  return `${place.join('/')}#${textOf(entry['metric'])}`;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOr = <T>(value: unknown, other: T): number | T =>
  typeof value === 'number' ? value : other;

/** Id of the machine that a source delivers to. */
export const targetOf = (source: Source): string =>
  textOf(source['as_machine']) || textOf(source['machine']);

/** Kinds of sources of samples that a draft shows: a draft without one removes the source. */
const SHOWN: ReadonlySet<unknown> = new Set(['recordings', SIMULATOR, ...OVER_BROKER]);

/** Sources that a draft does not show: of other kinds, or a second one of a kind of values. */
export function hiddenOf(own: readonly Source[]): Source[] {
  const count = (type: unknown) => own.filter((one) => one['type'] === type).length;
  return own.filter((one) => (hasValues(one) ? count(one['type']) > 1 : !SHOWN.has(one['type'])));
}
