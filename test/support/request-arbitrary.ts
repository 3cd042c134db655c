import fc, { type Arbitrary } from 'fast-check';
import type { SchemaObject } from '../../lambdas/api/service/openapi-types.ts';
import { resolveSchema, type DocumentedOperation } from './openapi.ts';

/** Request as a client might send it: usually valid, sometimes not. */
export interface GeneratedRequest {
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const hostileTexts = [
  '',
  ' ',
  '\u0000',
  '../..',
  '%zz',
  '%2F',
  '__proto__',
  'constructor',
  'null',
  '-1',
  '1e309',
  '💸\ud800',
  'a'.repeat(3_000),
  '<script>',
  'КИРИЛЛИЦА',
];
const hostileText = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 20 }));
const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e-7, 1e15, 1e300, [], {}, [[]], [null], { a: {} }),
  hostileText,
);

/**
 * Returns mostly valid values in the form of a schema.
 * @param known values, by field name, for fields that must refer to existing resources
 */
export function valueOf(
  schema: SchemaObject,
  name: string,
  known: Record<string, string[]>,
  within: readonly string[] = [],
): Arbitrary<unknown> {
  const { $ref } = schema;
  // Values of a recursive schema must be finite.
  if ($ref !== undefined && within.includes($ref)) return anything;
  const inside = $ref === undefined ? within : [...within, $ref];
  const resolved = resolveSchema(schema);
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(choice, name, known, inside)));
  if (resolved.const !== undefined) return fc.constant(resolved.const);
  if (resolved.enum) return fc.constantFrom(...resolved.enum);
  if (name === 'expires_at') return fc.constantFrom('2031-01-01T00:00:00Z', '2031-01-01T00:00:00.5+03:00');
  const [type = 'any'] = [resolved.type ?? 'any'].flat();
  switch (type) {
    case 'object':
      return objectOf(resolved, known, inside);
    case 'array':
      return fc.array(valueOf(resolved.items ?? {}, name, known, inside), { minLength: 1, maxLength: 3 });
    case 'integer':
      return integerOf(resolved);
    case 'number':
      return fc.constantFrom(0, 1, 0.1, 12.345678901234, 99, 1e-7, 500);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      if (known[name]) return fc.constantFrom(...known[name]);
      return fc
        .string({ unit: fc.constantFrom('a', 'b', 'x', 'y', '0', '1', '9', '-'), minLength: 1, maxLength: 12 })
        .map((text) => text.replace(/^-|-$/g, 'a').replaceAll('--', 'a'));
    default:
      return anything;
  }
}

/** Returns an integer that is at most 100,000 above the lower bound. */
function integerOf({ minimum = 0, maximum = minimum + 100_000 }: SchemaObject): Arbitrary<number> {
  return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 100_000) });
}

function objectOf(
  schema: SchemaObject,
  known: Record<string, string[]>,
  within: readonly string[],
): Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema;
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, valueOf(field, name, known, within)]),
  );
  return fc.record(fields, { requiredKeys: required });
}

/**
 * Returns bodies that usually have one mistake: a field of another type, an extra field, a missing field, or another
 * value instead of the body.
 */
function spoiled(body: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.oneof(
    anything,
    fc
      .tuple(body, fc.string({ maxLength: 8 }), anything)
      .map(([value, name, junk]) => ({ ...(value as object), [name]: junk })),
    fc.tuple(body, fc.nat(), anything).map(([value, index, junk]) => {
      const entries = Object.entries(value as object);
      if (entries.length > 0) entries[index % entries.length]![1] = junk;
      return Object.fromEntries(entries);
    }),
    fc.tuple(body, fc.nat()).map(([value, index]) => {
      const entries = Object.entries(value as object);
      entries.splice(index % Math.max(1, entries.length), 1);
      return Object.fromEntries(entries);
    }),
  );
}

/**
 * Returns requests to an operation.
 * @param known values, by name, for parameters and fields that must refer to existing resources
 */
export function requestsTo(
  { path, parameters, body }: DocumentedOperation,
  known: Record<string, string[]>,
): Arbitrary<GeneratedRequest> {
  const parts = parameters.map((parameter) => {
    const valid = valueOf(parameter.schema, parameter.name, known).map(String);
    const value = fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: hostileText });
    const isOptional = parameter.in !== 'path';
    return fc
      .tuple(isOptional ? fc.boolean() : fc.constant(true), value)
      .map(([given, text]) => ({ parameter, text: given ? text : undefined }));
  });
  const valid = body && valueOf(body, 'body', known);
  const json = valid
    ? fc
        .oneof({ weight: 3, arbitrary: valid }, { weight: 2, arbitrary: spoiled(valid) })
        .map((value) => JSON.stringify(value))
    : fc.constant(undefined);
  const text = valid
    ? fc.oneof(
        { weight: 12, arbitrary: json },
        { weight: 1, arbitrary: fc.constantFrom('', '{', 'nul', '[1,', '{"a":1e999}') },
      )
    : json;
  const unknownQuery = fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: hostileText },
  );
  return fc.tuple(fc.tuple(...parts), text, unknownQuery).map(([given, bodyText, surplus]) => {
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    let target = path;
    for (const { parameter, text: value } of given) {
      if (value === undefined) continue;
      if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, pathPart(value));
      else if (parameter.in === 'query') query.set(parameter.name, wellFormed(value));
      else headers[parameter.name] = value.replace(/[^\x21-\x7e]/g, '~') || '~';
    }
    if (surplus !== undefined) query.set('surplus', wellFormed(surplus));
    const search = query.toString();
    return { path: `${target}${search ? `?${search}` : ''}`, headers, body: bodyText };
  });
}

/** Encodes a part of a path, unless it begins with %: some clients send these values unencoded. */
function pathPart(value: string): string {
  return value.startsWith('%') ? value : encodeURIComponent(wellFormed(value)).replaceAll('%2F', '/') || 'x';
}

function wellFormed(text: string): string {
  return text.toWellFormed();
}
