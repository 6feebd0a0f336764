// Writes src/api/limits.ts from openapi.json: what the API accepts in each field, as attributes of an
// <input>. So the page asks for no more and no less than the server takes.
import { readFileSync, writeFileSync } from 'node:fs';

// An exclusive bound has no attribute: the server rejects the bound itself.
const ATTRIBUTES = {
  minLength: 'minlength',
  maxLength: 'maxlength',
  minimum: 'min',
  exclusiveMinimum: 'min',
  maximum: 'max',
  exclusiveMaximum: 'max',
  pattern: 'pattern',
};

/** @param {Record<string, unknown>} schema of one field, perhaps nullable */
function attributesOf(schema) {
  const parts = [schema, ...(schema.anyOf ?? [])];
  return Object.fromEntries(
    parts.flatMap((part) =>
      Object.entries(ATTRIBUTES)
        .filter(([key]) => key in part && (key !== 'pattern' || compiles(part.pattern)))
        .map(([key, attribute]) => [attribute, part[key]]),
    ),
  );
}

/** Browsers compile `pattern` with the flag v and report one that fails as an error. */
function compiles(pattern) {
  try {
    return Boolean(new RegExp(pattern, 'v'));
  } catch {
    return false;
  }
}

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
