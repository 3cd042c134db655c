import * as z from 'zod';

/**
 * An example of an answer with every member that its schema has: null stands for each that the example leaves out and that may be null.
 * So `about.ts` says what an example is about, and a new member that may be unknown needs no word there. A member that may not be null
 * stays absent, and the test of examples names it.
 */
export function wholeExample(schema: z.ZodType, example: unknown): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return wholeExample(schema.unwrap() as z.ZodType, example);
  }
  if (schema instanceof z.ZodArray && Array.isArray(example)) {
    return example.map((one) => wholeExample(schema.element as z.ZodType, one));
  }
  if (!(schema instanceof z.ZodObject) || typeof example !== 'object' || example === null) return example;
  const given = example as Record<string, unknown>;
  const members = Object.entries<z.ZodType>(schema.shape).flatMap(([name, member]) => {
    if (given[name] !== undefined) return [[name, wholeExample(member, given[name])]];
    return mayBeNull(member) ? [[name, null]] : [];
  });
  return { ...Object.fromEntries(members), ...membersBeyond(schema, given) };
}

/** Absent rather than null where a member is optional. */
function mayBeNull(member: z.ZodType): boolean {
  return !member.safeParse(undefined).success && member.safeParse(null).success;
}

/** Members that the schema does not have stay, so that the test of examples sees them. */
function membersBeyond(schema: z.ZodObject, given: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !(name in schema.shape)));
}
