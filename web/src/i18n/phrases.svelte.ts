import type { Contribution, Point, Reason } from '../api/client';
import { ApiError } from '../api/client';
import { featureName, figure, i18n, quantity, standardName, t, word } from './i18n.svelte';
import { faultName } from './names';
import { gravest, pointName, sentence } from './reasons';
import type { Said } from './words';

/** Features that a sentence names; the table beside it has more. */
const NAMED = 3;

/** A reason in the page's language. */
export function reasonText(reason: Reason | undefined): string {
  return reason ? phrase(withOwnValues(reason)) : '';
}

/** The main reason in one line: of a diagnosis the fault and its place, not how it was found. */
export function mainReason(
  reasons: readonly Reason[],
  points: readonly Pick<Point, 'point' | 'name'>[] = [],
): string {
  const reason = gravest(reasons);
  if (!reason?.fault) return sentence(reasonText(reason));
  const { fault, point, said } = reason;
  const values = {
    fault,
    point: point && points.length ? pointName(points, point) : '',
    bearing: said.values?.bearing ?? '',
  };
  return sentence(phrase({ code: 'case_fault', values }));
}

/** The sentence of a reason may also use the reason's own fields. */
function withOwnValues(reason: Reason): Said {
  const { point, value, limit, unit, fault, matched, missing } = reason;
  const { code, values } = reason.said;
  const kind = values?.kind;
  return {
    code,
    values: {
      ...values,
      point,
      value,
      limit,
      unit: unit ?? '',
      fault,
      matched,
      missing,
      changes: reason.contributions.slice(0, NAMED).map(changeText),
      title: measured(values, unit ?? ''),
      ...(typeof kind === 'string' ? { kind: faultName(kind) } : {}),
    },
  };
}

/** A sentence in the page's language; else the text that came with it, or its code. */
export const phrase = (said: Said | null | undefined, text = said?.code ?? ''): string =>
  (said && i18n.words.sentence(said)) ?? text;

/** What went wrong, in the page's language where the server gave it a code. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  return error.status === 0 ? t().link.noAnswer : phrase(error.said, error.message);
}

/** A fault of a sensor by its code; one that is not known keeps its code. */
export const sensorText = (fault: string): string => word(fault) ?? fault;

/** How a feature moved; a contribution to a reason is one. */
export type Moved = Pick<Contribution, 'feature' | 'unit' | 'value' | 'baseline'> &
  Partial<Pick<Contribution, 'low_hz' | 'high_hz' | 'order' | 'change_db'>>;

/** What moved: its band where it has one, else its feature's name. */
export function contributionName({
  feature,
  unit,
  low_hz,
  high_hz,
  order,
}: Omit<Moved, 'value' | 'baseline'>): string {
  if (low_hz == null || high_hz == null) return featureName(feature, unit);
  const kind = feature.startsWith('envelope_')
    ? 'envelope'
    : feature.startsWith('mel_fluctuation_')
      ? 'fluctuation'
      : 'plain';
  const values = {
    range: rangeText(low_hz, high_hz),
    order: order == null ? '' : Number(order.toPrecision(2)),
  };
  return i18n.words.part(`band-${kind}`, values) ?? featureName(feature, unit);
}

/** How a feature moved: in dB where it is a level, else from what to what. */
export function moveText({ change_db, value, baseline, unit }: Moved): string {
  return change_db == null
    ? `${figure(baseline)} → ${quantity(value, unit)}`
    : `${change_db > 0 ? '+' : ''}${quantity(change_db, 'dB')}`;
}

const changeText = (moved: Contribution) => `${contributionName(moved)} ${moveText(moved)}`;

function rangeText(low: number, high: number): string {
  const [scale, unit] = high >= 1000 ? [1000, 'kHz'] : [1, 'Hz'];
  return `${figure(low / scale)}–${quantity(high / scale, unit)}`;
}

/** A series of a trend: the same words as in a reason, with a capital first. */
export function seriesName(
  { feature, unit }: { feature: string; unit: string },
  bands: Record<string, number[]> | undefined,
): string {
  const [low_hz = null, high_hz = null] = bands?.[feature] ?? [];
  const name = contributionName({ feature, unit, low_hz, high_hz, order: null });
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** What a limit is on: the feature, by which standard if by one. */
export function measured(values: Said['values'], unit: string): string | undefined {
  const { feature, standard, low_hz, high_hz } = values ?? {};
  if (typeof feature !== 'string') return undefined;
  const bands =
    typeof low_hz === 'number' && typeof high_hz === 'number'
      ? { [feature]: [low_hz, high_hz] }
      : {};
  const name = seriesName({ feature, unit }, bands);
  return typeof standard === 'string' && standard ? `${name}, ${standardName(standard)}` : name;
}
