import { de } from './de';
import { en, type Messages } from './en';
import * as features from './features';
import * as format from './format';
import { loadTexts, Words } from './words';
import * as zones from './zone';

/** The languages of the page; another is one more file like `en.ts` and one more line here. */
export const LANGUAGES = { en, de } satisfies Record<string, Messages>;
export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_CODES = Object.keys(LANGUAGES) as Language[];

const STORED = 'auscult.language';

class I18n {
  language = $state<Language>(initialLanguage());
  /** The plant's zone, once the session names it; until then this computer's. */
  zone = $state<string>();
  readonly text: Messages = $derived(LANGUAGES[this.language]);
  readonly locale: string = $derived(this.text.language.locale);

  /** Sentences and words that gateways and server send by code. */
  words = $state.raw(new Words([], ''));

  /** Loads a language's words, then shows the page in it. */
  async show(language = this.language): Promise<void> {
    const texts = await loadTexts(language);
    this.words = new Words(texts, LANGUAGES[language].language.locale, () => this.zone);
    this.language = language;
    document.documentElement.lang = language;
  }

  async choose(language: Language): Promise<void> {
    localStorage.setItem(STORED, language);
    await this.show(language);
  }
}

function initialLanguage(): Language {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages];
  for (const tag of wanted) {
    const language = tag?.slice(0, 2).toLowerCase();
    if (language && language in LANGUAGES) return language as Language;
  }
  return 'en';
}

export const i18n = new I18n();

/** What the page says, in the chosen language: `t().machine.points`. */
export const t = (): Messages => i18n.text;
/** The same for a topic that is loaded with its pages. */
export const ofLanguage =
  <Texts>(texts: Record<Language, Texts>) =>
  (): Texts =>
    texts[i18n.language];

export const featureName = (feature: string, unit = '') =>
  features.featureName(feature, unit, i18n.words);
export const figure = (value: number) => format.figure(value, i18n.locale);
export const count = (n: number) => format.count(n, i18n.locale);
export const quantity = (value: number, unit: string) => format.quantity(value, unit, i18n.locale);
export const percent = (share: number, digits = 0) => format.percent(share, i18n.locale, digits);
export const megabytes = (mb: number) => format.megabytes(mb, i18n.locale);
export const moment = (ms: number, now: number, fine = true) =>
  format.moment(ms, i18n.locale, now, fine, i18n.zone);
export const fullMoment = (ms: number) => format.fullMoment(ms, i18n.locale, i18n.zone);
export const zoneName = (now: number) => format.zoneName(i18n.locale, now, i18n.zone);
export const fullDay = (ms: number) => format.fullDay(ms, i18n.locale, i18n.zone);
/** A part of a date, such as the time alone, in the plant's zone. */
export const dated = (ms: number, options: Intl.DateTimeFormatOptions) =>
  new Date(ms).toLocaleString(i18n.locale, { ...options, timeZone: i18n.zone });
export const wallTime = (ms: number) => zones.wallTime(ms, i18n.zone);
export const instantOf = (wall: string) => zones.instantOf(wall, i18n.zone);
export const unitName = (unit: string) => format.unitName(unit, i18n.locale);
/** A unit that needs words, such as the share of full scale, in words. */
export const unitWords = (unit: string): string =>
  (t().units as Record<string, string>)[unit] ?? unitName(unit);
/** A word that gateway or server send by its code; undefined where it is not known here. */
export const word = (code: string): string | undefined => i18n.words.word(code);
/** A standard and its group as the page's language names them. */
export const standardName = (title: string) => word(title) ?? title;
export const { duration } = format;
