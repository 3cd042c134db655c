import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { nowMs } from '../platform/clock.ts';
import type { Origin } from './origin.ts';
import type { RequestTarget } from './request-target.ts';
import type { RouteMatch } from './routing-table.ts';

/** A request as it has arrived, without its body. */
export interface Arrival {
  request: IncomingMessage;
  target: RequestTarget;
  origin: Origin;
}

/** HTTP as a REST API hands it to a function (payload format 1.0). */
export function toRestEvent(
  { request, target, origin }: Arrival,
  match: { route: { path: string }; pathParameters: RouteMatch['pathParameters'] },
  body: string,
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
    body: body === '' ? null : body,
    isBase64Encoded: false,
  };
}

/** HTTP as a function URL hands it to its function (payload format 2.0). */
export function toUrlEvent({ request, target, origin }: Arrival, body: string): APIGatewayProxyEventV2 {
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
    isBase64Encoded: false,
    ...(body === '' ? {} : { body }),
  };
}

/** Without the names that every object inherits: a client may call a header or a parameter `constructor`. */
function byName<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>;
}
