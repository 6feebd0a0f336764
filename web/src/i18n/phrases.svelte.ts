import type { Contribution, ReasonPart, Said } from '../api/client';
import { featureName, figure, fullDay, percent, quantity, t } from './i18n.svelte';
import { faultName } from './names';
import type { TimeUnit } from './topics/phrases';

/** Features that a sentence names; the table beside it has more. */
const NAMED = 3;

/** What varies in a sentence, read by name; what is missing or of another kind is empty. */
class Values {
  readonly #values: NonNullable<Said['values']>;
  constructor(said: Said) {
    this.#values = said.values ?? {};
  }
  text(name: string): string {
    const value = this.#values[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }
  number(name: string): number | null {
    const value = this.#values[name];
    return typeof value === 'number' ? value : null;
  }
  list(name: string): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }
  quantity(name: string, unit: string): string {
    return quantity(this.number(name) ?? NaN, unit);
  }
}

/** A reason in the page's language: from its code and values, else as the gateway wrote it. */
export function reasonText(reason: ReasonPart | undefined): string {
  if (!reason) return '';
  return (
    (reason.said && worded(reason, new Values(reason.said))) ?? t().phrases.sentence(reason.text)
  );
}

function worded(reason: ReasonPart, values: Values): string | null {
  const words = t().phrases;
  const changes = reason.contributions.slice(0, NAMED).map(changeText).join(', ');
  const value = () => quantity(reason.value ?? NaN, reason.unit ?? '');
  const limit = () => quantity(reason.limit ?? NaN, reason.unit ?? '');
  const what = () => measured(values, reason.unit ?? '');
  const alarm = values.text('level') === 'alarm';
  const fault = faultName(reason.fault ?? '');
  switch (reason.said?.code) {
    case 'departs':
      return words.departs(changes);
    case 'departs_together':
      return words.departsTogether(reason.point ?? '', changes);
    case 'diagnosis':
      return words.likely(fault, symptoms(reason.matched), symptoms(reason.missing));
    case 'unclear':
      return words.unclear(values.list('faults').map(faultName));
    case 'no_symptom':
      return words.noSymptom;
    case 'bearing_fault':
      return words.bearingFault(
        fault,
        values.text('bearing').replace(/^the bearing$/, words.theBearing),
        values.quantity('hz', 'Hz'),
        values.quantity('order', ''),
        values.quantity('db', 'dB'),
      );
    case 'no_bearing_fault':
      return words.noBearingFault(
        values.text('line'),
        values.quantity('db', 'dB'),
        values.quantity('ahead_db', 'dB'),
      );
    case 'bearing_not_carried':
      return words.bearingNotCarried;
    case 'limit':
      return words.limit(what(), value(), values.text('direction') === 'below', alarm, limit());
    case 'forecast':
      return words.forecast(what(), alarm, limit(), whenText(values));
    case 'sensor_fault':
      return words.sensorFault(values.list('faults').map(sensorText).join(', '));
    case 'silent':
      return words.silent(values.quantity('after_s', 's'));
    case 'not_running':
      return words.notRunning;
    case 'unseen_state':
      return words.unseenState(stateText(values), stateText(values, 'nearest_'));
    case 'resembles':
      return words.resembles(
        values.text('kind') && faultName(values.text('kind')),
        values.text('actor'),
        fullDay(values.number('at_ms') ?? 0),
        percent(reason.value ?? 0),
      );
    default:
      return null;
  }
}

/** What a baseline lacks, or why ISO does not judge; else as the gateway wrote it. */
export function phrase(said: Said | null | undefined, text: string): string {
  const words = t().phrases;
  const values = said ? new Values(said) : null;
  if (!values) return words.sentence(text);
  const count = () => figure(values.number('count') ?? NaN);
  switch (said?.code) {
    case 'windows': {
      const point = values.text('point');
      return point ? words.windowsAt(count(), point) : words.windows(count());
    }
    case 'state_windows':
      return words.windowsAt(count(), stateText(values));
    case 'drift':
      return words.drift(values.quantity('sigma', ''), values.quantity('allowed_sigma', ''));
    case 'iso_support_unknown':
      return words.isoSupportUnknown;
    case 'iso_class_unknown':
      return words.isoClassUnknown;
    case 'iso_too_large':
      return words.isoTooLarge(values.quantity('power_kw', 'kW'));
    case 'iso_unit_undeclared':
      return words.isoUnitUndeclared(values.list('points').join(', '));
    default:
      return words.sentence(text);
  }
}

/** What went wrong, in the page's language where the server's words are known. */
export function problemText(error: unknown): string {
  if (error instanceof Error && 'status' in error && error.status === 0) return t().link.noAnswer;
  return phrase(null, error instanceof Error ? error.message : String(error));
}

/** A sensor's fault by its code; what is not known keeps its own name. */
export const sensorText = (fault: string): string => t().phrases.sensors[fault] ?? fault;

export const symptomText = (symptom: string): string => t().phrases.symptom(symptom);

const symptoms = (list: readonly string[]) => list.map(symptomText).join(', ');

/** What a contribution is of: its band where it has one, else its feature's name. */
export function contributionName({ feature, unit, low_hz, high_hz, order }: Contribution): string {
  if (low_hz == null || high_hz == null) return featureName(feature, unit);
  const words = t().phrases;
  const range = rangeText(low_hz, high_hz);
  if (feature.startsWith('envelope_')) {
    return words.envelopeBand(range, order == null ? '' : figure(Number(order.toPrecision(2))));
  }
  return feature.startsWith('mel_fluctuation_') ? words.fluctuation(range) : words.band(range);
}

/** How a feature moved, in dB where it is a level, else in robust standard deviations. */
export function moveText({ change_db, sigma }: Contribution): string {
  const moved = change_db ?? sigma;
  const sign = moved > 0 ? '+' : '';
  return change_db == null
    ? t().reason.sigma(sign + figure(sigma))
    : `${sign}${quantity(change_db, 'dB')}`;
}

const changeText = (moved: Contribution) => `${contributionName(moved)} ${moveText(moved)}`;

function rangeText(low: number, high: number): string {
  const [scale, unit] = high >= 1000 ? [1000, 'kHz'] : [1, 'Hz'];
  return `${figure(low / scale)}–${quantity(high / scale, unit)}`;
}

/** What a limit is on: the feature, by which standard if by one. */
function measured(values: Values, unit: string): string {
  const standard = t().phrases.standard(values.text('standard'));
  const name = featureName(values.text('feature'), unit);
  return standard ? `${name}, ${standard}` : name;
}

function stateText(values: Values, prefix = ''): string {
  const words = t().phrases;
  const load = values.number(`${prefix}load`);
  const said = [
    values.number(`${prefix}speed_rpm`) === null
      ? ''
      : values.quantity(`${prefix}speed_rpm`, 'r/min'),
    load === null ? '' : words.load(figure(load)),
    ...values.list(`${prefix}tags`).map(words.tag),
  ];
  return said.filter(Boolean).join(', ') || words.unstated;
}

const TIMES: readonly (readonly [TimeUnit, number])[] = [
  ['months', 30 * 86_400],
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
];

function whenText(values: Values): string {
  const expected = values.number('expected_s') ?? NaN;
  const [unit, length] = TIMES.find(([, seconds]) => expected >= 2 * seconds) ?? ['minutes', 60];
  const count = (s: number | null) =>
    s === null ? null : figure(Number((s / length).toPrecision(2)));
  return t().phrases.when(
    count(expected) ?? '',
    count(values.number('earliest_s')) ?? '',
    count(values.number('latest_s')),
    unit,
  );
}
