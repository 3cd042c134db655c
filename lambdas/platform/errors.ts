/**
 * Errors that clients get. Clients of the Messages API read `error.type`. Clients of OpenRouter's API read `error.code`
 * and `error.metadata.error_type`. Clients of OpenAI's APIs also read `error.param`.
 */

import { withMaskedKeys } from './keys-in-texts.ts';

interface ErrorSpec {
  status: number;
  /** `error.type` of the Messages API. */
  messagesType: string;
  /** Default of the header `retry-after`, in seconds; absent if the kind has no default. */
  retryAfterSeconds?: number;
}

/**
 * The name of the kind is the `error_type` that clients get. If several kinds have the same status or `error.type`, a
 * received error with this status or type belongs to the first of these kinds.
 */
export const errorKinds = {
  invalid_request: {
    status: 400,
    messagesType: 'invalid_request_error',
  },
  context_length_exceeded: {
    status: 400,
    messagesType: 'invalid_request_error',
  },
  authentication: {
    status: 401,
    messagesType: 'authentication_error',
  },
  payment_required: {
    status: 402,
    messagesType: 'billing_error',
  },
  permission_denied: { status: 403, messagesType: 'permission_error' },
  not_found: { status: 404, messagesType: 'not_found_error' },
  conflict: { status: 409, messagesType: 'conflict_error' },
  gone: { status: 410, messagesType: 'not_found_error' },
  precondition_failed: {
    status: 412,
    messagesType: 'invalid_request_error',
  },
  payload_too_large: {
    status: 413,
    messagesType: 'request_too_large',
  },
  unsupported_media_type: {
    status: 415,
    messagesType: 'invalid_request_error',
  },
  rate_limit_exceeded: {
    status: 429,
    messagesType: 'rate_limit_error',
  },
  server: { status: 500, messagesType: 'api_error' },
  provider_unavailable: { status: 502, messagesType: 'api_error' },
  timeout: { status: 504, messagesType: 'timeout_error' },
  provider_overloaded: {
    status: 529,
    messagesType: 'overloaded_error',
    retryAfterSeconds: 1,
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorKind = keyof typeof errorKinds;

const kindNames = Object.keys(errorKinds) as ErrorKind[];

export function kindOfStatus(status: number): ErrorKind | undefined {
  return kindNames.find((kind) => errorKinds[kind].status === status);
}

export function kindOfMessagesType(type: string): ErrorKind | undefined {
  return kindNames.find((kind) => errorKinds[kind].messagesType === type);
}

interface ErrorDetails {
  metadata?: Record<string, unknown>;
  headers?: Record<string, string>;
  details?: Record<string, unknown> | undefined;
  cause?: unknown;
  /** HTTP status, if it differs from the status of the kind. */
  status?: number;
}

export class GatewayError extends Error {
  override name = 'GatewayError';
  readonly kind: ErrorKind;
  readonly status: number;
  readonly metadata: Record<string, unknown>;
  readonly headers: Record<string, string>;
  readonly details: Record<string, unknown> | undefined;
  /** Name of the provider that failed. */
  readonly failedProvider: string | undefined = undefined;

  constructor(kind: ErrorKind, message: string, more: ErrorDetails = {}) {
    super(message, { cause: more.cause });
    this.kind = kind;
    this.status = more.status ?? errorKinds[kind].status;
    this.metadata = more.metadata ?? {};
    this.headers = { ...waitOf(kind), ...more.headers };
    this.details = more.details;
  }

  /** Sets the header that stops automatic retries. */
  discourageRetry(): this {
    this.headers['x-should-retry'] = 'false';
    return this;
  }

  /** Removes the header that `discourageRetry` sets. */
  leaveRetryToClient(): this {
    delete this.headers['x-should-retry'];
    return this;
  }
}

/** Status 409: an earlier request with the same `Idempotency-Key` is still being answered. */
export class BeingAnsweredError extends GatewayError {
  constructor(generationId: string) {
    super(
      'conflict',
      `The request with this Idempotency-Key is being answered as ${generationId}. Retry in a few seconds, or read its cost with GET /generation.`,
      {
        metadata: { field: 'idempotency-key', generation_id: generationId },
        headers: { 'retry-after': '2', 'x-should-retry': 'true' },
      },
    );
  }
}

/** Status 409: an earlier request with the same `Idempotency-Key` was charged. */
export class AlreadyChargedError extends GatewayError {
  constructor(message: string, metadata: Record<string, unknown>) {
    super('conflict', message, { metadata });
    this.discourageRetry();
  }
}

function waitOf(kind: ErrorKind): Record<string, string> {
  const { retryAfterSeconds }: ErrorSpec = errorKinds[kind];
  return retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
}

export function invalidRequest(
  field: string,
  message: string,
  metadata: Record<string, unknown> = {},
  details?: Record<string, unknown>,
): GatewayError {
  return new GatewayError('invalid_request', `${field}: ${message}`, {
    metadata: { field, ...metadata },
    details,
  });
}

/** Returns an error with status 529 for requests and answers that a stopping process refuses or aborts. */
export function gatewayStopping(): GatewayError {
  return new GatewayError('provider_overloaded', 'The gateway is stopping. Send the request again in a moment.');
}

/**
 * Returns an error with status 408 for a request whose client has disconnected. Only logs and records show this error.
 */
export function clientHasLeft(cause?: unknown): GatewayError {
  return new GatewayError('timeout', 'The client has disconnected.', { status: 408, cause });
}

/**
 * Returns whether the error came from a service that the gateway needs, such as its table, and is temporary. It may
 * come from AWS's SDK.
 */
function isPassing(error: unknown): boolean {
  if (error instanceof ServiceError) return error.isPassing;
  const { $metadata: answer, name = '' } = (error ?? {}) as { $metadata?: { httpStatusCode?: number }; name?: string };
  // Missing credentials are an error in the configuration, which a retry does not fix.
  if (!answer || name.endsWith('ProviderError')) return false;
  // An error without a status means that the service did not respond.
  const { httpStatusCode: status = 503 } = answer;
  return status >= 500 || status === 429;
}

/**
 * Returns an error with status 529. The message says that a change may have been made, because perhaps only the
 * response of the service was lost.
 */
function overloaded(cause?: unknown): GatewayError {
  return new GatewayError(
    'provider_overloaded',
    'The gateway is busy. Try again in a second. If the request was a change, the change may have been made.',
    { cause },
  );
}

export function notFound(message: string, metadata: Record<string, unknown> = {}): GatewayError {
  return new GatewayError('not_found', message, { metadata });
}

export function conflict(message: string, metadata: Record<string, unknown> = {}): GatewayError {
  return new GatewayError('conflict', message, { metadata });
}

export function unauthenticated(message: string): GatewayError {
  // Agents would otherwise retry, although the key stays invalid.
  return new GatewayError('authentication', message).discourageRetry();
}

export function forbidden(message: string): GatewayError {
  return new GatewayError('permission_denied', message);
}

export interface ErrorEnvelope {
  type: 'error';
  error: {
    type: string;
    code: number;
    message: string;
    /** Request field that caused the error. */
    param: string | null;
    details?: Record<string, unknown> | undefined;
    metadata: Record<string, unknown>;
  };
  request_id: string;
}

export function errorEnvelope(error: GatewayError, requestId: string): ErrorEnvelope {
  return {
    type: 'error',
    error: {
      type: errorKinds[error.kind].messagesType,
      code: error.status,
      message: error.message,
      param: (error.metadata['field'] as string | undefined) ?? null,
      details: error.details,
      metadata: { error_type: error.kind, ...error.metadata },
    },
    request_id: requestId,
  };
}

/**
 * Returns the body of an error response. Keys are masked: an error may repeat a key that a client sent as a name or in a
 * path, and clients log errors.
 * @param more further members of the body
 */
export function errorJson(error: GatewayError, requestId: string, more?: object): string {
  return withMaskedKeys(JSON.stringify({ ...errorEnvelope(error, requestId), ...more }));
}

/** Failure of a service that the gateway itself needs, for example its table. */
export abstract class ServiceError extends Error {
  /** Whether the service was busy, failed, or could not be reached at any attempt. */
  abstract readonly isPassing: boolean;
}

/**
 * Converts any error to an error for the client. A GatewayError stays unchanged. A temporary failure of a service that
 * the gateway needs becomes status 529. For any other error, the client gets only a general message and the request id.
 */
export function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (isPassing(error)) return overloaded(error);
  return new GatewayError(
    'server',
    'The gateway failed with an internal error. Try again. If the error continues, send the request_id to the operator of the gateway.',
    { cause: error },
  );
}
