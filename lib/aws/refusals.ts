/**
 * Error responses of API Gateway itself, in the gateway's error format. The template of a response can insert only
 * variables, and no variable contains the status, so each kind has a constant `code`. For response types that are not
 * listed, the status may differ from `code`, which is then 400 or 500.
 */

import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { errorKinds, type ErrorKind } from '../../lambdas/platform/errors.ts';
import { NO_ROOM, TOO_LARGE, TOO_MANY_REQUESTS, TOO_SLOW, UNREADABLE_BODY } from '../shared/entry-point-refusals.ts';

interface ApiGatewayRefusal {
  type: ResponseType;
  kind: ErrorKind;
  /** If absent: the status of its `kind`. AWS_STATUS: the status that AWS chooses. */
  status?: typeof AWS_STATUS;
  retryAfterSeconds?: number;
  /**
   * Constant text, quoted as JSON. Never use `$context.error.messageString`: it may contain an invalid `authorization`
   * header, and with it a caller's key.
   */
  message: string;
}

/** Leaves the status to AWS. A status for a default type would apply to every response type that is not listed. */
const AWS_STATUS = 'as AWS gives it';

const NO_SUCH_ROUTE = '"There is no such path or method. GET /v1/docs describes every route of the gateway."';
const MALFORMED = '"The API cannot read the request. Check its address, headers and body."';
const MISCONFIGURED = '"The API is misconfigured. Report the request_id to its operator."';
const KEPT_OUT = '"The request was blocked before it reached the API. Contact its operator with the request_id."';

const unknownRoute = (type: ResponseType): ApiGatewayRefusal => ({ type, kind: 'not_found', message: NO_SUCH_ROUTE });
const keptOut = (type: ResponseType): ApiGatewayRefusal => ({ type, kind: 'permission_denied', message: KEPT_OUT });
const malformed = (type: ResponseType): ApiGatewayRefusal => ({ type, kind: 'invalid_request', message: MALFORMED });
const misconfigured = (type: ResponseType): ApiGatewayRefusal => ({ type, kind: 'server', message: MISCONFIGURED });

const refusals: Record<string, ApiGatewayRefusal> = {
  // API Gateway reports an unknown path or method as a missing authentication token.
  UnknownRoute: unknownRoute(ResponseType.MISSING_AUTHENTICATION_TOKEN),
  // No route accepts AWS signatures. API Gateway parses `authorization` as an AWS signature only if the path or method
  // is unknown.
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
    message: '"The quota of this API is used up. Contact its operator."',
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
    // API Gateway does not distinguish throttling by Lambda from a failed function.
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
    message: '"The API cannot accept the request. GET /v1/docs describes its routes."',
  },
  OtherFailure: {
    type: ResponseType.DEFAULT_5XX,
    kind: 'server',
    status: AWS_STATUS,
    message: '"The API failed before it could handle the request. Try again."',
  },
};

/**
 * Adds the errors of API Gateway to the API.
 * @param corsOrigins if this is several origins, pages cannot read these errors, because a template cannot choose
 *   between origins
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
