/**
 * Rules for requests that a provider refuses, each with its source, independent of the gateway's catalog. A strict fake
 * is a list of such rules, which returns the faults for which the provider would answer 400.
 */

import * as z from 'zod';
import type { WireRequest } from '../../lambdas/providers/wire.ts';

export interface Arrived<Body> extends WireRequest {
  /** The provider's name of the model. */
  model: string;
  read: Body;
}

export interface Rule<Body> {
  /** Documentation, a schema, or a report of the refusal. */
  source: string;
  /** Returns the fault; undefined, false or empty if there is none. */
  refuses: (request: Arrived<Body>) => string | false | null | undefined;
}

export interface StrictFake {
  /** Returns the faults of a request; empty if the provider accepts it. */
  refusals(request: WireRequest, model: string): string[];
}

/**
 * Returns a fake that checks requests by a schema and by rules.
 * @param schema fields of the provider, which refuses a body that does not fit
 */
export function strictFake<Body>(
  schema: z.ZodType<Body> | ((model: string) => z.ZodType<Body>),
  rules: readonly Rule<Body>[],
): StrictFake {
  return {
    refusals(request, model) {
      const body: unknown = JSON.parse(request.body);
      const { data, error } = (typeof schema === 'function' ? schema(model) : schema).safeParse(body);
      if (error) return error.issues.flatMap((issue) => saidOf(issue));
      const arrived = { ...request, model, read: data };
      const said = [...everywhere, ...rules].map((rule) => rule.refuses(arrived as Arrived<never>));
      return said.filter((one): one is string => Boolean(one));
    },
  };
}

/** Returns the messages of an issue; for a union, the messages of the variant with the fewest issues. */
function saidOf(issue: z.core.$ZodIssue, place: PropertyKey[] = []): string[] {
  const path = [...place, ...issue.path];
  if (issue.code !== 'invalid_union') return [`${path.join('.')}: ${issue.message}`];
  const variants = issue.errors.map((errors) => errors.flatMap((inner) => saidOf(inner, path)));
  return variants.toSorted((one, other) => one.length - other.length)[0] ?? [`${path.join('.')}: fits no variant`];
}

/** Rules that apply to all providers. */
const everywhere: readonly Rule<unknown>[] = [
  {
    source: 'https://github.com/anthropics/claude-code/issues/60394',
    refuses: ({ body }) => hasLoneSurrogate(JSON.parse(body)) && 'not valid JSON: no low surrogate in string',
  },
];

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, inner]) => !name.isWellFormed() || hasLoneSurrogate(inner));
}

export type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function* schemasIn(schema: unknown): Generator<JsonObject> {
  if (!isObject(schema)) return;
  yield schema;
  for (const list of ['anyOf', 'oneOf', 'allOf', 'prefixItems'].map((name) => schema[name])) {
    if (Array.isArray(list)) for (const inner of list) yield* schemasIn(inner);
  }
  for (const map of ['properties', '$defs', 'definitions'].map((name) => schema[name])) {
    if (isObject(map)) for (const inner of Object.values(map)) yield* schemasIn(inner);
  }
  for (const inner of [schema['items'], schema['additionalProperties'], schema['not']]) yield* schemasIn(inner);
}

export const isBlankText = (text: unknown): boolean => typeof text === 'string' && text.trim() === '';

export function repeatedIn(values: readonly string[]): string | undefined {
  return values.find((value, index) => values.indexOf(value) !== index);
}

const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** Returns the fault of a tool's schema for providers that check schemas. */
export function argumentsFault(schema: JsonObject): string | undefined {
  if (schema['type'] !== 'object' || '$ref' in schema) return 'schema must have type "object"';
  const union = ['anyOf', 'oneOf', 'allOf', 'enum', 'not'].find((name) => name in schema);
  if (union) return `schema must not have "${union}" at the top level`;
  for (const one of schemasIn(schema)) {
    const types = Array.isArray(one['type']) ? (one['type'] as unknown[]) : [one['type'] ?? 'object'];
    if (types.some((type) => !TYPES.has(type))) return `"${String(one['type'])}" is no type`;
    const isTupleOfOldDraft = Array.isArray(one['items']);
    const hasFlag = ['required', 'exclusiveMinimum', 'exclusiveMaximum'].some((name) => typeof one[name] === 'boolean');
    if (isTupleOfOldDraft || hasFlag) return 'JSON schema is invalid. It must match JSON Schema draft 2020-12';
    if (types.includes('array') && !('items' in one) && !('prefixItems' in one)) return 'array schema missing items';
  }
  return undefined;
}

