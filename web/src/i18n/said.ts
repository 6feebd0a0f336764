import catalogue from './codes.json';
import { count, figure, fullDay, unitName } from './format';

/** Codes of all sentences that server and gateways send; generated from their catalogue. */
export type Code = keyof typeof catalogue.phrases;
/** Words that sentences use by their code. */
export type Word = keyof typeof catalogue.words;

/** A sentence as a code, and what varies in it. */
export interface Said {
  code: string;
  values?: Readonly<Record<string, unknown>>;
}

export type TimeUnit = 'months' | 'days' | 'hours' | 'minutes';

/** The sentences of a language: templates as `auscult/auscult/contract/said.py` documents them. */
export interface Sentences {
  phrases: Record<Code, string>;
  words: Record<Word, string>;
  or: string;
  load: (load: string) => string;
  /** An operating state of which nothing is known. */
  unstated: string;
  band: (range: string) => string;
  envelopeBand: (range: string, order: string) => string;
  fluctuation: (range: string) => string;
  when: (expected: string, earliest: string, latest: string | null, unit: TimeUnit) => string;
}

/** The templates as the catalogue has them: English. */
export const ENGLISH: Pick<Sentences, 'phrases' | 'words'> = catalogue;

const FIELD = /\{((?:[^{}]|\{[^{}]*\})*)\}/g;

/** The fields of a template, each as `name:how it is written`. */
export const fieldsOf = (template: string): string[] =>
  [...template.matchAll(FIELD)].map((found) => found[1] ?? '');

/** The sentence in words, or null where its code or one of its values is unknown here. */
export function worded(said: Said, sentences: Sentences, locale: string): string | null {
  try {
    return new Filler(sentences, locale).sentence(said);
  } catch (error) {
    if (error instanceof Gap) return null;
    throw error;
  }
}

/** A code or value that this page does not know: a newer gateway sent it. */
class Gap extends Error {}

const TIMES: readonly (readonly [TimeUnit, number])[] = [
  ['months', 30 * 86_400],
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
];

class Filler {
  constructor(
    private readonly sentences: Sentences,
    private readonly locale: string,
  ) {}

  sentence({ code, values = {} }: Said): string {
    const template: string | undefined = (this.sentences.phrases as Record<string, string>)[code];
    if (template === undefined) throw new Gap(code);
    return this.filled(template, values);
  }

  private filled(template: string, values: Readonly<Record<string, unknown>>): string {
    return template.replace(FIELD, (_, field: string) => {
      const colon = field.indexOf(':');
      return colon < 0
        ? this.plain(given(values, field))
        : this.field(field.slice(0, colon), field.slice(colon + 1), values);
    });
  }

  private field(name: string, how: string, values: Readonly<Record<string, unknown>>): string {
    if (how === 'state') return this.state(name, values);
    if (how === 'when') return this.when(values);
    // an older version stored the sentence without the optional values of today
    const value = how.startsWith('?') ? (values[name] ?? null) : given(values, name);
    const isList = Array.isArray(value);
    if (how.startsWith('?')) {
      if (value === null || value === '' || (isList && !value.length)) return '';
      return this.filled(how.slice(1), values).replace('#', this.plain(value));
    }
    if (how.includes('|')) {
      const [one = '', many = ''] = how.split('|');
      return (value === 1 ? one : many).replace('#', this.plain(value));
    }
    if (how === 'word') return this.words(value, ', ');
    if (how === 'or') return this.words(value, this.sentences.or);
    if (how === ';') return this.words(value, '; ');
    if (how === 'percent') return this.quantity(100 * number(value), '%');
    if (how === 'day') return fullDay(number(value), this.locale);
    return this.quantity(
      value,
      how.startsWith('in ') ? this.plain(given(values, how.slice(3))) : how,
    );
  }

  private quantity(value: unknown, unit: string): string {
    const name = unitName(unit, this.locale);
    return name ? `${this.plain(value)}\u00a0${name}` : this.plain(value);
  }

  private plain(value: unknown): string {
    if (Array.isArray(value)) return value.map((one) => this.plain(one)).join(', ');
    if (isSaid(value)) return this.sentence(value);
    if (typeof value !== 'number') return typeof value === 'string' ? value : '';
    if (!Number.isInteger(value) || Math.abs(value) >= 1e9) return figure(value, this.locale);
    return count(value, this.locale);
  }

  private words(value: unknown, joint: string): string {
    const known = this.sentences.words as Record<string, string>;
    return (Array.isArray(value) ? value : [value])
      .map((one) => (typeof one === 'string' ? (known[one] ?? one) : this.plain(one)))
      .join(joint);
  }

  private state(prefix: string, values: Readonly<Record<string, unknown>>): string {
    const speed = given(values, `${prefix}speed_rpm`);
    const load = given(values, `${prefix}load`);
    const tags = given(values, `${prefix}tags`);
    const parts = [
      speed === null ? '' : this.quantity(speed, 'r/min'),
      load === null ? '' : this.sentences.load(this.plain(load)),
      ...(Array.isArray(tags) ? tags.map((tag) => this.tag(this.plain(tag))) : []),
    ];
    return parts.filter(Boolean).join(', ') || this.sentences.unstated;
  }

  /** A tag as the gateway names it: a name, which may be a word, and its value. */
  private tag(tag: string): string {
    const end = tag.lastIndexOf(' ');
    return end < 0 ? tag : this.words(tag.slice(0, end), '') + tag.slice(end);
  }

  private when(values: Readonly<Record<string, unknown>>): string {
    const expected = number(given(values, 'expected_s'));
    const latest = given(values, 'latest_s');
    const [unit, length] = TIMES.find(([, s]) => expected >= 2 * s) ?? ['minutes', 60];
    const times = (s: unknown) => figure(Number((number(s) / length).toPrecision(2)), this.locale);
    const earliest = times(given(values, 'earliest_s'));
    return this.sentences.when(
      times(expected),
      earliest,
      latest === null ? null : times(latest),
      unit,
    );
  }
}

function given(values: Readonly<Record<string, unknown>>, name: string): unknown {
  if (!(name in values) || values[name] === undefined) throw new Gap(name);
  return values[name];
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw new Gap(String(value));
  return value;
}

const isSaid = (value: unknown): value is Said =>
  typeof value === 'object' && value !== null && 'code' in value;
