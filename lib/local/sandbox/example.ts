/** Values that fit a JSON schema, as far as the sandbox needs it: for arguments of calls, and for structured answers. */

export interface JsonSchema {
  type?: unknown;
  properties?: Record<string, JsonSchema | null> | undefined;
  items?: JsonSchema | undefined;
  minItems?: number | undefined;
  enum?: unknown;
  const?: unknown;
  anyOf?: JsonSchema[] | undefined;
  [keyword: string]: unknown;
}

/** Schemas may refer to themselves. */
const MAX_DEPTH = 8;
const CITIES = ['Москва', 'Санкт-Петербург', 'Казань'];

/** A value for each property. */
export function exampleObject({ properties }: JsonSchema, seed: number, depth = 0): Record<string, unknown> {
  const entries = Object.entries(properties ?? {});
  return Object.fromEntries(entries.map(([name, property]) => [name, exampleValue(property ?? {}, seed, depth + 1)]));
}

function exampleValue(schema: JsonSchema, seed: number, depth: number): unknown {
  const { enum: allowed, const: only, anyOf: choices, items, minItems = 0 } = schema;
  if (Array.isArray(allowed) && allowed.length > 0) return allowed[seed % allowed.length];
  if (only !== undefined) return only;
  if (depth > MAX_DEPTH) return null;
  if (choices?.length) return exampleValue(choices[0]!, seed, depth + 1);
  const [type] = [schema.type].flat();
  switch (type) {
    case 'number':
    case 'integer':
      return 42 + seed;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: Math.min(minItems, MAX_DEPTH) }, () => exampleValue(items ?? {}, seed, depth + 1));
    case 'object':
      return exampleObject(schema, seed, depth);
    default:
      return CITIES[seed % CITIES.length];
  }
}
