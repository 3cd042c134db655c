import type { z } from 'zod';
import { GatewayError, invalidRequest } from '../platform/errors.ts';
import { deepestIssue, issueFault } from '../platform/zod-messages.ts';
import { readJsonBody, type JsonRules } from './json-body.ts';
import type { HttpRequest } from './request.ts';

/**
 * Reads a JSON body, without validation.
 * @throws {GatewayError} 415 for another content type, 400 for a body that is not JSON or exceeds a limit
 */
export function readRequestJson(request: HttpRequest, rules: JsonRules & { form?: unknown } = {}): unknown {
  const contentType = request.headers['content-type'];
  if (contentType !== undefined && !/^\s*application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(contentType)) {
    const alternative = rules.form ? ' or "multipart/form-data"' : '';
    throw new GatewayError(
      'unsupported_media_type',
      `Send the body as "content-type: application/json"${alternative}.`,
    );
  }
  return readJsonBody(request.body, rules);
}

/**
 * Validates a value.
 * @throws {GatewayError} 400 that names the field and its rule
 */
export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown, whole = 'body'): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // An unknown field is often a misspelled required field, so it is reported before missing fields.
  const { issues } = parsed.error;
  const issue = deepestIssue(issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!);
  const { path, message } = issueFault(issue);
  throw invalidRequest(fieldName(path) || whole, `${message}${hintFor(issue, schema)}`, {}, detailsOf(issue));
}

/** Returns the machine-readable details of an error; undefined if the schema added none. */
function detailsOf(issue: z.core.$ZodIssue): Record<string, unknown> | undefined {
  return issue.code === 'custom' ? (issue.params?.['details'] as Record<string, unknown> | undefined) : undefined;
}

/** Returns a list of the known fields, which is appended to the error about an unknown field at the top level. */
function hintFor(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  const isField = issue.code === 'unrecognized_keys' && issue.path.length === 0;
  const known = isField ? knownKeys(schema) : [];
  return known.length > 0 ? `; known fields: ${known.join(', ')}` : '';
}

/** Returns the fields of an object schema, even if the schema has refinements or transformations. */
function knownKeys(schema: unknown): string[] {
  const { shape, def } = schema as { shape?: object; def?: { in?: unknown; innerType?: unknown } };
  if (shape) return Object.keys(shape);
  const inner = def?.in ?? def?.innerType;
  return inner === undefined ? [] : knownKeys(inner);
}

/** Maximum length of a field name in error messages. Clients choose these names, so they may have any length. */
const MAX_NAME = 100;

function fieldName(path: readonly PropertyKey[]): string {
  return path.map((part) => String(part).slice(0, MAX_NAME)).join('.');
}
