import type {
  Bearing,
  BearingSettings,
  LimitSettings,
  MachineConfiguration,
  MachineSettings,
  PointSettings,
  ProblemPart,
} from '../api/client';
import {
  hiddenOf,
  newPointSource,
  newSimulation,
  ofValues,
  pointSourceOf,
  SIMULATOR,
  simulationOf,
  sourcesOf,
  staleOf,
  tagsOf,
  targetOf,
  type DraftTag,
  type PointSource,
  type Simulation,
  type Source,
} from './sources';
import { connectionsOf, newConnections, type Connections } from './values';

/** Ids of machines and points: each is a level of an MQTT topic. */
export const ID_PATTERN = '[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}';

/** A point while it is being set up. */
export type DraftPoint = PointSettings & PointSource;

/** A tachometer while it is being set up. */
export type DraftTacho = NonNullable<MachineSettings['tacho']> & PointSource;

/** A machine while it is being set up: numbers may be missing. */
export interface Draft extends Omit<MachineSettings, 'points' | 'gear_teeth' | 'tacho'> {
  points: DraftPoint[];
  tacho: DraftTacho | null;
  /** How its sources of values are reached. */
  connections: Connections;
  gear_teeth: string;
  tags: DraftTag[];
  /** A bearing that is being entered by the maker's data. */
  own: OwnBearing;
  /** Of a simulated machine. */
  simulation: Simulation;
  /** A process value older than this is unknown, s. */
  stale_after_s: number;
}

/** A bearing by its balls and diameters, or by its factors. */
export type OwnBearing = {
  name: string;
  contact_angle_deg: number;
} & Record<
  'balls' | 'ball_diameter_mm' | 'pitch_diameter_mm' | 'bpfo' | 'bpfi' | 'bsf' | 'ftf',
  number | null
>;

export const newOwn = (): OwnBearing => ({
  name: '',
  balls: null,
  ball_diameter_mm: null,
  pitch_diameter_mm: null,
  contact_angle_deg: 0,
  bpfo: null,
  bpfi: null,
  bsf: null,
  ftf: null,
});

/** The shaft whose speed is known. */
export const MEASURED_SHAFT = '1';

/** The shafts of a machine, the measured one first. */
export const shaftsOf = (draft: Draft): string[] => [
  MEASURED_SHAFT,
  ...draft.shafts.map((shaft) => shaft.id),
];

/** A bearing of the catalogue as the gateway needs it. */
export function bearingOf(entry: Bearing): BearingSettings {
  const { name, balls, ball_diameter_mm, pitch_diameter_mm, contact_angle_deg, approximate } =
    entry;
  const base = { name, shaft: MEASURED_SHAFT, contact_angle_deg, approximate };
  if (balls !== null) return { ...base, balls, ball_diameter_mm, pitch_diameter_mm };
  return { ...base, ...entry.orders };
}

export const newPoint = (id = ''): DraftPoint => ({
  id,
  name: '',
  kind: 'vibration',
  unit: 'g',
  sensitivity_mv: null,
  sensitivity_unit: null,
  fs_hz: 25_600,
  quantity: null,
  resolution: 0,
  counter: '',
  state: '',
  running_above: 0,
  envelope_low_hz: null,
  envelope_high_hz: null,
  limits: [],
  direction: null,
  shaft: MEASURED_SHAFT,
  bearings: [],
  ...newPointSource(),
});

export const newTacho = (): DraftTacho => ({
  id: 'T',
  fs_hz: 25_600,
  unit: 'V',
  pulses_per_rev: 1,
  level: null,
  falling: false,
  shaft: MEASURED_SHAFT,
  ...newPointSource(),
});

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
  shafts: [],
  gears: [],
  belts: [],
  blades: [],
  line_hz: null,
  pole_pairs: null,
  baseline_windows: null,
  baseline_days: 0,
  baseline_starts: 0,
  running_from_signal: true,
  start_s: 0,
  approve_baseline: true,
  points: [newPoint('DE-H')],
  tacho: null,
  connections: newConnections(),
  tags: [],
  own: newOwn(),
  simulation: newSimulation(),
  stale_after_s: staleOf(undefined),
});

/** The bearing of the simulated machine; makers' 6205 differ from it. */
const SIMULATED_BEARING: BearingSettings = {
  name: '6205 (simulated)',
  shaft: MEASURED_SHAFT,
  balls: 9,
  ball_diameter_mm: 7.94,
  pitch_diameter_mm: 38.5,
  contact_angle_deg: 0,
  approximate: false,
};

/** Fills a draft with a simulated motor and pump, for a first machine without a sensor. */
export function simulate(draft: Draft, fault: Simulation['fault']) {
  Object.assign(draft, {
    id: draft.id || 'pump',
    name: draft.name || 'Simulated pump',
    speed_rpm: 1480,
    approve_baseline: false,
    bearings: [SIMULATED_BEARING],
    simulation: { ...newSimulation(), fault },
    points: (['horizontal', 'vertical', 'axial'] as const).map((direction) => ({
      ...newPoint(`DE-${direction.charAt(0).toUpperCase()}`),
      fs_hz: 8000,
      direction,
      channel: SIMULATOR,
    })),
  });
}

