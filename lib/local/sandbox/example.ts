/**
 * Example values for a JSON schema, for arguments of tool calls and for structured answers. Keywords that `JsonSchema`
 * does not name, such as `pattern`, are ignored.
 */

export interface JsonSchema {
  type?: unknown;
  properties?: Record<string, JsonSchema | null> | undefined;
  items?: JsonSchema | undefined;
  minItems?: number | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  enum?: unknown;
  const?: unknown;
  anyOf?: JsonSchema[] | undefined;
  $ref?: unknown;
  [keyword: string]: unknown;
}

/** Limits for schemas that refer to themselves. */
const MAX_DEPTH = 8;
const MAX_VALUES = 1_000;
const CITIES = ['Москва', 'Санкт-Петербург', 'Казань'];

/** Returns an object with example values for the properties of the schema. */
export function exampleObject(schema: JsonSchema, seed: number): Record<string, unknown> {
  return new Example(schema, seed).objectOf(schema, 0);
}

class Example {
  /** Schema with the definitions to which `$ref` points. */
  readonly #whole: JsonSchema;
  readonly #seed: number;
  #made = 0;

  constructor(whole: JsonSchema, seed: number) {
    this.#whole = whole;
    this.#seed = seed;
  }

  objectOf(schema: JsonSchema, depth: number): Record<string, unknown> {
    const { properties } = this.#resolved(schema);
    const entries = Object.entries(properties ?? {});
    return Object.fromEntries(entries.map(([name, property]) => [name, this.#valueOf(property ?? {}, depth + 1)]));
  }

  #valueOf(referring: JsonSchema, depth: number): unknown {
    const schema = this.#resolved(referring);
    const { enum: allowed, const: only, anyOf: choices, items, minItems = 0 } = schema;
    if (Array.isArray(allowed) && allowed.length > 0) return allowed[this.#seed % allowed.length];
    if (only !== undefined) return only;
    this.#made += 1;
    if (depth > MAX_DEPTH || this.#made > MAX_VALUES) return null;
    if (choices?.length) return this.#valueOf(choices[0]!, depth + 1);
    const [type] = [schema.type].flat();
    switch (type) {
      case 'number':
      case 'integer':
        return within(schema, 42 + this.#seed);
      case 'boolean':
        return true;
      case 'null':
        return null;
      case 'array':
        return Array.from({ length: Math.min(minItems, MAX_DEPTH) }, () => this.#valueOf(items ?? {}, depth + 1));
      case 'object':
        return this.objectOf(schema, depth);
      default:
        return CITIES[this.#seed % CITIES.length];
    }
  }

  /** Resolves references such as `#/$defs/city`. An unresolvable reference allows any value. */
  #resolved(schema: JsonSchema): JsonSchema {
    let found = schema;
    for (let steps = 0; typeof found.$ref === 'string' && steps < MAX_DEPTH; steps += 1) {
      const path = found.$ref.replace(/^#\/?/, '').split('/').filter(Boolean);
      found = path.reduce<JsonSchema>((inner, name) => (inner[name] as JsonSchema | undefined) ?? {}, this.#whole);
    }
    return found;
  }
}

function within({ minimum = -Infinity, maximum = Infinity }: JsonSchema, usual: number): number {
  return Math.min(Math.max(usual, minimum), maximum);
}
