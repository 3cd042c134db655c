/**
 * Replaces references in schemas with the parts to which they refer. Schema generators also refer to properties, but
 * Moonshot accepts only references to `$defs` (https://github.com/anomalyco/opencode/issues/27054), and Nova accepts no
 * `$defs` (https://github.com/lastmile-ai/mcp-agent/pull/126).
 */

import { isRecord } from '../../platform/json/foreign-json.ts';
import { referredPart, type ReferringSchema } from './acyclic-schema.ts';

/**
 * Number of characters of JSON by which a schema may grow; a longer schema may double. Repeated and nested references can
 * multiply the size of a schema. References beyond this limit are kept.
 */
const MAX_GROWTH_CHARACTERS = 100_000;
/** Maximum depth up to which references are replaced, equal to that of a request body. */
const MAX_INLINED_DEPTH = 128;
const isOfDefinition = (reference: string) => /^#\/\$defs\/[^/]+$/.test(reference);

/**
 * Moves `definitions`, the name of `$defs` in older drafts, to `$defs`, and replaces references to other parts.
 * Circular references, and references beyond the limits above, are kept.
 * @returns the same schema if it has no references, or only references to `$defs`
 */
export function withOwnDefinitions(schema: ReferringSchema): ReferringSchema {
  if (!hasOtherReferences(schema)) return schema;
  const { definitions, $defs, ...rest } = schema;
  const root = isRecord(definitions) ? { ...rest, $defs: { ...definitions, ...($defs as object) } } : schema;
  return withInlineReferences(root, isOfDefinition);
}

function hasOtherReferences(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { $ref: reference } = part as ReferringSchema;
  if (typeof reference === 'string' && !isOfDefinition(reference)) return true;
  return Object.values(part).some(hasOtherReferences);
}

/** @param isKept whether a reference is not replaced */
export function withInlineReferences(
  root: ReferringSchema,
  isKept: (reference: string) => boolean = () => false,
): ReferringSchema {
  let room = Math.max(MAX_GROWTH_CHARACTERS, JSON.stringify(root).length);
  const open = new Set<unknown>();
  const inlined = (part: unknown, target = part): unknown => {
    if (Array.isArray(part)) return part.map((inner) => inlined(inner));
    if (!isRecord(part)) return part;
    const { $ref: written, ...rest } = part;
    const reference = typeof written === 'string' ? written.replace(/^#\/definitions\//, '#/$defs/') : undefined;
    const next = reference === undefined || isKept(reference) ? undefined : referredPart({ $ref: reference }, root);
    open.add(target);
    const isInlined = next !== undefined && !open.has(next) && room > 0 && open.size < MAX_INLINED_DEPTH;
    if (isInlined) room -= JSON.stringify(next).length;
    const result =
      isInlined && room > 0
        ? inlined({ ...next, ...rest }, next)
        : Object.fromEntries(
            Object.entries(reference === undefined ? part : { ...part, $ref: reference }).map(([name, inner]) => [
              name,
              inlined(inner),
            ]),
          );
    open.delete(target);
    return result;
  };
  return inlined(root) as ReferringSchema;
}
