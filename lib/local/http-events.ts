import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import type { RequestTarget } from './request-target.ts';
import type { RouteMatch } from './routing-table.ts';

/** HTTP as a REST API hands it to a function (payload format 1.0). */
export function toRestEvent(
  request: IncomingMessage,
  target: RequestTarget,
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
  single['X-Forwarded-Proto'] = 'http';
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
      domainName: domainOf(request),
      path: target.path,
      httpMethod: request.method!,
      resourcePath: match.route.path,
      protocol: 'HTTP/1.1',
      identity: { sourceIp: request.socket.remoteAddress ?? '127.0.0.1' },
    } as APIGatewayProxyEvent['requestContext'],
    body: body === '' ? null : body,
    isBase64Encoded: false,
  };
}

/** HTTP as a function URL hands it to its function (payload format 2.0). */
export function toUrlEvent(request: IncomingMessage, target: RequestTarget, body: string): APIGatewayProxyEventV2 {
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
      domainName: domainOf(request),
      time: new Date().toISOString(),
      timeEpoch: Date.now(),
      routeKey: '$default',
      accountId: 'anonymous',
      apiId: 'local',
      domainPrefix: 'local',
      http: {
        method: request.method!,
        path: target.path,
        protocol: 'HTTP/1.1',
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
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

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/**
 * Where the gateway is reached, as API Gateway fills it in: never what a client merely says. Addresses for others are made of
 * it, such as the one that a provider of videos is told for its notices.
 */
function domainOf({ headers: { host = '' }, socket }: IncomingMessage): string {
  return LOOPBACK.test(host) ? host : `${socket.localAddress ?? '127.0.0.1'}:${socket.localPort}`;
}
