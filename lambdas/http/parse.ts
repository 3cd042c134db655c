import type { z } from 'zod';
import { GatewayError, invalidRequest } from '../platform/errors.ts';
import type { HttpRequest } from './request.ts';

/** Deeper JSON than any client of ours sends; re-serialising a body recurses, so depth has to be bounded. */
const MAX_JSON_DEPTH = 128;

/** A number of a body as its source text says it: parsed by JSON it would have been rounded to a float. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Reads a JSON body.
 * @param exactNumbers names of fields whose numbers are kept as their source text
 * @throws {GatewayError} 415 for another content type, 400 for what is no JSON object.
 */
export function parseJsonBody<Schema extends z.ZodType>(
  request: HttpRequest,
  schema: Schema,
  exactNumbers: readonly string[] = [],
): z.infer<Schema> {
  const contentType = request.headers['content-type'];
  if (contentType !== undefined && !/^\s*application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(contentType)) {
    throw new GatewayError(415, 'unsupported_media_type', 'Send the body as "content-type: application/json".');
  }
  if (request.body === '') throw invalidRequest('body', 'is empty; send a JSON object');
  if (jsonDepth(request.body) > MAX_JSON_DEPTH) {
    throw invalidRequest('body', `is nested deeper than ${MAX_JSON_DEPTH} levels`);
  }
  let json: unknown;
  try {
    json = exactNumbers.length > 0 ? parseExactly(request.body, exactNumbers) : JSON.parse(request.body);
  } catch {
    // The parser's own message quotes the body, which may be a prompt.
    throw invalidRequest('body', 'is not valid JSON');
  }
  return parseWith(schema, json);
}

function parseExactly(text: string, exactNumbers: readonly string[]): unknown {
  const keepText = (key: string, value: unknown, context: { source: string }) =>
    typeof value === 'number' && exactNumbers.includes(key) ? new NumberText(context.source) : value;
  return JSON.parse(text, keepText as Parameters<typeof JSON.parse>[1]);
}

/** Checks a value. @throws {GatewayError} 400 naming the field and what it may be. */
export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown, whole = 'body'): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  // A field that is not known is often the one that is missing, misspelt: it is told first.
  const { issues } = parsed.error;
  const issue = deepestIssue(issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!);
  throw invalidRequest(fieldName([...issue.path, ...unknownKey(issue)]) || whole, describeIssue(issue, schema));
}

/** A union reports what is wrong with each alternative: the alternative that got furthest is what the client meant. */
function deepestIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return issue;
  const furthest = issue.errors
    .flatMap((issues) => issues.slice(0, 1))
    .map(deepestIssue)
    .sort((a, b) => b.path.length - a.path.length)[0];
  return furthest ? { ...furthest, path: [...issue.path, ...furthest.path] } : issue;
}

function unknownKey(issue: z.core.$ZodIssue): string[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? knownKeys(schema) : [];
    return `is not known here${known.length > 0 ? `; what is: ${known.join(', ')}` : ''}`;
  }
  return issue.message.replace(/^Invalid input: expected (.+), received undefined$/, 'is required (expected $1)');
}

/** The fields of an object schema, looking through what refines or transforms it. */
function knownKeys(schema: unknown): string[] {
  const { shape, def } = schema as { shape?: object; def?: { in?: unknown; innerType?: unknown } };
  if (shape) return Object.keys(shape);
  const inner = def?.in ?? def?.innerType;
  return inner === undefined ? [] : knownKeys(inner);
}

export function fieldName(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

/** Nesting of brackets outside strings; linear, and skips over strings at the speed of indexOf. */
function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22:
        index = endOfString(text, index);
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        if (depth > deepest) deepest = depth;
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        break;
    }
  }
  return deepest;
}

function endOfString(text: string, opening: number): number {
  let closing = opening;
  do {
    closing = text.indexOf('"', closing + 1);
    if (closing === -1) return text.length;
  } while (isEscaped(text, closing));
  return closing;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes += 1;
  return backslashes % 2 === 1;
}