/** The draft of a change to a commissioned machine. */
export function draftOf(machine: MachineSettings, sources: readonly Source[]): Draft {
  const all = sources.filter((one) => targetOf(one) === machine.id);
  const hidden = hiddenOf(all);
  const own = all.filter((one) => !hidden.includes(one));
  const source = own.find((one) => !ofValues(one['type']));
  const { tacho } = machine;
  return {
    ...machine,
    gear_teeth: machine.gear_teeth.join(' '),
    points: machine.points.map((point) => {
      const sent = own
        .filter((one) => ofValues(one['type']) === (point.kind === 'value'))
        .map((one) => pointSourceOf(one, point.id));
      const from = sent.find(({ channel }) => channel) ?? newPointSource();
      const interval_s = point.kind === 'value' ? point.interval_s : from.interval_s;
      return { ...point, ...from, interval_s };
    }),
    tacho: tacho ? { ...newTacho(), ...tacho, ...pointSourceOf(source, tacho.id) } : null,
    connections: connectionsOf(own),
    tags: tagsOf(source),
    own: newOwn(),
    simulation: simulationOf(source),
    stale_after_s: staleOf(source),
  };
}

/** The settings to send. */
export function settingsOf(draft: Draft): MachineSettings {
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
    baseline_days: draft.baseline_days,
    baseline_starts: draft.baseline_starts,
    running_from_signal: draft.running_from_signal,
    start_s: draft.start_s,
    approve_baseline: draft.approve_baseline,
    bearings: draft.bearings,
    shafts: draft.shafts,
    gears: draft.gears,
    belts: draft.belts,
    blades: draft.blades,
    line_hz: draft.line_hz ?? null,
    pole_pairs: draft.pole_pairs ?? null,
    tacho: draft.tacho && tachoOf(draft.tacho),
    gear_teeth: draft.gear_teeth
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map(Number),
    points: draft.points.map((point) => pointOf(point, draft.bearings)),
  };
}

const tachoOf = (tacho: DraftTacho): MachineSettings['tacho'] => ({
  id: tacho.id.trim(),
  fs_hz: tacho.fs_hz,
  unit: tacho.unit,
  pulses_per_rev: tacho.pulses_per_rev,
  level: tacho.level,
  falling: tacho.falling,
  shaft: tacho.shaft,
});

function pointOf(point: DraftPoint, bearings: readonly BearingSettings[]): PointSettings {
  const value = point.kind === 'value';
  const volts = !value && point.unit === 'V';
  return {
    id: point.id.trim(),
    name: point.name,
    kind: point.kind,
    unit: point.unit,
    sensitivity_mv: volts ? point.sensitivity_mv : null,
    sensitivity_unit: volts ? point.sensitivity_unit : null,
    fs_hz: value ? 0 : point.fs_hz,
    quantity: value ? (point.quantity ?? 'other') : null,
    interval_s: value ? point.interval_s : null,
    resolution: value ? point.resolution : 0,
    counter: value ? point.counter : '',
    state: value ? point.state : '',
    running_above: value ? point.running_above : 0,
    envelope_low_hz: value ? null : (point.envelope_low_hz ?? null),
    envelope_high_hz: value ? null : (point.envelope_high_hz ?? null),
    limits: point.limits,
    direction: point.direction ?? null,
    shaft: point.shaft,
    bearings: point.bearings.filter((name) => bearings.some((one) => one.name === name)),
  };
}

/** The whole new list with one machine added, replaced, or (null) removed. */
export function listWith(
  now: MachineConfiguration,
  id: string,
  machine: MachineSettings | null,
  sources: readonly Source[],
): { machines: MachineSettings[]; sources: Source[] } {
  const machines = now.machines.filter((one) => one.id !== id && one.id !== machine?.id);
  const ids = new Set(machines.map((one) => one.id));
  const own = now.sources.filter((one) => targetOf(one) === id);
  // A chosen source of samples replaces one that the page does not show.
  const sampled = sources.some((one) => !ofValues(one['type']));
  const hidden = hiddenOf(own).filter((one) => !sampled || ofValues(one['type']));
  const keeps = machine ? [...sources, ...hidden] : [];
  return {
    machines: machine ? [machine, ...machines] : machines,
    sources: [...keeps, ...now.sources.filter((one) => ids.has(targetOf(one)))],
  };
}

/** A step of the wizard with fields. */
export type FieldStep = 'machine' | 'points' | 'bearings' | 'limits';

/** The field that a problem is about; `row` and `key` are of the settings. */
export interface Place {
  step: FieldStep;
  /** The point, where it is about one. */
  row: number | null;
  /** The kind of source, where it is about how that is reached. */
  source: string | null;
  /** The innermost key of the settings; empty where the problem is about the whole. */
  key: string;
}

const TRAIN = ['bearings', 'shafts', 'gears', 'gear_teeth', 'belts', 'blades'];

/** Where a problem is, by the names of the settings; null for what the wizard does not show. */
export function placeOf(problem: ProblemPart, draft: Draft): Place | null {
  const [list, number, ...rest] = problem.path;
  const last = rest.at(-1);
  const key = typeof last === 'string' ? last : '';
  if (list === 'sources' && typeof number === 'number') {
    const source = sourcesOf(draft)[number];
    if (!source) return null;
    // A value of the source names its point; what is beside the values is of the whole source.
    const value = (source[String(rest[0])] as Record<string, unknown>[] | undefined)?.[
      Number(rest[1])
    ];
    const row = draft.points.findIndex((point) => point.id.trim() === value?.['point']);
    if (row >= 0) return { step: 'points', row, source: null, key };
    return { step: 'points', row: null, source: String(source['type']), key };
  }
  if (list !== 'machines' || number !== 0) return null;
  if (rest[0] === 'points' && typeof rest[1] === 'number') {
    const step = rest.includes('limits') ? 'limits' : 'points';
    return { step, row: rest[1], source: null, key: rest.length > 2 ? key : '' };
  }
  if (rest[0] === 'points' || rest[0] === 'tacho') {
    return { step: 'points', row: null, source: null, key };
  }
  const step = TRAIN.includes(String(rest[0])) ? 'bearings' : 'machine';
  return { step, row: null, source: null, key };
}
