/**
 * Replaces references in schemas with the parts to which they refer. Schema generators also refer to properties, but
 * Moonshot accepts only references to `$defs` (https://github.com/anomalyco/opencode/issues/27054), and Nova accepts no
 * `$defs` (https://github.com/lastmile-ai/mcp-agent/pull/126).
 */

import { isRecord } from '../../platform/json/foreign-json.ts';
import { referredPart, type ReferringSchema } from './acyclic-schema.ts';

/**
 * Size of a schema, in characters, up to which references are replaced. The limit of a large schema is MAX_GROWTH times
 * its original size. Nested references can multiply a schema's size.
 */
const MAX_INLINED_CHARACTERS = 32_768;
const MAX_GROWTH = 4;
/** Approximate number of characters around a part, such as quotes and commas. */
const CHARACTERS_AROUND_PART = 4;
const MAX_INLINED_DEPTH = 128;

function isOfDefinition(reference: string, root: ReferringSchema): boolean {
  return /^#\/\$defs\/[^/]+$/.test(reference) && referredPart({ $ref: reference }, root) !== undefined;
}

/**
 * Moves `definitions` of older drafts to `$defs`, and replaces other references, unless they are circular or too large.
 * References to nothing are removed: some agents remove the definitions to which a tool of an MCP server refers, and
 * providers then reject all tools (https://github.com/PrefectHQ/fastmcp/pull/2861).
 */
export function withOwnDefinitions(schema: ReferringSchema): ReferringSchema {
  if (!hasOtherReferences(schema, schema)) return schema;
  const { definitions, $defs, ...rest } = schema;
  const root = isRecord(definitions) ? { ...rest, $defs: { ...definitions, ...($defs as object) } } : schema;
  return withInlineReferences(root, root, (reference) => isOfDefinition(reference, root));
}

/** Converts a reference of older drafts, in which `items` may be a list. */
function currentReference(reference: string): string {
  return reference.replace(/^#\/definitions\//, '#/$defs/').replaceAll(/\/items(?=\/\d+(?:\/|$))/g, '/prefixItems');
}

function hasOtherReferences(part: unknown, root: ReferringSchema): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { $ref: reference } = part as ReferringSchema;
  if (typeof reference === 'string' && !isOfDefinition(reference, root)) return true;
  return Object.values(part).some((inner) => hasOtherReferences(inner, root));
}

/**
 * Replaces references.
 * @param root the schema to which the references refer
 * @param isKept whether a reference stays. Without this function, a reference that cannot be replaced is removed. A
 *   reference to nothing is always removed.
 */
export function withInlineReferences(
  schema: ReferringSchema,
  root = schema,
  isKept?: (reference: string) => boolean,
): ReferringSchema {
  let room = Math.max(MAX_INLINED_CHARACTERS, MAX_GROWTH * JSON.stringify(root).length);
  const open = new Set<unknown>();
  const inlined = (part: unknown, depth: number, target = part): unknown => {
    room -= CHARACTERS_AROUND_PART + (typeof part === 'string' ? part.length : 0);
    if (Array.isArray(part)) return part.map((inner) => inlined(inner, depth + 1));
    if (!isRecord(part)) return part;
    const { $ref: own, ...rest } = part;
    const reference = typeof own === 'string' ? currentReference(own) : undefined;
    const referred = referredPart({ $ref: reference }, root);
    const written = isKept && referred ? { ...part, $ref: reference } : rest;
    const next = reference === undefined || isKept?.(reference) ? undefined : referred;
    const isOuter = open.has(target);
    open.add(target);
    const isPossible = next !== undefined && !open.has(next) && room > 0 && depth < MAX_INLINED_DEPTH;
    if (isPossible) room -= JSON.stringify(next).length;
    const result =
      isPossible && room > 0
        ? inlined({ ...next, ...rest }, depth + 1, next)
        : Object.fromEntries(
            Object.entries(reference === undefined ? part : written).map(([name, inner]) => {
              room -= name.length;
              return [name, inlined(inner, depth + 1)];
            }),
          );
    if (!isOuter) open.delete(target);
    return result;
  };
  return inlined(schema, 0) as ReferringSchema;
}
