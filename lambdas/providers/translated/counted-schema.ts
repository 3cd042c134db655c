/** The form of a schema that the gateway counts as a part of the prompt. */

import type { Quirks } from '../../catalog/quirk-schemas.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import { acyclicSchema } from './acyclic-schema.ts';
import { argumentsSchema } from './arguments-schema.ts';
import { withInlineReferences } from './inline-references.ts';

/** Returns the form in which the provider gets a schema. This form may be several times as long as the client's. */
export function countedSchema(schema: unknown, quirks: Quirks): unknown {
  if (!isRecord(schema)) return schema;
  const sent = argumentsSchema(schema);
  return 'plain_schema_root' in quirks ? withInlineReferences(acyclicSchema(sent)) : sent;
}
