import type {
  CatalogueBearing,
  BearingSettings,
  LimitSettings,
  MachineConfiguration,
  MachineSettings,
  PointSettings,
  ProblemPart,
  SourceForm,
} from '../api/client';
import {
  MachineSettings as MACHINE,
  PointSettings as POINT,
  TachoSettings as TACHO,
} from '../api/settings';
import {
  defaultsOf,
  fieldOf,
  settingsIn,
  withDefaults,
  type SettingsSchema,
} from '../forms/schema';
import {
  connectionOf,
  connectionsOf,
  hasValues,
  hiddenOf,
  newPointSource,
  newSimulation,
  pointSourceOf,
  rowOf,
  SIMULATOR,
  simulationOf,
  sourcesOf,
  staleOf,
  tagsOf,
  targetOf,
  type Connections,
  type DraftTag,
  type PointSource,
  type Simulation,
  type Source,
} from './sources';

type QuantityName = NonNullable<PointSettings['quantity']>;

/** What an overall value can be. */
export const QUANTITIES = fieldOf(POINT, 'quantity').choices as readonly QuantityName[];

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
export function bearingOf(entry: CatalogueBearing): BearingSettings {
  const { name, balls, ball_diameter_mm, pitch_diameter_mm, contact_angle_deg, approximate } =
    entry;
  const base = { name, shaft: MEASURED_SHAFT, contact_angle_deg, approximate };
  if (balls !== null) return { ...base, balls, ball_diameter_mm, pitch_diameter_mm };
  return { ...base, ...entry.orders };
}

/** Settings by their schema, which is that of the type. */
const usual = <T>(schema: SettingsSchema) => defaultsOf(schema) as unknown as T;
const chosen = <T>(schema: SettingsSchema, values: T) =>
  settingsIn(schema, values as object) as unknown as T;

export const newPoint = (id = ''): DraftPoint => ({
  ...usual<PointSettings>(POINT),
  id,
  kind: 'vibration',
  unit: 'g',
  fs_hz: 25_600,
  ...newPointSource(),
});

export const newTacho = (): DraftTacho => ({
  ...usual<NonNullable<MachineSettings['tacho']>>(TACHO),
  id: 'T',
  fs_hz: 25_600,
  ...newPointSource(),
});

/** What a new point is called until a person or its quantity names it: a place. */
const PLACE = 'DE-H';
/** Quantities of vibration, whose points are named by their place. */
const OF_VIBRATION = /^(velocity|acceleration|displacement|crest|kurtosis)/;

/** Names a point after its quantity, unless a person has named it. */
export function nameByQuantity(draft: Draft, point: DraftPoint, before: string | null | undefined) {
  const proposed = (id: string, of: string | null | undefined) =>
    of != null && id.replace(/-\d+$/, '') === of;
  const { quantity } = point;
  const own = !['', PLACE].includes(point.id) && !proposed(point.id, before);
  if (own || !quantity || OF_VIBRATION.test(quantity)) return;
  const others = draft.points.filter((one) => one !== point).map(({ id }) => id.toLowerCase());
  const free = (id: string) => !others.includes(id);
  const numbered = [quantity, ...others.map((_, i) => `${quantity}-${String(i + 2)}`)];
  point.id = numbered.find(free) ?? point.id;
}

export const newLimit = (): LimitSettings => ({
  feature: 'velocity_rms_mm_s',
  warning: null,
  alarm: null,
  direction: 'above',
});

export const newDraft = (): Draft => ({
  ...usual<MachineSettings>(MACHINE),
  id: '',
  gear_teeth: '',
  // Whoever sets a machine up on the page looks at its baseline there.
  approve_baseline: true,
  points: [newPoint(PLACE)],
  tacho: null,
  connections: {},
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
export function draftOf(
  machine: MachineSettings,
  sources: readonly Source[],
  forms: readonly SourceForm[] = [],
): Draft {
  const all = sources.filter((one) => targetOf(one) === machine.id);
  const hidden = hiddenOf(all);
  const own = all.filter((one) => !hidden.includes(one));
  const source = own.find((one) => !hasValues(one));
  const { tacho } = machine;
  const connections = connectionsOf(own);
  for (const form of forms) {
    const connection = connections[form.kind];
    if (connection) connections[form.kind] = withDefaults(connectionOf(form), connection);
  }
  return {
    ...machine,
    gear_teeth: machine.gear_teeth.join(' '),
    points: machine.points.map((point) => {
      const sent = own
        .filter((one) => hasValues(one) === (point.kind === 'value'))
        .map((one) => pointSourceOf(one, point.id));
      const from = sent.find(({ channel }) => channel) ?? newPointSource();
      const form = forms.find(({ kind }) => kind === from.channel);
      const more = form ? withDefaults(rowOf(form), from.more) : from.more;
      const interval_s = point.kind === 'value' ? point.interval_s : from.interval_s;
      return { ...point, ...from, more, interval_s };
    }),
    tacho: tacho ? { ...newTacho(), ...tacho, ...pointSourceOf(source, tacho.id) } : null,
    connections,
    tags: tagsOf(source),
    own: newOwn(),
    simulation: simulationOf(source),
    stale_after_s: staleOf(source),
  };
}

/** The settings to send. */
export function settingsOf(draft: Draft): MachineSettings {
  const { tacho, points, gear_teeth, ...others } = draft;
  return chosen<MachineSettings>(MACHINE, {
    ...others,
    id: draft.id.trim(),
    tacho: tacho && { ...chosen(TACHO, tacho), id: tacho.id.trim() },
    gear_teeth: gear_teeth
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map(Number),
    points: points.map((point) => pointOf(point, draft.bearings)),
  });
}

/** A point without the settings of other kinds of points. */
function pointOf(point: DraftPoint, bearings: readonly BearingSettings[]): PointSettings {
  const kind = point.kind === 'value' ? 'value' : 'samples';
  const others = Object.entries(POINT.properties).filter(([, one]) => {
    return one['x-kind'] !== undefined && one['x-kind'] !== kind;
  });
  const left = new Set(others.map(([name]) => name));
  if (point.unit !== 'V') left.add('sensitivity_mv').add('sensitivity_unit');
  const unset = Object.entries(defaultsOf(POINT)).filter(([name]) => left.has(name));
  return {
    ...chosen<PointSettings>(POINT, point),
    ...Object.fromEntries(unset),
    id: point.id.trim(),
    ...(kind === 'value' ? { quantity: point.quantity ?? 'other' } : {}),
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
  const sampled = sources.some((one) => !hasValues(one));
  const hidden = hiddenOf(own).filter((one) => !sampled || hasValues(one));
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
  const train = MACHINE.properties[String(rest[0])]?.['x-group'] === 'train';
  const step = train ? 'bearings' : 'machine';
  return { step, row: null, source: null, key };
}
