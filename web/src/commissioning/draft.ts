import type {
  Bearing,
  ChannelPart,
  LimitSettings,
  MachineConfiguration,
  MachineSettings,
  PointSettings,
  ProblemPart,
} from '../api/client';

/** A point while it is being set up: what it hears is a `channelKey`, a topic, or nothing. */
export interface DraftPoint extends PointSettings {
  /** A `channelKey`, `MQTT`, or empty = heard otherwise. */
  channel: string;
  topic: string;
  burst_s: number | null;
  interval_s: number | null;
}
/** As the channel of a point whose sensor speaks MQTT. */
export const MQTT = 'mqtt';

/** A process value over MQTT that makes a machine's operating state. */
export interface DraftTag {
  name: string;
  topic: string;
  pointer: string;
  scale: number;
  offset: number;
}

/** A machine while it is being set up: numbers may be missing, bearings are named. */
export interface Draft extends Omit<MachineSettings, 'points' | 'bearings' | 'gear_teeth'> {
  points: DraftPoint[];
  bearings: string[];
  gear_teeth: string;
  tags: DraftTag[];
  /** A process value older than this is unknown, s. */
  stale_after_s: number;
}

export type Source = MachineConfiguration['sources'][number];

export const newPoint = (id = ''): DraftPoint => ({
  id,
  name: '',
  kind: 'vibration',
  unit: 'g',
  sensitivity_mv: null,
  sensitivity_unit: null,
  fs_hz: 25_600,
  envelope_low_hz: null,
  envelope_high_hz: null,
  limits: [],
  channel: '',
  topic: '',
  burst_s: null,
  interval_s: null,
});

export const newTag = (): DraftTag => ({
  name: 'speed_rpm',
  topic: '',
  pointer: '',
  scale: 1,
  offset: 0,
});
const STALE_AFTER_S = 300;

export const newLimit = (): LimitSettings => ({
  feature: 'velocity_rms_mm_s',
  warning: null,
  alarm: null,
  direction: 'above',
});

export const newDraft = (): Draft => ({
  id: '',
  name: '',
  area: '',
  power_kw: null,
  speed_rpm: null,
  shaft_height_mm: null,
  support: null,
  iso_class: null,
  bearings: [],
  gear_teeth: '',
  baseline_windows: null,
  approve_baseline: true,
  points: [newPoint('DE-H')],
  tags: [],
  stale_after_s: STALE_AFTER_S,
});

/** Names a channel that a gateway could hear. */
export const channelKey = (channel: Pick<ChannelPart, 'source' | 'machine' | 'point'>): string =>
  [channel.source, channel.machine, channel.point].join('\n');

/** A machine that is set up already, to be changed. */
export function draftOf(machine: MachineSettings, sources: readonly Source[]): Draft {
  const source = sources.find((one) => targetOf(one) === machine.id);
  return {
    ...machine,
    bearings: machine.bearings.map((bearing) => bearing.name),
    gear_teeth: machine.gear_teeth.join(' '),
    points: machine.points.map((point) => ({
      ...newPoint(),
      ...point,
      ...(isMqtt(source) ? waveformOf(source, point.id) : recordedOf(source, point.id)),
    })),
    tags: isMqtt(source) ? (source.tags ?? []).map((tag) => ({ ...newTag(), ...tag })) : [],
    stale_after_s: (isMqtt(source) ? source.stale_after_s : null) ?? STALE_AFTER_S,
  };
}

/** What is sent to the gateway; bearings that the catalogue lacks stay as they were. */
export function settingsOf(
  draft: Draft,
  catalogue: readonly Bearing[],
  before?: MachineSettings,
): MachineSettings {
  const bearings = draft.bearings.map((name) => {
    const kept = before?.bearings.find((bearing) => bearing.name === name);
    const found = catalogue.find((bearing) => bearing.name === name);
    if (kept !== undefined || found === undefined) return kept ?? { name, contact_angle_deg: 0 };
    const { balls, ball_diameter_mm, pitch_diameter_mm, contact_angle_deg } = found;
    return { name, balls, ball_diameter_mm, pitch_diameter_mm, contact_angle_deg };
  });
  return {
    id: draft.id.trim(),
    name: draft.name,
    area: draft.area,
    power_kw: draft.power_kw,
    speed_rpm: draft.speed_rpm,
    shaft_height_mm: draft.shaft_height_mm,
    support: draft.support,
    iso_class: draft.iso_class,
    baseline_windows: draft.baseline_windows,
    approve_baseline: draft.approve_baseline,
    bearings,
    gear_teeth: draft.gear_teeth
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map(Number),
    points: draft.points.map(pointOf),
  };
}

