// Writes from openapi.json what the page needs of it beside the types. src/api/limits.ts: what the API
// accepts in each field, as attributes of an <input>. src/api/settings.ts: the JSON Schemas from which
// the forms of a machine are made.
import { readFileSync, writeFileSync } from 'node:fs';
import { attributesOf } from './src/forms/attributes.js';

function limitsOf(fields) {
  const all = fields.map(([name, schema]) => [name, attributesOf(schema)]);
  return Object.fromEntries(all.filter(([, found]) => Object.keys(found).length > 0));
}

const { components, paths } = JSON.parse(readFileSync('openapi.json', 'utf8'));
const named = [
  ...Object.entries(components.schemas).map(([name, schema]) => [
    name,
    Object.entries(schema.properties ?? {}),
  ]),
  ['AuditQuery', paths['/api/v1/audit'].get.parameters.map((one) => [one.name, one.schema])],
];
const lines = named
  .map(([name, fields]) => [name, limitsOf(fields)])
  .filter(([, limits]) => Object.keys(limits).length > 0)
  .map(([name, limits]) => `export const ${name} = ${JSON.stringify(limits)} as const;\n`);
writeFileSync(
  'src/api/limits.ts',
  `// Generated from openapi.json by field-limits.js: do not edit.\n${lines.join('')}`,
);

/** JSON Schemas of settings that have a form, without prose. */
const FORMS = ['MachineSettings', 'PointSettings', 'TachoSettings'];
const PROSE = ['title', 'description'];
const schemas = FORMS.map((name) => {
  const { properties, required = [] } = components.schemas[name];
  const json = JSON.stringify({ properties, required }, (key, value) =>
    PROSE.includes(key) && typeof value === 'string' ? undefined : value,
  );
  return `export const ${name}: SettingsSchema = ${json};\n`;
});
writeFileSync(
  'src/api/settings.ts',
  `// Generated from openapi.json by field-limits.js: do not edit.
import type { SettingsSchema } from '../forms/schema';
${schemas.join('')}`,
);
