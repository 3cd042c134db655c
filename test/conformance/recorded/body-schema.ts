/**
 * Schema of a provider's requests, derived from recordings: for each position in the JSON, the observed types, and the
 * observed words of a fixed vocabulary. Objects accept no other fields, and an object with a `type` or `role` has a
 * separate schema for each value of that field.
 */

const vocabulary = new Set(
  [
    'type',
    'role',
    'status',
    'mode',
    'detail',
    'display',
    'effort',
    'reasoning_effort',
    'reasoning_summary',
    'summary',
  ].concat(['tool_choice', 'media_type', 'mimeType', 'format', 'include[]', 'verbosity', 'service_tier', 'truncation']),
);
/** The client chooses the content of these fields, so they have no fixed schema. */
const opaque = new Set(
  ['parameters', 'parametersJsonSchema', 'input_schema', 'schema', 'responseSchema', 'responseJsonSchema'].concat([
    'input',
    'args',
    'response',
    'json',
    'additionalModelRequestFields',
  ]),
);

interface Facts {
  types: Set<string>;
  words: Set<string>;
  /** Number of objects at this position, and of objects with each field. */
  objects: number;
  fields: Map<string, number>;
}

export type BodySchema = Map<string, Facts>;

/** With fewer objects, a field is not considered required. */
const ENOUGH_OBJECTS = 5;

export function schemaOf(bodies: unknown[]): BodySchema {
  const schema: BodySchema = new Map();
  for (const body of bodies) {
    walk(body, '', ({ path, field, value }) => {
      const facts = schema.get(path) ?? { types: new Set(), words: new Set(), objects: 0, fields: new Map() };
      schema.set(path, facts);
      facts.types.add(typeOf(value));
      if (typeof value === 'string' && vocabulary.has(field)) facts.words.add(value);
      if (typeOf(value) !== 'object') return;
      facts.objects += 1;
      for (const name of Object.keys(value as object)) facts.fields.set(name, (facts.fields.get(name) ?? 0) + 1);
    });
  }
  return schema;
}

/** Returns a body's unknown parts, types or words, and missing fields. */
export function complaintsAbout(body: unknown, schema: BodySchema): string[] {
  const complaints = new Set<string>();
  walk(body, '', ({ path, field, value }) => {
    const facts = schema.get(path);
    if (!facts) {
      complaints.add(`${path} is new`);
      return false;
    }
    if (!facts.types.has(typeOf(value))) complaints.add(`${path} is ${typeOf(value)}`);
    if (typeof value === 'string' && vocabulary.has(field) && !facts.words.has(value)) {
      complaints.add(`${path} is "${value}"`);
    }
    if (typeOf(value) !== 'object' || path === '' || opaque.has(field)) return true;
    for (const [name, count] of facts.fields) {
      const isNeeded = facts.objects >= ENOUGH_OBJECTS && count === facts.objects;
      if (isNeeded && !Object.hasOwn(value as object, name)) complaints.add(`${path} has no ${name}`);
    }
    return true;
  });
  return [...complaints];
}

interface Place {
  path: string;
  field: string;
  value: unknown;
}

/**
 * Visits the values of a body.
 * @param visit returns false for a value whose content must not be visited
 */
function walk(value: unknown, path: string, visit: (place: Place) => boolean | void, field = ''): void {
  const isOpaque = opaque.has(field) && typeOf(value) === 'object';
  const here = typeOf(value) === 'object' && !isOpaque ? `${path}${variantOf(value as object)}` : path;
  if (visit({ path: here, field, value }) === false || isOpaque) return;
  if (Array.isArray(value)) for (const item of value) walk(item, `${here}[]`, visit, `${field}[]`);
  else if (typeOf(value) === 'object') {
    for (const [name, inner] of Object.entries(value as object)) {
      if (inner !== undefined) walk(inner, here === '' ? name : `${here}.${name}`, visit, name);
    }
  }
}

function variantOf(object: { type?: unknown; role?: unknown }): string {
  const variant = object.role ?? object.type;
  return typeof variant === 'string' ? `(${variant})` : '';
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
