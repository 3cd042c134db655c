import { errorEnvelope, type GatewayError } from '../platform/errors.ts';
import type { Readable } from 'node:stream';
import type { AnswerStream } from './answer-stream.ts';

export interface HttpResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string | Readable;
}

const commonHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

export function jsonResponse(statusCode: number, body: unknown, headers: Record<string, string> = {}): HttpResponse {
  return {
    statusCode,
    headers: { ...commonHeaders, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}

/** A page that runs no script and loads nothing. */
export function htmlResponse(body: string): HttpResponse {
  return {
    statusCode: 200,
    headers: {
      ...commonHeaders,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
    body,
  };
}

export function streamResponse(body: AnswerStream, headers: Record<string, string> = {}): HttpResponse {
  return {
    statusCode: 200,
    headers: { ...commonHeaders, 'content-type': 'text/event-stream; charset=utf-8', ...headers },
    body,
  };
}

export function errorResponse(error: GatewayError, requestId: string): HttpResponse {
  return jsonResponse(error.status, errorEnvelope(error, requestId), error.headers);
}
