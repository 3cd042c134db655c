import { errorJson, type GatewayError } from '../platform/errors.ts';
import type { Readable } from 'node:stream';
import type { AnswerStream } from './answer-stream.ts';
import type { HttpRequest } from './request.ts';

export interface HttpResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string | Readable;
}

const commonHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
export const jsonHeaders = { ...commonHeaders, 'content-type': 'application/json' };

/**
 * Builds a response with JSON.
 * @typeParam Answer type of the body, from the resource's shape.ts; if it is omitted, the compiler accepts no body
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- every caller must name the shape
export function jsonResponse<Answer = never>(
  statusCode: number,
  body: NoInfer<Answer>,
  headers: Record<string, string> = {},
): HttpResponse {
  return {
    statusCode,
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(body),
  };
}

/** Returns the headers with the request's id, in the names that the SDKs of Anthropic and OpenAI read. */
export function requestIdHeaders(id: string): Record<string, string> {
  return { 'request-id': id, 'x-request-id': id };
}

/** Builds a redirect to another URL. */
export function redirectResponse(location: string): HttpResponse {
  return { statusCode: 302, headers: { ...commonHeaders, location }, body: '' };
}

/** Builds a response with a page and its Content-Security-Policy. */
export function htmlResponse(body: string, policy: string): HttpResponse {
  return {
    statusCode: 200,
    headers: {
      ...commonHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
    },
    body,
  };
}

/** Builds a response with a script. It changes only with a deployment, so browsers may cache it for an hour. */
export function scriptResponse(body: string): HttpResponse {
  return {
    statusCode: 200,
    headers: {
      ...commonHeaders,
      'cache-control': 'public, max-age=3600',
      'content-type': 'text/javascript; charset=utf-8',
    },
    body,
  };
}

/**
 * Returns a 304 if the browser already has the file.
 * @param file file with its entity tag (ETag), which is weak because the file may be compressed
 */
export function fileResponse(
  { text, type, tag }: { text: string; type: string; tag: string },
  { headers }: Pick<HttpRequest, 'headers'>,
): HttpResponse {
  const validators = { ...commonHeaders, 'cache-control': 'no-cache', etag: tag };
  if (headers['if-none-match'] === tag) return { statusCode: 304, headers: validators, body: '' };
  return { statusCode: 200, headers: { ...validators, 'content-type': `${type}; charset=utf-8` }, body: text };
}

/** Builds a response with Markdown, which most browsers show as plain text. */
export function markdownResponse(body: string): HttpResponse {
  return { statusCode: 200, headers: { ...commonHeaders, 'content-type': 'text/markdown; charset=utf-8' }, body };
}

export function streamResponse(body: AnswerStream, headers: Record<string, string> = {}): HttpResponse {
  return {
    statusCode: 200,
    headers: { ...commonHeaders, 'content-type': 'text/event-stream; charset=utf-8', ...headers },
    body,
  };
}

/** Further members of an error's body, for clients of an API whose errors have another form. */
export type ErrorMembers = (error: GatewayError) => object;

/**
 * Builds the response for an error.
 * @param more further members of the body, for clients of an API whose errors have another form
 */
export function errorResponse(error: GatewayError, requestId: string, more?: object): HttpResponse {
  return {
    statusCode: error.status,
    headers: { ...jsonHeaders, ...error.headers },
    body: errorJson(error, requestId, more),
  };
}