export const ARGUMENTS_SOURCE = 'https://github.com/langchain-ai/langchainjs/issues/9804';

/**
 * Whether a reference in a schema leads back to a part that contains the reference.
 * @param isAllowed whether such a reference is no fault
 */
export function isCircular(schema: JsonObject, isAllowed: (isOptional: boolean) => boolean = () => false): boolean {
  const leadsBack = (part: unknown, path: readonly unknown[], isOptional: boolean): boolean => {
    if (typeof part !== 'object' || part === null) return false;
    if (path.includes(part)) return !isAllowed(isOptional);
    const around = [...path, part];
    const { $ref: reference, required, properties, ...others } = part as JsonObject;
    const names = Array.isArray(required) ? required : [];
    return (
      Object.values(others).some((inner) => leadsBack(inner, around, isOptional)) ||
      Object.entries(properties ?? {}).some(([name, inner]) => leadsBack(inner, around, !names.includes(name))) ||
      (typeof reference === 'string' && leadsBack(at(reference), around, isOptional))
    );
  };
  const at = (reference: string): unknown =>
    reference
      .split('/')
      .slice(1)
      .reduce<unknown>((found, name) => (found as JsonObject | undefined)?.[name], schema);
  return leadsBack(schema, [], false);
}

/** Formats of strings that OpenAI enforces: https://platform.openai.com/docs/guides/structured-outputs */
const enforcedFormats = new Set<unknown>('date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '));

/** Rule for schemas that OpenAI enforces. Further source: https://github.com/cyanheads/git-mcp-server/issues/47 */
export const enforcedFlavor = {
  source: 'https://github.com/vectorize-io/hindsight/pull/3944',
  faultIn(schema: JsonObject): string | undefined {
    for (const one of schemasIn(schema)) {
      if ('$ref' in one && Object.keys(one).length > 1) return '$ref cannot have other keywords';
      if ('format' in one && !enforcedFormats.has(one['format']))
        return `'${String(one['format'])}' is not a valid format`;
      if (!['type', 'anyOf', '$ref', 'enum', 'const'].some((name) => name in one))
        return "schema must have a 'type' key";
    }
    return undefined;
  },
};

/** Rule for the identifiers of schemas at OpenAI. */
export const schemaIds = {
  source: 'https://github.com/griptape-ai/griptape/issues/2150',
  refuses: ({ body }: WireRequest): string | false =>
    /"\$id":"[^"]* /.test(body) && "Invalid schema for function: 'Parameters Schema' is not a 'uri-reference'.",
};

/** Rule for schemas at Fireworks. Further source: https://github.com/BerriAI/litellm/issues/28149 */
export const fireworksFlavor = {
  source: 'https://github.com/earendil-works/pi/issues/5352',
  faultIn(schema: JsonObject): string | undefined {
    const odd = [...schemasIn(schema)].find(
      (one) => !['type', 'anyOf', '$ref', 'allOf', 'oneOf', 'enum', 'const'].some((name) => name in one),
    );
    return odd && `JSON Schema not supported: could not understand the instance \`${JSON.stringify(odd)}\``;
  },
};

/** Rule for schemas at Moonshot. Further sources: issues 2061 of MoonshotAI/kimi-cli, 27054 of anomalyco/opencode. */
export const moonshotFlavor = {
  source: 'https://github.com/MoonshotAI/kimi-code/issues/2661',
  faultIn(schema: JsonObject): string | undefined {
    if (isCircular(schema)) return 'circular references are not supported';
    for (const one of schemasIn(schema)) {
      const { $ref: reference, $defs: _definitions, ...others } = one;
      if (typeof reference === 'string') {
        if (!reference.startsWith('#/$defs/')) return 'references must begin with #/$defs/';
        if (Object.keys(others).length > 0) return 'conflicting keywords found after $ref expansion';
      }
      if ('anyOf' in one && 'type' in one) return 'when using anyOf, type should be defined in anyOf items';
      const isTyped = ['type', 'anyOf', '$ref', 'allOf'].some((name) => name in one);
      if (!isTyped) return 'type is not defined';
    }
    return undefined;
  },
};

/** Rule for images at xAI, in both of its APIs. */
export const xaiImages = {
  source: 'https://docs.x.ai/developers/model-capabilities/images/understanding',
  refuses: ({ body }: WireRequest): string | false =>
    /"data:image\/(?!png|jpeg)/.test(body) && 'Supported image file types: jpg/jpeg or png.',
};
