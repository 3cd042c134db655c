import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { messagesErrorType, type ErrorType } from '../../lambdas/platform/errors.ts';

/**
 * API Gateway's own refusals in the gateway's envelope. Templates substitute variables and nothing else; a status that
 * depends on the refusal is left to API Gateway.
 */
interface Refusal {
  type: ResponseType;
  status: number | undefined;
  errorType: ErrorType;
  /** JSON: a quoted text, or a variable that brings its quotes along. */
  message: string;
}

const refusals: Record<string, Refusal> = {
  // What API Gateway calls a missing token is a path or method that it does not know.
  UnknownRoute: {
    type: ResponseType.MISSING_AUTHENTICATION_TOKEN,
    status: 404,
    errorType: 'not_found',
    message: '"There is no such path or method. GET /v1/models is a good place to start."',
  },
  Throttled: {
    type: ResponseType.THROTTLED,
    status: 429,
    errorType: 'rate_limit_exceeded',
    message: '"The gateway as a whole gets too many requests. Try again in a second."',
  },
  TooLarge: {
    type: ResponseType.REQUEST_TOO_LARGE,
    status: 413,
    errorType: 'payload_too_large',
    message: '"The request is too large. Send images and documents by URL."',
  },
  FunctionFailed: {
    type: ResponseType.INTEGRATION_FAILURE,
    status: 502,
    errorType: 'server',
    message: '"The function behind this route failed. Try again."',
  },
  FunctionTimedOut: {
    type: ResponseType.INTEGRATION_TIMEOUT,
    status: 504,
    errorType: 'timeout',
    message: '"The function behind this route took too long. Try again."',
  },
  OtherRefusal: {
    type: ResponseType.DEFAULT_4XX,
    status: undefined,
    errorType: 'invalid_request',
    message: '$context.error.messageString',
  },
  OtherFailure: {
    type: ResponseType.DEFAULT_5XX,
    status: undefined,
    errorType: 'server',
    message: '$context.error.messageString',
  },
};

export function addRefusals(api: RestApi): void {
  for (const [id, refusal] of Object.entries(refusals)) {
    const status = refusal.status ?? (refusal.type === ResponseType.DEFAULT_5XX ? 500 : 400);
    api.addGatewayResponse(id, {
      type: refusal.type,
      ...(refusal.status === undefined ? {} : { statusCode: String(refusal.status) }),
      responseHeaders: { 'content-type': "'application/json'", 'request-id': 'context.requestId' },
      templates: {
        'application/json':
          `{"type":"error","error":{"type":"${messagesErrorType(status)}","code":${status},"message":${refusal.message},` +
          `"metadata":{"error_type":"${refusal.errorType}"}},"request_id":"$context.requestId"}`,
      },
    });
  }
}
