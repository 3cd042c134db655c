import type { z } from 'zod';
import { GatewayError, invalidRequest } from '../platform/errors.ts';
import { deepestIssue, issueFault } from '../platform/zod-messages.ts';
import { readJsonBody, type JsonRules } from './json-body.ts';
import type { HttpRequest } from './request.ts';

/** Matches the type of JSON. A header that is sent twice has both values, with a comma between them. */
const JSON_TYPE = /^\s*application\/(json|[\w.+-]+\+json)\s*([;,]|$)/i;

/**
 * Reads a JSON body, without validation.
 * @throws {GatewayError} 415 for another content type or charset, 400 for a body that is not JSON or exceeds a limit
 */
export function readRequestJson(request: HttpRequest, rules: JsonRules & { form?: unknown } = {}): unknown {
  const contentType = request.headers['content-type'];
  const isOther = contentType !== undefined && !JSON_TYPE.test(contentType);
  if (isOther || request.isBroken || isInAnotherCharset(contentType ?? '', request.body)) {
    const alternative = rules.form ? ' or "multipart/form-data"' : '';
    throw new GatewayError(
      'unsupported_media_type',
      `Send the body as "content-type: application/json"${alternative}, in UTF-8.`,
    );
  }
  return readJsonBody(request.body, rules);
}

/**
 * Whether a body declares another charset and is not valid UTF-8. Its letters were already replaced by U+FFFD; ASCII is
 * the same in most charsets.
 */
function isInAnotherCharset(contentType: string, body: string): boolean {
  return /;\s*charset\s*=(?!\s*"?utf-?8)/i.test(contentType) && body.includes('\ufffd');
}

/**
 * Checks and converts a value with a schema.
 * @throws {GatewayError} 400 that names the field and its rule
 */
export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown, whole = 'body'): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // An unknown field is often a misspelled required field.
  const { issues } = parsed.error;
  const issue = deepestIssue(issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!);
  const { path, message } = issueFault(issue);
  throw invalidRequest(fieldName(path) || whole, `${message}${hintFor(issue, schema)}`, {}, detailsOf(issue));
}

function detailsOf(issue: z.core.$ZodIssue): Record<string, unknown> | undefined {
  return issue.code === 'custom' ? (issue.params?.['details'] as Record<string, unknown> | undefined) : undefined;
}

/** Returns a text to append to the error about an unknown field at the top level; empty for other errors. */
function hintFor(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  const isField = issue.code === 'unrecognized_keys' && issue.path.length === 0;
  const known = isField ? knownKeys(schema) : [];
  return known.length > 0 ? `; known fields: ${known.join(', ')}` : '';
}

/** Returns the field names of an object schema, also with refinements or transformations. */
function knownKeys(schema: unknown): string[] {
  const { shape, def } = schema as { shape?: object; def?: { in?: unknown; innerType?: unknown } };
  if (shape) return Object.keys(shape);
  const inner = def?.in ?? def?.innerType;
  return inner === undefined ? [] : knownKeys(inner);
}

/** Maximum length of a field name in error messages. */
const MAX_NAME = 100;

function fieldName(path: readonly PropertyKey[]): string {
  return path.map((part) => String(part).slice(0, MAX_NAME)).join('.');
}
