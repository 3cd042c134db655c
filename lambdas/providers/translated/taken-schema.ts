import { acyclicSchema } from './acyclic-schema.ts';
import { typedSchema } from './typed-schema.ts';

export interface SchemaQuirks {
  acyclic_schemas?: boolean | undefined;
  typed_schemas?: boolean | undefined;
}

/** Returns a schema in the form that the endpoint accepts, according to its quirks. */
export function takenSchema(
  schema: Record<string, unknown>,
  { acyclic_schemas: refusesCircles, typed_schemas: needsTypes }: SchemaQuirks,
): Record<string, unknown> {
  const acyclic = refusesCircles ? acyclicSchema(schema) : schema;
  return needsTypes ? typedSchema(acyclic) : acyclic;
}
