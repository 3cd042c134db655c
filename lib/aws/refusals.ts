/**
 * API Gateway's own refusals in the gateway's envelope. Templates only substitute variables, and the status is not one
 * of them: so each kind of refusal is listed here with its status, and `code` says the same. Kinds that AWS may add keep
 * the status that AWS gives them, with the first code of their class. None can carry an `x-generation-id`: no code of
 * ours runs that could make one.
 */

import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { errorKinds, type ErrorKind } from '../../lambdas/platform/errors.ts';
import { NO_ROOM, TOO_LARGE, TOO_MANY_REQUESTS, TOO_SLOW, UNREADABLE_BODY } from '../shared/door-refusals.ts';

interface ApiGatewayRefusal {
  type: ResponseType;
  kind: ErrorKind;
  /** Where it is not that of the kind. AWS_STATUS: the one that AWS gives it. */
  status?: typeof AWS_STATUS;
  /** When to try again. */
  retryAfterSeconds?: number;
  /**
   * A text of our own, quoted as JSON. Never `$context.error.messageString`: API Gateway repeats the `authorization` that it
   * could not read in it, a caller's key.
   */
  message: string;
}

/** A status set for these would apply to every other kind, too. */
const AWS_STATUS = 'as AWS gives it';

const NO_SUCH_ROUTE = '"There is no such path or method. GET /v1/models is a good place to start."';
const MALFORMED = '"The front door of this API cannot read the request. Check its address, headers and body."';
const MISCONFIGURED = '"The API is not set up as it should be. Tell its operator the request_id."';
const KEPT_OUT = '"The front door of this API does not let the request in. Ask its operator, with the request_id."';

const unknownRoute = (type: ResponseType): ApiGatewayRefusal => ({ type, kind: 'not_found', message: NO_SUCH_ROUTE });
const keptOut = (type: ResponseType): ApiGatewayRefusal => ({ type, kind: 'permission_denied', message: KEPT_OUT });
const malformed = (type: ResponseType): ApiGatewayRefusal => ({ type, kind: 'invalid_request', message: MALFORMED });
const misconfigured = (type: ResponseType): ApiGatewayRefusal => ({ type, kind: 'server', message: MISCONFIGURED });

const refusals: Record<string, ApiGatewayRefusal> = {
  // API Gateway reports an unknown path or method as a missing token.
  UnknownRoute: unknownRoute(ResponseType.MISSING_AUTHENTICATION_TOKEN),
  // No route takes AWS signatures: `authorization` is read as one only on an unknown path or method.
  UnknownRouteSigned: unknownRoute(ResponseType.INVALID_SIGNATURE),
  UnknownRouteExpired: unknownRoute(ResponseType.EXPIRED_TOKEN),
  UnknownResource: unknownRoute(ResponseType.RESOURCE_NOT_FOUND),
  Unauthorized: { type: ResponseType.UNAUTHORIZED, kind: 'authentication', message: KEPT_OUT },
  AccessDenied: keptOut(ResponseType.ACCESS_DENIED),
  Filtered: keptOut(ResponseType.WAF_FILTERED),
  InvalidApiKey: keptOut(ResponseType.INVALID_API_KEY),
  MalformedParameters: malformed(ResponseType.BAD_REQUEST_PARAMETERS),
  MalformedBody: malformed(ResponseType.BAD_REQUEST_BODY),
  UnsupportedMediaType: {
    type: ResponseType.UNSUPPORTED_MEDIA_TYPE,
    kind: UNREADABLE_BODY.kind,
    message: JSON.stringify(UNREADABLE_BODY.text),
  },
  QuotaExceeded: {
    type: ResponseType.QUOTA_EXCEEDED,
    kind: 'rate_limit_exceeded',
    message: '"The quota of this API is used up. Ask its operator."',
  },
  Throttled: {
    type: ResponseType.THROTTLED,
    kind: TOO_MANY_REQUESTS.kind,
    retryAfterSeconds: TOO_MANY_REQUESTS.retryAfterSeconds,
    message: JSON.stringify(TOO_MANY_REQUESTS.text),
  },
  TooLarge: {
    type: ResponseType.REQUEST_TOO_LARGE,
    kind: TOO_LARGE.kind,
    message: JSON.stringify(TOO_LARGE.text),
  },
  FunctionFailed: {
    // Also where Lambda has no room for another request: its own throttling looks the same here.
    type: ResponseType.INTEGRATION_FAILURE,
    kind: NO_ROOM.kind,
    retryAfterSeconds: NO_ROOM.retryAfterSeconds,
    message: JSON.stringify(NO_ROOM.text),
  },
  FunctionTimedOut: {
    type: ResponseType.INTEGRATION_TIMEOUT,
    kind: TOO_SLOW.kind,
    message: JSON.stringify(TOO_SLOW.text),
  },
  Misconfigured: misconfigured(ResponseType.API_CONFIGURATION_ERROR),
  AuthorizerFailed: misconfigured(ResponseType.AUTHORIZER_FAILURE),
  AuthorizerMisconfigured: misconfigured(ResponseType.AUTHORIZER_CONFIGURATION_ERROR),
  OtherRefusal: {
    type: ResponseType.DEFAULT_4XX,
    kind: 'invalid_request',
    status: AWS_STATUS,
    message: '"The front door of this API refuses the request. GET /v1/docs describes what there is."',
  },
  OtherFailure: {
    type: ResponseType.DEFAULT_5XX,
    kind: 'server',
    status: AWS_STATUS,
    message: '"The front door of this API has failed. Try again."',
  },
};

/**
 * @param corsOrigins as the gateway's settings have them: a template cannot choose among several, so pages get these
 *   refusals only where there is one, or all are allowed
 */
export function addRefusals(api: RestApi, corsOrigins: string): void {
  const isOne = corsOrigins !== '' && !corsOrigins.includes(',');
  const cors: Record<string, string> = isOne ? { 'access-control-allow-origin': `'${corsOrigins}'` } : {};

  for (const [id, { type, kind, status: own, retryAfterSeconds, message }] of Object.entries(refusals)) {
    const { status: code, messagesType } = errorKinds[kind];
    const wait: Record<string, string> = retryAfterSeconds ? { 'retry-after': `'${retryAfterSeconds}'` } : {};
    api.addGatewayResponse(id, {
      type,
      ...(own === AWS_STATUS ? {} : { statusCode: String(code) }),
      responseHeaders: {
        'content-type': "'application/json'",
        'request-id': 'context.requestId',
        'x-request-id': 'context.requestId',
        ...wait,
        ...cors,
      },
      templates: {
        'application/json':
          `{"type":"error","error":{"type":"${messagesType}","code":${code},"message":${message},` +
          `"param":null,"metadata":{"error_type":"${kind}"}},"request_id":"$context.requestId"}`,
      },
    });
  }
}
