/**
 * Removes circular references from schemas, for providers that reject them: Meta
 * (https://github.com/duolahypercho/codex-router/issues/792), Moonshot
 * (https://github.com/duolahypercho/codex-router/pull/793), Claude in schemas that it enforces
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations), and Gemini
 * outside of optional properties (https://ai.google.dev/api/generate-content#GenerationConfig).
 */

import { percentDecoded } from '../../platform/fetch/percent-decoding.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';

export type ReferringSchema = Record<string, unknown>;

/**
 * Replaces circular references with the type, if any, of the schema to which they refer. A reference is circular if it
 * refers, directly or through other references, to a schema around it.
 * @param keepsOptional keeps references in optional properties
 * @returns the same schema if nothing is replaced
 */
export function acyclicSchema(
  schema: ReferringSchema,
  { keepsOptional = false }: { keepsOptional?: boolean } = {},
): ReferringSchema {
  const circular = new Map(
    [...circularReferences(schema)].filter(([, { isOptional }]) => !(keepsOptional && isOptional)),
  );
  return circular.size === 0 ? schema : (withoutReferences(schema, circular) as ReferringSchema);
}

interface CircularReference {
  target: ReferringSchema;
  /** Whether the innermost property that contains the reference is optional. */
  isOptional: boolean;
}

function circularReferences(root: ReferringSchema): Map<object, CircularReference> {
  const circular = new Map<object, CircularReference>();
  const open = new Set<unknown>();
  const closed = new Set<unknown>();
  const visit = (part: unknown, isOptional: boolean): void => {
    if (typeof part !== 'object' || part === null || closed.has(part)) return;
    open.add(part);
    for (const [inner, mayBeAbsent] of innerParts(part, isOptional)) visit(inner, mayBeAbsent);
    const target = isRecord(part) ? referredPart(part, root) : undefined;
    if (target && open.has(target)) circular.set(part, { target, isOptional });
    else visit(target, false);
    open.delete(part);
    closed.add(part);
  };
  visit(root, false);
  return circular;
}

/**
 * Returns the values directly inside a part of a schema. The flag of a value states whether the innermost property that
 * contains the value is optional.
 */
function innerParts(part: object, isOptional: boolean): [inner: unknown, mayBeAbsent: boolean][] {
  const { properties, required, ...others } = part as ReferringSchema;
  // A set keeps this fast if a client lists thousands of required names.
  const names = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  return [
    ...Object.values(others).map((inner): [unknown, boolean] => [inner, isOptional]),
    ...Object.entries(isRecord(properties) ? properties : {}).map(([name, inner]): [unknown, boolean] => [
      inner,
      !names.has(name),
    ]),
  ];
}

/** Returns the subschema of the root to which a reference points. */
export function referredPart({ $ref: reference }: ReferringSchema, root: ReferringSchema): ReferringSchema | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  const names = percentDecoded(reference.slice(1)).split('/').slice(1);
  const part = names.reduce<unknown>((found, name) => memberOf(found, name), root);
  return isRecord(part) ? part : undefined;
}

function memberOf(part: unknown, escaped: string): unknown {
  if (typeof part !== 'object' || part === null) return undefined;
  const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
  return Object.hasOwn(part, name) ? (part as Record<string, unknown>)[name] : undefined;
}

function withoutReferences(part: unknown, circular: ReadonlyMap<object, CircularReference>): unknown {
  if (Array.isArray(part)) return part.map((inner) => withoutReferences(inner, circular));
  if (!isRecord(part)) return part;
  const target = circular.get(part)?.target;
  const { $ref: _reference, ...rest } = part;
  const kept = target ? { ...(target['type'] === undefined ? {} : { type: target['type'] }), ...rest } : part;
  return Object.fromEntries(Object.entries(kept).map(([name, inner]) => [name, withoutReferences(inner, circular)]));
}
