import type { APIGatewayProxyEvent } from 'aws-lambda';
import { normaliseRequest } from '../../http/request.ts';
import { errorResponse, type HttpResponse } from '../../http/response.ts';
import { isThere, unknownRoute } from '../../http/unknown-route.ts';
import { log } from '../../platform/logger.ts';

/**
 * Answers what no route takes. API Gateway itself would read the key of such a request as an AWS signature, refuse it with
 * 403 for that, and repeat the key in its answer. Nobody is looked up here, and no body is read.
 */
export async function handler(event: APIGatewayProxyEvent): Promise<HttpResponse> {
  const { id, method, path } = normaliseRequest(event);
  const response =
    method === 'HEAD' && isThere(path)
      ? { statusCode: 200, headers: { 'cache-control': 'no-store' }, body: '' }
      : errorResponse(unknownRoute(method, path), id);
  log('info', 'request', { route: 'unknown-route', requestId: id, status: response.statusCode });
  return Promise.resolve({ ...response, headers: { ...response.headers, 'request-id': id } });
}
