import type { Quirks } from '../../catalog/quirk-schemas.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import { acyclicSchema } from './acyclic-schema.ts';
import { argumentsSchema } from './arguments-schema.ts';
import { withInlineReferences } from './inline-references.ts';
import { typedSchema } from './typed-schema.ts';

/**
 * Applies the conversions that may make a schema several times as long as the client's, so that its size can be
 * counted.
 */
export function countedSchema(schema: unknown, quirks: Quirks & { typed_schemas?: boolean | undefined }): unknown {
  if (!isRecord(schema)) return schema;
  const sent = argumentsSchema(schema);
  if ('plain_schema_root' in quirks) return withInlineReferences(acyclicSchema(sent));
  return quirks.typed_schemas ? typedSchema(sent) : sent;
}
