import { acyclicSchema } from './acyclic-schema.ts';
import { strictForm } from './strict-form.ts';
import { typedSchema } from './typed-schema.ts';

export interface SchemaQuirks {
  acyclic_schemas?: boolean | undefined;
  typed_schemas?: boolean | undefined;
  limited_strict_mode?: boolean | undefined;
}

/** Returns a schema that fulfills the rules of strict mode in the form that the endpoint enforces. */
export function enforcedSchema(
  schema: Record<string, unknown>,
  { limited_strict_mode: isLimited }: SchemaQuirks,
): Record<string, unknown> {
  return strictForm(isLimited ? typedSchema(schema) : schema, isLimited);
}

/** Returns a schema in the form that the endpoint accepts, according to its quirks. */
export function takenSchema(
  schema: Record<string, unknown>,
  { acyclic_schemas: refusesCircles, typed_schemas: needsTypes }: SchemaQuirks,
): Record<string, unknown> {
  const acyclic = refusesCircles ? acyclicSchema(schema) : schema;
  return needsTypes ? typedSchema(acyclic) : acyclic;
}
