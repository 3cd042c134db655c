/** Adds the type `object` to a schema of arguments without a type, because some providers reject such a schema. */
export function argumentSchema(parameters: Record<string, unknown> | null | undefined): Record<string, unknown> {
  if (!parameters) return { type: 'object', properties: {} };
  const isTyped = 'type' in parameters || unions.some((name) => name in parameters);
  return isTyped ? parameters : { type: 'object', ...parameters };
}

/** Keywords of JSON Schema that replace `type`: a schema with one of them needs no `type`. */
const unions = ['$ref', 'anyOf', 'oneOf', 'allOf'];
