import type { ChannelPart, MachineConfiguration } from '../api/client';

export type Source = MachineConfiguration['sources'][number];

/** Kinds of sources that are heard over a broker, as the channel of a point. */
export const MQTT = 'mqtt';
export const SPARKPLUG = 'sparkplug';
const OVER_BROKER: readonly string[] = [MQTT, SPARKPLUG];

/** What a point hears while it is being set up. */
export interface Hearing {
  /** A `channelKey`, `MQTT`, `SPARKPLUG`, or empty = heard otherwise. */
  channel: string;
  /** Topic of its sensor, or with `SPARKPLUG` the address of a metric. */
  topic: string;
  burst_s: number | null;
  interval_s: number | null;
  /** What is not shown of it, kept as it was. */
  more: Record<string, unknown>;
}

export const newHearing = (): Hearing => ({
  channel: '',
  topic: '',
  burst_s: null,
  interval_s: null,
  more: {},
});

/** A process value over a broker that makes a machine's operating state. */
export interface DraftTag {
  name: string;
  /** As of a point. */
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

/** When a process value counts as unknown, s: metrics are told when they change. */
export const STALE_AFTER_S: Record<string, number> = { [MQTT]: 300, [SPARKPLUG]: 86_400 };

/** A metric's address: group/edge node/device#metric, where the device may be missing. */
export const ADDRESS = '[^/#]+/[^/#]+(/[^/#]+)?#.+';

/** What of a draft says what its machine hears. */
interface Heard {
  id: string;
  points: (Hearing & { id: string })[];
  tags: DraftTag[];
  stale_after_s: number;
}

/** Names a channel that a gateway could hear. */
export const channelKey = (channel: Pick<ChannelPart, 'source' | 'machine' | 'point'>): string =>
  [channel.source, channel.machine, channel.point].join('\n');

/** Whether a point hears a sensor over a broker. */
export const overBroker = (channel: string): boolean => OVER_BROKER.includes(channel);

const kindOf = (channel: string): string => (overBroker(channel) ? channel : 'recordings');

/** Kind of what the first point hears that hears anything. */
export function sourceKind({ points }: Pick<Heard, 'points'>): string | null {
  const first = points.find((point) => point.channel);
  return first ? kindOf(first.channel) : null;
}

/** Whether points hear sources of several kinds: a machine has one. */
export function mixesSources(heard: Pick<Heard, 'points'>): boolean {
  const kind = sourceKind(heard);
  return heard.points.some(({ channel }) => channel !== '' && kindOf(channel) !== kind);
}

/**
 * The source that delivers the chosen channels; none if no point has one. All channels of a machine
 * come from one recording's machine: what is chosen elsewhere is told by the gateway.
 */
export function sourceOf(heard: Heard): Source | null {
  const kind = sourceKind(heard);
  const points = heard.points.filter(({ channel }) => channel && kindOf(channel) === kind);
  const machine = heard.id.trim();
  if (kind === MQTT) {
    return {
      type: MQTT,
      machine,
      waveforms: points.map((point) => ({ ...waveform(point), topic: point.topic.trim() })),
      tags: heard.tags.map((tag) => ({
        ...factors(tag),
        topic: tag.topic.trim(),
        pointer: tag.pointer.trim(),
      })),
      stale_after_s: heard.stale_after_s,
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
      tags: heard.tags.map((tag) => ({ ...factors(tag), ...metric(tag.topic) })),
      stale_after_s: heard.stale_after_s,
    };
  }
  return recordings(machine, points);
}

function recordings(machine: string, points: Heard['points']): Source | null {
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

const waveform = ({ id, burst_s, interval_s, more }: Heard['points'][number]) => ({
  ...more,
  point: id.trim(),
  burst_s,
  interval_s,
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

/** A waveform or a tag as a source has it; sources of other kinds have none. */
type Entry = Record<string, unknown>;
const entries = (source: Source | undefined, key: 'waveforms' | 'tags'): Entry[] =>
  (source?.[key] as Entry[] | undefined) ?? [];

/** What a point hears of the source that its machine has. */
export function hearingOf(source: Source | undefined, point: string): Hearing {
  const type = typeof source?.['type'] === 'string' ? source['type'] : '';
  if (type === 'recordings') {
    const names = source?.['points'] as Record<string, string> | undefined;
    const channel = [source?.['manifest'], source?.['machine'], names?.[point] ?? point];
    return { ...newHearing(), channel: channel.join('\n') };
  }
  const found = entries(source, 'waveforms').find((one) => one['point'] === point);
  if (!found || !overBroker(type)) return newHearing();
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

/** Kinds of sources that a draft shows whole: without one, the machine hears nothing more. */
export const SHOWN: ReadonlySet<unknown> = new Set(['recordings', ...OVER_BROKER]);
