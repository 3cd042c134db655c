/** The schema of a function's arguments. OpenAI takes a schema without a type, and other providers refuse it. */
export function argumentSchema(parameters: Record<string, unknown> | null | undefined): Record<string, unknown> {
  if (!parameters) return { type: 'object', properties: {} };
  const isTyped = 'type' in parameters || unions.some((name) => name in parameters);
  return isTyped ? parameters : { type: 'object', ...parameters };
}

/** Members that say the type of a value elsewhere. */
const unions = ['$ref', 'anyOf', 'oneOf', 'allOf'];
