import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { normaliseRequest, type HttpRequest } from '../../http/request.ts';
import { errorResponse, redirectResponse, requestIdHeaders, type HttpResponse } from '../../http/response.ts';
import { corsHeaders, preflight } from '../../http/cors.ts';
import { isThere, methodsAt, unknownRoute } from '../../http/unknown-route.ts';
import { log } from '../../platform/logger.ts';

/**
 * Handles requests that match no route. Without this function, API Gateway would parse the API key as an AWS signature,
 * and repeat it in its 403 response.
 */
// oxlint-disable-next-line typescript/require-await -- a fault is a rejection, as in every other function
export async function handler(
  event: APIGatewayProxyEvent,
  { awsRequestId }: Partial<Context> = {},
): Promise<HttpResponse> {
  const request = normaliseRequest(event);
  const { id, method, path } = request;
  const isLook = method === 'HEAD' && isThere(path);
  const response =
    (isLook ? { statusCode: 200, headers: { 'cache-control': 'no-store' }, body: '' } : undefined) ??
    preflight(request, methodsAt(path)) ??
    (isReader(request) ? redirectResponse(`${request.baseUrl}/docs`) : undefined) ??
    errorResponse(unknownRoute(request), id);
  log('info', 'request', { route: 'unknown-route', requestId: id, awsRequestId, status: response.statusCode });
  return { ...response, headers: { ...response.headers, ...corsHeaders(request), ...requestIdHeaders(id) } };
}

/** Whether a browser requests the base URL. It is then redirected to the documentation. */
function isReader({ method, path, headers }: HttpRequest): boolean {
  return method === 'GET' && ['', '/'].includes(path) && (headers['accept'] ?? '').includes('text/html');
}
