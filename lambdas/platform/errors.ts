/**
 * Refusals that a client sees. One envelope serves both families of clients: those of the Messages API read
 * `error.type`, those of the OpenRouter convention read `error.code` and `error.metadata.error_type`.
 */
export type ErrorType =
  | 'invalid_request'
  | 'context_length_exceeded'
  | 'authentication'
  | 'payment_required'
  | 'permission_denied'
  | 'not_found'
  | 'conflict'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limit_exceeded'
  | 'server'
  | 'provider_unavailable'
  | 'provider_overloaded'
  | 'timeout';

export class GatewayError extends Error {
  override name = 'GatewayError';
  readonly status: number;
  readonly errorType: ErrorType;
  readonly metadata: Record<string, unknown>;
  readonly headers: Record<string, string>;
  /** What clients of the Messages API read in `error.details`. */
  readonly details: Record<string, unknown> | undefined;

  constructor(
    status: number,
    errorType: ErrorType,
    message: string,
    more: {
      metadata?: Record<string, unknown>;
      headers?: Record<string, string>;
      details?: Record<string, unknown> | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.status = status;
    this.errorType = errorType;
    this.metadata = more.metadata ?? {};
    this.headers = more.headers ?? {};
    this.details = more.details;
  }
}

export function invalidRequest(
  field: string,
  message: string,
  metadata: Record<string, unknown> = {},
  details?: Record<string, unknown>,
): GatewayError {
  return new GatewayError(400, 'invalid_request', `${field}: ${message}`, {
    metadata: { field, ...metadata },
    details,
  });
}

export function notFound(message: string, metadata: Record<string, unknown> = {}): GatewayError {
  return new GatewayError(404, 'not_found', message, { metadata });
}

export function conflict(message: string, metadata: Record<string, unknown> = {}): GatewayError {
  return new GatewayError(409, 'conflict', message, { metadata });
}

export function unauthenticated(message: string): GatewayError {
  return new GatewayError(401, 'authentication', message);
}

export function forbidden(message: string): GatewayError {
  return new GatewayError(403, 'permission_denied', message);
}

/** `error.type` of the Messages API for a status. */
export function messagesErrorType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
      return 'billing_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 409:
      return 'conflict_error';
    case 413:
      return 'request_too_large';
    case 429:
      return 'rate_limit_error';
    case 408:
    case 504:
      return 'timeout_error';
    case 503:
    case 529:
      return 'overloaded_error';
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}

export interface ErrorEnvelope {
  type: 'error';
  error: {
    type: string;
    code: number;
    message: string;
    details?: Record<string, unknown> | undefined;
    metadata: Record<string, unknown>;
  };
  request_id: string;
}

export function errorEnvelope(error: GatewayError, requestId: string): ErrorEnvelope {
  return {
    type: 'error',
    error: {
      type: messagesErrorType(error.status),
      code: error.status,
      message: error.message,
      details: error.details,
      metadata: { error_type: error.errorType, ...error.metadata },
    },
    request_id: requestId,
  };
}

/** What the client is told about an error that is not one of ours: nothing but the id to ask about. */
export function internalError(cause: unknown): GatewayError {
  return new GatewayError(
    500,
    'server',
    'Something went wrong inside the gateway. Try again, and tell its operator the request_id if it stays.',
    { cause },
  );
}

/** The error itself when it is a refusal, a busy store as 529, everything else as a masked 500. */
export function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof Error && error.name === 'StoreBusyError') {
    return new GatewayError(
      529,
      'provider_overloaded',
      'The gateway is busy recording spending. Try again in a second.',
      {
        headers: { 'retry-after': '1' },
        cause: error,
      },
    );
  }
  return internalError(error);
}
