import { isUtf8 } from 'node:buffer';
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { newRequestId } from '../platform/ids.ts';
import { withoutUndefined } from '../platform/json/records.ts';
import { percentDecoded } from '../platform/fetch/percent-decoding.ts';

/** Proxy event of a REST API (1.0), and event of a function URL (2.0). */
export type HttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2;

export interface HttpRequest {
  id: string;
  method: string;
  /**
   * Path as the client wrote it: through API Gateway without the stage or base path, at a function URL the complete
   * path.
   */
  path: string;
  /** URL of the gateway, including the stage or base path. */
  readonly baseUrl: string;
  /** Whether a function URL was called, which does not check the method and path. */
  unrouted: boolean;
  /** Headers by their lower-case names. Repeated headers are joined by commas. */
  headers: Record<string, string>;
  /**
   * Query parameters by name. A repeated parameter has all values, joined by ",", so that no value is ignored. The
   * values of `tag` are joined by line breaks, because they may contain commas.
   */
  query: Record<string, string>;
  pathParameters: Record<string, string>;
  body: string;
  /** Received bytes of a compressed body or of a form. `body` is empty until they are read. */
  bodyBytes?: Buffer;
  /** Whether the received bytes are not UTF-8, so that letters of `body` are lost. API Gateway hides this. */
  isBroken?: boolean;
  /** IP address of the client, from AWS, a trusted proxy or the socket; never from the client's own headers. */
  clientAddress: string;
  /** performance.now() when the function received the request. */
  receivedAtMs: number;
}

export function normaliseRequest(event: HttpEvent): HttpRequest {
  const isUrlEvent = 'rawPath' in event;
  const headers = isUrlEvent ? lowerCase(event.headers) : restHeaders(event);
  return {
    id: newRequestId(),
    method: isUrlEvent ? event.requestContext.http.method : event.httpMethod,
    path: isUrlEvent ? event.rawPath : restPath(event),
    get baseUrl() {
      return isUrlEvent ? `https://${event.requestContext.domainName}/v1` : restBaseUrl(event);
    },
    unrouted: isUrlEvent,
    headers,
    query: isUrlEvent ? urlQuery(event.rawQueryString) : restQuery(event),
    pathParameters: decodedParameters(event.pathParameters ?? {}),
    ...receivedBytes(event, headers),
    clientAddress: (isUrlEvent ? event.requestContext.http.sourceIp : event.requestContext.identity?.sourceIp) ?? '',
    receivedAtMs: performance.now(),
  };
}

function receivedBytes(
  { body, isBase64Encoded }: HttpEvent,
  headers: Record<string, string>,
): Pick<HttpRequest, 'body' | 'bodyBytes' | 'isBroken'> {
  if (!isBase64Encoded) return { body: body ?? '' };
  const bytes = Buffer.from(body ?? '', 'base64');
  return isCompressed(headers['content-encoding']) || isForm(headers['content-type'])
    ? { body: '', bodyBytes: bytes }
    : decodedText(bytes);
}

/** Returns the text of a body. */
export function decodedText(bytes: Buffer): Pick<HttpRequest, 'body' | 'isBroken'> {
  return { body: bytes.toString('utf8'), ...(isUtf8(bytes) ? {} : { isBroken: true }) };
}

/** Whether a body is a form (`multipart/form-data`). */
export function isForm(contentType: string | undefined): boolean {
  return /^\s*multipart\/form-data\s*(;|$)/i.test(contentType ?? '');
}

/** Whether a `content-encoding` header names a compression. */
export function isCompressed(encoding: string | undefined): boolean {
  const name = encoding?.trim().toLowerCase() ?? '';
  return name !== '' && name !== 'identity';
}

/** Decodes path parameters. API Gateway passes them as the client wrote them: the `@` in an id may be `%40`. */
function decodedParameters(parameters: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(withoutUndefined(parameters)).map(([name, written]) => [name, percentDecoded(written)]),
  );
}

/**
 * Returns the path without its prefix, which is a base path or a stage. With the operator's own domain, both `path` and
 * the context's path start with the base path. With the API's default domain, only the context's path starts with the
 * stage.
 */
function restPath({ resource, path, pathParameters }: APIGatewayProxyEvent): string {
  if (resource === undefined) return path;
  const route = resource.replace(/\{(\w+)\+?\}/g, (_, name: string) => pathParameters?.[name] ?? '');
  // API Gateway's `resource` has no trailing slashes.
  const [bare, bareRoute] = [withoutEnd(path), withoutEnd(route)];
  return bare.endsWith(bareRoute) ? path.slice(bare.length - bareRoute.length) : path;
}

function withoutEnd(path: string): string {
  return path.replace(/\/+$/, '');
}

function restBaseUrl(event: APIGatewayProxyEvent): string {
  const { headers, requestContext } = event;
  const { host, 'x-forwarded-proto': protocol = 'https' } = lowerCase(headers ?? {});
  const [whole, path] = [withoutEnd(requestContext.path ?? ''), withoutEnd(restPath(event))];
  const prefix = requestContext.path && whole.endsWith(path) ? whole.slice(0, whole.length - path.length) : '/v1';
  return `${protocol}://${requestContext.domainName ?? host ?? ''}${prefix}`;
}

function restHeaders(event: APIGatewayProxyEvent): Record<string, string> {
  const headers = lowerCase(event.headers ?? {});
  for (const [name, values] of Object.entries(event.multiValueHeaders ?? {})) {
    if (values && values.length > 1) headers[name.toLowerCase()] = values.join(', ');
  }
  return headers;
}

function joined(name: string, values: readonly string[]): string {
  return values.join(name === 'tag' ? '\n' : ',');
}

function restQuery(event: APIGatewayProxyEvent): Record<string, string> {
  const query = withoutUndefined(event.queryStringParameters ?? {});
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (values) query[name] = joined(name, values);
  }
  return query;
}

const parameterValue = ([, value]: [string, string]) => value;

function urlQuery(text: string): Record<string, string> {
  const parameters = Map.groupBy(new URLSearchParams(text), ([name]) => name);
  return Object.fromEntries(
    Array.from(parameters, ([name, pairs]): [string, string] => [name, joined(name, pairs.map(parameterValue))]),
  );
}

function lowerCase(headers: Record<string, string | undefined>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) result[name.toLowerCase()] = value;
  return result;
}
