import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { isCompressed, isForm } from '../http/request.ts';
import { nowMs } from '../platform/clock.ts';
import type { Origin } from './origin.ts';
import type { RequestTarget } from './request-target.ts';
import type { RouteMatch } from './routing-table.ts';

/** A request as received, without its body. */
export interface Arrival {
  request: IncomingMessage;
  target: RequestTarget;
  origin: Origin;
}

/** A body as in Lambda's events: text, or base64 if it is compressed, a form, or not UTF-8. */
interface ReceivedBody {
  text: string;
  isBase64: boolean;
}

export function receivedBody({ headers }: IncomingMessage, bytes: Buffer): ReceivedBody {
  const isBinary = isCompressed(headers['content-encoding']) || isForm(headers['content-type']);
  const isBase64 = isBinary || !isUtf8(bytes);
  return { text: bytes.toString(isBase64 ? 'base64' : 'utf8'), isBase64 };
}

/** Converts a request to an event of API Gateway's REST API (payload format 1.0). */
export function toRestEvent(
  { request, target, origin }: Arrival,
  match: { route: { path: string }; pathParameters: RouteMatch['pathParameters'] },
  body: ReceivedBody,
): APIGatewayProxyEvent {
  const single = byName<string>();
  const multiple = byName<string[]>();
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]!;
    const value = request.rawHeaders[index + 1]!;
    single[name] = value;
    (multiple[name] ??= []).push(value);
  }
  single['X-Forwarded-Proto'] = origin.protocol;
  const query = byName<string>();
  const multipleQuery = byName<string[]>();
  for (const [name, value] of new URLSearchParams(target.query)) {
    query[name] = value;
    (multipleQuery[name] ??= []).push(value);
  }
  const hasQuery = target.query !== '';
  return {
    resource: match.route.path,
    path: target.path.slice('/v1'.length),
    httpMethod: request.method!,
    headers: single,
    multiValueHeaders: multiple,
    queryStringParameters: hasQuery ? query : null,
    multiValueQueryStringParameters: hasQuery ? multipleQuery : null,
    pathParameters: match.pathParameters,
    stageVariables: null,
    requestContext: {
      requestId: randomUUID(),
      stage: 'v1',
      domainName: origin.domain,
      path: target.path,
      httpMethod: request.method!,
      resourcePath: match.route.path,
      protocol: 'HTTP/1.1',
      identity: { sourceIp: origin.clientAddress },
    } as APIGatewayProxyEvent['requestContext'],
    body: body.text === '' ? null : body.text,
    isBase64Encoded: body.isBase64,
  };
}

/** Converts a request to an event of a function URL (payload format 2.0). */
export function toUrlEvent({ request, target, origin }: Arrival, body: ReceivedBody): APIGatewayProxyEventV2 {
  const headers = byName<string>();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: target.path,
    rawQueryString: target.query,
    headers,
    requestContext: {
      requestId: randomUUID(),
      stage: '$default',
      domainName: origin.domain,
      time: new Date(nowMs()).toISOString(),
      timeEpoch: nowMs(),
      routeKey: '$default',
      accountId: 'anonymous',
      apiId: 'local',
      domainPrefix: 'local',
      http: {
        method: request.method!,
        path: target.path,
        protocol: 'HTTP/1.1',
        sourceIp: origin.clientAddress,
        userAgent: request.headers['user-agent'] ?? '',
      },
    },
    isBase64Encoded: body.isBase64,
    ...(body.text === '' ? {} : { body: body.text }),
  };
}

/** Returns an object without inherited properties, because a client may name a header `constructor`. */
function byName<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}
