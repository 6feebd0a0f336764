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

/**
 * What a field's JSON Schema accepts, as attributes of an <input>.
 *
 * @param {Record<string, any>} schema perhaps nullable
 * @returns {Record<string, string | number>}
 */
export function attributesOf(schema) {
  const parts = [schema, ...(schema.anyOf ?? [])];
  return Object.fromEntries(
    parts.flatMap((part) =>
      Object.entries(ATTRIBUTES)
        .filter(([key]) => key in part && (key !== 'pattern' || compiles(part.pattern)))
        .map(([key, attribute]) => [attribute, part[key]]),
    ),
  );
}

/**
 * Browsers compile `pattern` with the flag v and report one that fails as an error.
 *
 * @param {string} pattern
 */
function compiles(pattern) {
  try {
    return Boolean(new RegExp(pattern, 'v'));
  } catch {
    return false;
  }
}
