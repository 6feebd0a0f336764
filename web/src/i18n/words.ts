import {
  FluentBundle,
  FluentNone,
  FluentNumber,
  FluentResource,
  FluentType,
  type FluentValue,
} from '@fluent/bundle';
import { count, figure, fullDay, unitName } from './format';

/** A sentence as a code, and what varies in it. */
export interface Said {
  code: string;
  values?: Values | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** The files that gateway and dashboard read, too: ours, and those of sources and outputs. */
const FILES = import.meta.glob<string>(
  ['../../../auscult/contract/words/*.ftl', '../../../gateway/{sources,outputs}/*/words/*.ftl'],
  { query: '?raw', import: 'default' },
);

/** The texts of one language's files; the build puts them into one file (`vite.config.ts`). */
export const loadTexts = (language: string): Promise<string[]> =>
  Promise.all(
    Object.entries(FILES)
      .filter(([path]) => path.endsWith(`/${language}.ftl`))
      .map(([, load]) => load()),
  );

// the same patterns as in auscult/contract/words/__init__.py
const MESSAGE = /^([A-Za-z][\w-]*) =.*(?:\n+[ \t]+\S.*)*/gm;
const VARIABLE = /\$(\w+)/g;
const OPTIONAL = /OPTIONAL\((?:"(?:\\.|[^"\\])*"|[^"()]|\([^()]*\))*\)/g;

const LENGTHS_S = { months: 30 * 86_400, days: 86_400, hours: 3600, minutes: 60 };

/** A code or value that this page does not know: a newer gateway sent it. */
class Gap extends Error {}

/** A number as the page writes it; a selector takes its plural. */
class Figure extends FluentNumber {
  constructor(
    value: number,
    private readonly locale: string,
  ) {
    super(value);
  }

  override toString(): string {
    const whole = Number.isInteger(this.value) && Math.abs(this.value) < 1e9;
    return whole ? count(this.value, this.locale) : figure(this.value, this.locale);
  }
}

/** Several values, joined by commas. */
class Listed extends FluentType<FluentValue[]> {
  toString(): string {
    return this.value.map(text).join(', ');
  }
}

/** The words of one language, by Project Fluent; auscult/contract/words/language.py is its twin. */
export class Words {
  private readonly bundle: FluentBundle;
  private readonly messages = new Map<string, string>();

  constructor(
    texts: string[],
    private readonly locale: string,
    zone: () => string | undefined = () => undefined,
  ) {
    this.bundle = new FluentBundle(locale, {
      useIsolating: false,
      functions: {
        DAY: ([at_ms]) => fullDay(number(at_ms), locale, zone()),
        OPTIONAL: (parts) => {
          const texts = parts.map(text);
          return texts.every(Boolean) ? texts.join('') : '';
        },
        PERCENT: ([share]) => this.percent(number(share)),
        QUANTITY: ([value, unit]) => this.quantity(text(value), text(unit)),
        STATE: ([speed_rpm, load, tags]) => this.state(speed_rpm, load, tags),
        WHEN: ([expected, earliest, latest]) => this.when(number(expected), earliest, latest),
        WORD: ([code], { joint }) =>
          (code instanceof Listed ? code.value : [code])
            .map((one) => this.word(text(one)) ?? text(one))
            .join(joint === undefined ? ', ' : text(joint)),
      },
    });
    for (const ftl of texts) {
      for (const [source, id = ''] of ftl.matchAll(MESSAGE)) this.messages.set(id, source);
    }
  }

  /** The sentence in words, or null where its code or one of its values is unknown here. */
  sentence(said: Said): string | null {
    try {
      return this.filled(said.code, said.values ?? {});
    } catch (error) {
      if (error instanceof Gap) return null;
      throw error;
    }
  }

  /** The words of a code, such as a fault class; undefined where it has none here. */
  word(code: string): string | undefined {
    return this.part(`word-${code.replace(/[^A-Za-z0-9_]+/g, '-')}`);
  }

  /** A message that is no sentence; undefined where it is not known here. */
  part(id: string, values: Values = {}): string | undefined {
    return this.messages.has(id) ? this.filled(id, values) : undefined;
  }

  private filled(id: string, values: Values): string {
    const source = this.messages.get(id);
    if (source === undefined) throw new Gap(id);
    if (!this.bundle.hasMessage(id)) this.bundle.addResource(new FluentResource(source));
    const pattern = this.bundle.getMessage(id)?.value;
    if (!pattern) throw new Gap(id);
    const names = (ftl: string) => [...ftl.matchAll(VARIABLE)].map(([, name = '']) => name);
    for (const name of names(source.replace(OPTIONAL, ''))) {
      if (values[name] === undefined) throw new Gap(name);
    }
    const given = Object.fromEntries(names(source).map((name) => [name, this.typed(values[name])]));
    const errors: Error[] = [];
    const words = this.bundle.formatPattern(pattern, given, errors);
    if (errors[0]) throw new Gap(errors[0].message);
    return words;
  }

  private typed(value: unknown): FluentValue {
    if (typeof value === 'number') return new Figure(value, this.locale);
    if (Array.isArray(value)) return new Listed(value.map((one) => this.typed(one)));
    if (isSaid(value)) return this.filled(value.code, value.values ?? {});
    return typeof value === 'string' ? value : '';
  }

  private percent(share: number): string {
    const shown = text(this.typed(100 * share));
    return this.locale === 'de-DE' ? `${shown}\u00a0%` : `${shown}%`;
  }

  private quantity(value: string, unit: string): string {
    const name = unitName(unit, this.locale);
    return name ? `${value}\u00a0${name}` : value;
  }

  private state(speed?: FluentValue, load?: FluentValue, tags?: FluentValue): string {
    const parts = [
      text(speed) && this.filled('state-speed', { speed_rpm: speed?.valueOf() }),
      text(load) && this.filled('state-load', { load: load?.valueOf() }),
      ...(tags instanceof Listed ? tags.value.map((tag) => this.tag(text(tag))) : []),
    ];
    return parts.filter(Boolean).join(', ') || this.filled('state-unknown', {});
  }

  /** A tag as the gateway names it: a name, which may be a word, and its value. */
  private tag(tag: string): string {
    const end = tag.lastIndexOf(' ');
    return end < 0 ? tag : (this.word(tag.slice(0, end)) ?? tag.slice(0, end)) + tag.slice(end);
  }

  private when(expected_s: number, earliest?: FluentValue, latest?: FluentValue): string {
    const [unit, length] = Object.entries(LENGTHS_S).find(([, s]) => expected_s >= 2 * s) ?? [
      'minutes',
      LENGTHS_S.minutes,
    ];
    const times = (s: number) => Number((s / length).toPrecision(2));
    const values = { unit, expected: times(expected_s), earliest: times(number(earliest)) };
    return latest === ''
      ? this.filled('when-open', values)
      : this.filled('when-until', { ...values, latest: times(number(latest)) });
  }
}

function text(value: FluentValue | undefined): string {
  return value === undefined || value instanceof FluentNone ? '' : String(value);
}

function number(value: FluentValue | undefined): number {
  if (!(value instanceof FluentNumber)) throw new Gap(text(value));
  return value.value;
}

const isSaid = (value: unknown): value is Said =>
  typeof value === 'object' && value !== null && 'code' in value;
