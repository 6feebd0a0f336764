/** The JSON Schema of one setting, with the marks that a form reads. */
export interface FieldSchema {
  type?: string;
  enum?: readonly (string | number)[];
  const?: unknown;
  anyOf?: readonly FieldSchema[];
  default?: unknown;
  minLength?: number;
  minimum?: number;
  'x-group'?: string;
  'x-unit'?: string;
  'x-widget'?: string;
  'x-kind'?: string;
  'x-variant'?: string;
  'x-initial'?: string;
  'x-required'?: boolean;
  [key: string]: unknown;
}

/** The JSON Schema of a table of settings. */
export interface SettingsSchema {
  properties: Readonly<Record<string, FieldSchema>>;
  required?: readonly string[];
}

export type Values = Record<string, unknown>;

/**
 * The words of a form: the name of a setting, with `key.help` its explanation, with `key.choice` the
 * name of one of its choices, with `group.name` that of a group; `variant` asks for one of the
 * variants, `variant.name` is its name. Empty where there is none.
 */
export type Words = (key: string) => string;

/** A setting as a form shows it. */
export interface Field {
  name: string;
  schema: FieldSchema;
  control: 'choice' | 'tick' | 'integer' | 'number' | 'text' | null;
  choices: readonly (string | number)[];
  /** Whether null stands for nothing given. */
  nullable: boolean;
  required: boolean;
  group: string;
  unit: string;
  widget: string;
  /** Fields of one variant only are given, with those of none. */
  variant: string;
}

const CONTROLS = {
  boolean: 'tick',
  integer: 'integer',
  number: 'number',
  string: 'text',
} as const;

export function fieldOf(schema: SettingsSchema, name: string): Field {
  const own = schema.properties[name] ?? {};
  const parts = own.anyOf ?? [own];
  const nullable = parts.some(({ type }) => type === 'null');
  const part = parts.find(({ type }) => type !== 'null') ?? own;
  const type = part.type as keyof typeof CONTROLS | undefined;
  const control = part.enum ? 'choice' : type && (CONTROLS[type] as Field['control'] | undefined);
  return {
    name,
    schema: own,
    control: control ?? null,
    choices: part.enum ?? [],
    nullable,
    required:
      own['x-required'] === true ||
      (!nullable && (control !== 'text' || !!part.minLength || !!schema.required?.includes(name))),
    group: own['x-group'] ?? '',
    unit: own['x-unit'] ?? '',
    widget: own['x-widget'] ?? '',
    variant: own['x-variant'] ?? '',
  };
}

export const fieldsOf = (schema: SettingsSchema): Field[] =>
  Object.keys(schema.properties).map((name) => fieldOf(schema, name));

/** The default of each setting that has one; null for those that may be left out. */
export function defaultsOf(schema: SettingsSchema): Values {
  const all = fieldsOf(schema).map(({ name, schema: own, nullable }) => {
    const value = own.default ?? (nullable ? null : undefined);
    return [name, structuredClone(value)] as const;
  });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** The settings among other values. */
export const settingsIn = (schema: SettingsSchema, values: object): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in schema.properties));

export const variantsOf = (schema: SettingsSchema): string[] => [
  ...new Set(fieldsOf(schema).flatMap(({ variant }) => variant || [])),
];

/** The variant that values are of; empty if of none. */
export function variantOf(schema: SettingsSchema, values: Values): string {
  const present = fieldsOf(schema).filter(({ variant, name }) => variant && name in values);
  const given = ({ name }: Field) => values[name] !== '' && values[name] !== null;
  const found = present.find((one) => one.required && given(one)) ?? present[0];
  return found?.variant ?? '';
}

/** Gives values the fields of a variant, and takes those of the others away. */
export function chooseVariant(schema: SettingsSchema, values: Values, variant: string) {
  for (const one of fieldsOf(schema)) {
    if (!one.variant) continue;
    if (one.variant !== variant) Reflect.deleteProperty(values, one.name);
    else values[one.name] ??= proposed(one);
  }
}

/** What a form begins with: of several variants the first; a single one is left to a control. */
export function newValues(schema: SettingsSchema): Values {
  const fields = fieldsOf(schema).filter(({ variant }) => !variant);
  const values = Object.fromEntries(fields.map((one) => [one.name, proposed(one)]));
  const [first, second] = variantsOf(schema);
  if (first && second) chooseVariant(schema, values, first);
  return values;
}

const proposed = ({ schema, control }: Field): unknown =>
  schema['x-initial'] ?? schema.default ?? empty(control);

/** Stored values with the defaults of the fields that they leave out. */
export function withDefaults(schema: SettingsSchema, values: Values): Values {
  const variant = variantOf(schema, values);
  const own = fieldsOf(schema).filter((one) => !one.variant || one.variant === variant);
  const defaults = own.map(({ name, schema, control }) => [name, schema.default ?? empty(control)]);
  return { ...(Object.fromEntries(defaults) as Values), ...values };
}

const empty = (control: Field['control']) => (control === 'text' ? '' : null);
