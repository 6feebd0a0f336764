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
 * name of one of its choices, with `group.name` that of a group; empty where there is none.
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
      !nullable && (control !== 'text' || !!part.minLength || !!schema.required?.includes(name)),
    group: own['x-group'] ?? '',
    unit: own['x-unit'] ?? '',
    widget: own['x-widget'] ?? '',
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