function pointOf(point: DraftPoint): PointSettings {
  const volts = point.unit === 'V';
  return {
    id: point.id.trim(),
    name: point.name,
    kind: point.kind,
    unit: point.unit,
    sensitivity_mv: volts ? point.sensitivity_mv : null,
    sensitivity_unit: volts ? point.sensitivity_unit : null,
    fs_hz: point.fs_hz,
    envelope_low_hz: point.envelope_low_hz ?? null,
    envelope_high_hz: point.envelope_high_hz ?? null,
    limits: point.limits,
  };
}

/** Whether some points hear sensors and others recordings: a machine has one kind of source. */
export function mixesSources({ points }: Draft): boolean {
  const heard = points.filter((point) => point.channel);
  return heard.some(({ channel }) => (channel === MQTT) !== (heard[0]?.channel === MQTT));
}

/**
 * The source that delivers the chosen channels; none if no point has one. All channels of a machine
 * come from one recording's machine: what is chosen elsewhere is told by the gateway.
 */
export function sourceOf(draft: Draft): Source | null {
  const heard = draft.points.filter((point) => point.channel);
  if (heard[0]?.channel === MQTT) return mqttOf(draft, heard);
  const [manifest, machine] = heard[0]?.channel.split('\n') ?? [];
  if (manifest === undefined || machine === undefined) return null;
  return {
    type: 'recordings',
    manifest,
    machine,
    as_machine: draft.id.trim(),
    points: Object.fromEntries(
      heard.map((point) => [point.id.trim(), point.channel.split('\n')[2] ?? '']),
    ),
    repeat: true,
  };
}

function mqttOf(draft: Draft, heard: readonly DraftPoint[]): Source {
  return {
    type: MQTT,
    machine: draft.id.trim(),
    waveforms: heard
      .filter((point) => point.channel === MQTT)
      .map(({ id, topic, burst_s, interval_s }) => ({
        point: id.trim(),
        topic: topic.trim(),
        burst_s,
        interval_s,
      })),
    tags: draft.tags.map((tag) => ({
      ...tag,
      name: tag.name.trim(),
      topic: tag.topic.trim(),
      pointer: tag.pointer.trim(),
    })),
    stale_after_s: draft.stale_after_s,
  };
}

/** The whole new list with one machine added, replaced, or (null) removed. */
export function listWith(
  now: MachineConfiguration,
  id: string,
  machine: MachineSettings | null,
  source: Source | null,
): { machines: MachineSettings[]; sources: Source[] } {
  const machines = now.machines.filter((one) => one.id !== id && one.id !== machine?.id);
  const ids = new Set(machines.map((one) => one.id));
  const before = now.sources.find((one) => targetOf(one) === id);
  const keeps = source ?? (machine && !SHOWN.has(before?.['type']) ? before : undefined);
  return {
    machines: machine ? [machine, ...machines] : machines,
    sources: [...(keeps ? [keeps] : []), ...now.sources.filter((one) => ids.has(targetOf(one)))],
  };
}

/** Where in the machine that was sent first a problem is, in the words of its settings. */
export function placeOf(problem: ProblemPart, draft: Draft): string {
  const [list, number, ...rest] = problem.path;
  if (list !== 'machines' || number !== 0) return number === 0 ? 'source' : '';
  if (rest[0] === 'points' && typeof rest[1] === 'number') {
    return [draft.points[rest[1]]?.id, ...rest.slice(2)].filter(Boolean).join(' · ');
  }
  return rest.join(' · ');
}

function targetOf(source: Source): string {
  const target = source['as_machine'] ?? source['machine'];
  return typeof target === 'string' ? target : '';
}

/** Kinds of sources that a draft shows whole: without one, the machine hears nothing more. */
const SHOWN: ReadonlySet<unknown> = new Set(['recordings', MQTT]);

interface MqttSource extends Source {
  waveforms: {
    point: string;
    topic: string;
    burst_s?: number | null;
    interval_s?: number | null;
  }[];
  tags?: Partial<DraftTag>[];
  stale_after_s?: number;
}

const isMqtt = (source: Source | undefined): source is MqttSource => source?.['type'] === MQTT;

function waveformOf(source: MqttSource, point: string): Partial<DraftPoint> {
  const waveform = source.waveforms.find((one) => one.point === point);
  if (!waveform) return {};
  const { topic, burst_s = null, interval_s = null } = waveform;
  return { channel: MQTT, topic, burst_s, interval_s };
}

function recordedOf(source: Source | undefined, point: string): Partial<DraftPoint> {
  if (source?.['type'] !== 'recordings') return {};
  const names = source['points'] as Record<string, string> | undefined;
  const channel = [source['manifest'], source['machine'], names?.[point] ?? point].join('\n');
  return { channel };
}
