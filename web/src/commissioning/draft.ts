import type {
  Bearing,
  LimitSettings,
  MachineConfiguration,
  MachineSettings,
  PointSettings,
  ProblemPart,
} from '../api/client';
import {
  pointSourceOf,
  newPointSource,
  SHOWN,
  staleOf,
  tagsOf,
  targetOf,
  type DraftTag,
  type PointSource,
  type Source,
} from './sources';

/** Ids of machines and points: each is a level of an MQTT topic. */
export const ID_PATTERN = '[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}';

/** A point while it is being set up. */
export type DraftPoint = PointSettings & PointSource;

/** A machine while it is being set up: numbers may be missing, bearings are named. */
export interface Draft extends Omit<MachineSettings, 'points' | 'bearings' | 'gear_teeth'> {
  points: DraftPoint[];
  bearings: string[];
  gear_teeth: string;
  tags: DraftTag[];
  /** A process value older than this is unknown, s. */
  stale_after_s: number;
}

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
  baseline_windows: null,
  approve_baseline: true,
  points: [newPoint('DE-H')],
  tags: [],
  stale_after_s: staleOf(undefined),
});

/** The draft of a change to a commissioned machine. */
export function draftOf(machine: MachineSettings, sources: readonly Source[]): Draft {
  const source = sources.find((one) => targetOf(one) === machine.id);
  return {
    ...machine,
    bearings: machine.bearings.map((bearing) => bearing.name),
    gear_teeth: machine.gear_teeth.join(' '),
    points: machine.points.map((point) => ({ ...point, ...pointSourceOf(source, point.id) })),
    tags: tagsOf(source),
    stale_after_s: staleOf(source),
  };
}

/** The settings to send; bearings that are not in the catalogue stay unchanged. */
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

/** The field of the draft that a problem is about, by the names of the settings. */
export function placeOf(problem: ProblemPart, draft: Draft): string {
  const [list, number, ...rest] = problem.path;
  if (list !== 'machines' || number !== 0) return number === 0 ? 'source' : '';
  if (rest[0] === 'points' && typeof rest[1] === 'number') {
    return [draft.points[rest[1]]?.id, ...rest.slice(2)].filter(Boolean).join(' · ');
  }
  return rest.join(' · ');
}
