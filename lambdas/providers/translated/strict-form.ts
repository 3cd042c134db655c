/**
 * Converts schemas that OpenAI enforces. OpenAI rejects keywords next to a reference
 * (https://github.com/vectorize-io/hindsight/pull/3944), and formats that it cannot enforce
 * (https://github.com/cyanheads/git-mcp-server/issues/47).
 */

import { isRecord } from '../../platform/json/foreign-json.ts';
import { withConstraints } from './arguments-schema.ts';

type StrictSchema = Record<string, unknown>;

/** Formats that OpenAI enforces: https://platform.openai.com/docs/guides/structured-outputs */
const ENFORCED_FORMATS: ReadonlySet<unknown> = new Set(
  'date-time time date duration email hostname ipv4 ipv6 uuid'.split(' '),
);

/** Converts a schema for strict mode. Formats that OpenAI cannot enforce move into the description. */
export function strictForm<Schema>(schema: Schema): Schema {
  return strictPart(schema) as Schema;
}

function strictPart(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictPart);
  if (!isRecord(schema)) return schema;
  const plain = plainReference(schema);
  const { format, ...rest } = plain;
  const part = typeof format !== 'string' || ENFORCED_FORMATS.has(format) ? plain : withConstraints(rest, { format });
  return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, strictPart(inner)]));
}

/**
 * Leaves out the keywords next to a reference, except `$defs` and a description. Next to a description, the reference
 * becomes the only variant of `anyOf`.
 */
export function plainReference(schema: StrictSchema): StrictSchema {
  const { $ref, $defs, description } = schema;
  if (typeof $ref !== 'string') return schema;
  return {
    ...(typeof description === 'string' ? { description, anyOf: [{ $ref }] } : { $ref }),
    ...($defs === undefined ? {} : { $defs }),
  };
}
