/**
 * Converts schemas that OpenAI enforces. OpenAI rejects keywords next to a reference
 * (https://github.com/vectorize-io/hindsight/pull/3944), and formats that it cannot enforce
 * (https://github.com/cyanheads/git-mcp-server/issues/47). Azure rejects defaults
 * (https://github.com/openai/openai-agents-python/pull/4459).
 */

import { isRecord } from '../../platform/json/foreign-json.ts';
import { withConstraints } from './arguments-schema.ts';

type StrictSchema = Record<string, unknown>;

/** Formats that OpenAI enforces: https://platform.openai.com/docs/guides/structured-outputs */
export const ENFORCED_FORMATS: ReadonlySet<unknown> = new Set(
  'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '),
);

/**
 * Keywords that Cerebras rejects in strict schemas. Sources:
 * https://inference-docs.cerebras.ai/capabilities/structured-outputs, https://github.com/elizaOS/eliza/issues/11153
 */
const LIMITS = /^(?:format|pattern|(?:min|max)(?:Length|Items))$/;

/** Keywords with a map from names, which the client chose, to schemas. */
export const MAPS_OF_MEMBERS = new Set(['properties', '$defs', 'definitions']);
/** Keywords whose values are data. An object in these values is no schema. */
const DATA = new Set(['enum', 'const', 'default', 'example', 'examples']);

/**
 * Returns the members of a part that may be or contain schemas.
 * @param isMap whether the part's keys are names that the client chose, and not keywords of JSON Schema
 */
export function innerSchemas(part: object, isMap: boolean): [name: string, inner: unknown, isMap: boolean][] {
  return Object.entries(part).flatMap(([name, inner]): [string, unknown, boolean][] =>
    !isMap && DATA.has(name) ? [] : [[name, inner, !isMap && MAPS_OF_MEMBERS.has(name)]],
  );
}

/**
 * Converts a schema for strict mode. Keywords that the provider cannot enforce move into the description.
 * @param isLimited whether the provider also rejects LIMITS
 */
export function strictForm<Schema>(schema: Schema, isLimited = false): Schema {
  return strictPart(schema, isLimited) as Schema;
}

function strictPart(schema: unknown, isLimited: boolean, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => strictPart(one, isLimited));
  if (!isRecord(schema)) return schema;
  const kept = { ...(isMap ? schema : plainReference(schema)) };
  const moved: StrictSchema = {};
  for (const [name, inner, isInnerMap] of innerSchemas(kept, isMap)) {
    kept[name] = strictPart(inner, isLimited, isInnerMap);
    if (isMap || (isLimited ? !LIMITS.test(name) : name !== 'format' || ENFORCED_FORMATS.has(inner))) continue;
    moved[name] = inner;
    delete kept[name];
  }
  if (!isMap && 'default' in kept) {
    if (kept['default'] !== null) moved['default'] = kept['default'];
    delete kept['default'];
  }
  return withConstraints(kept, moved);
}

/**
 * Drops the keywords next to a reference, except `$defs` and a description. With these, the reference is in an `anyOf`.
 */
export function plainReference(schema: StrictSchema): StrictSchema {
  const { $ref, $defs, description } = schema;
  if (typeof $ref !== 'string') return schema;
  return {
    ...(typeof description === 'string' ? { description, anyOf: [{ $ref }] } : { $ref }),
    ...($defs === undefined ? {} : { $defs }),
  };
}
