import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { z } from 'zod';
import { messagesErrorType } from '../../lambdas/platform/errors.ts';
import { routes, type Credential, type Route, type RouteName } from '../../lambdas/routes.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations/all.ts';
import { errorShape } from './shapes.ts';

/** The OpenAPI document of the gateway, made of the manifest, the schemas that requests are parsed with, and operations. */
export function buildDocument(): Record<string, unknown> {
  const paths: ZodOpenApiPathsObject = {};
  for (const [name, route] of Object.entries<Route>(routes)) {
    for (const [index, path] of route.paths.entries()) {
      const operation = operationOf(name as RouteName, route, index);
      const template = path.replace('+}', '}');
      paths[template] = { ...paths[template], [route.method.toLowerCase()]: operation };
    }
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Model gateway',
      version: '1',
      description:
        'One API in front of many AI model providers, billed in roubles. Send a key as `Authorization: Bearer <key>` or `x-api-key: <key>`; every answer carries `request-id`.',
    },
    servers: [{ url: '/v1' }],
    tags: [...new Set(Object.values(operations).map(({ tag }) => tag))].map((name) => ({ name })),
    components: { securitySchemes },
    paths,
  }) as unknown as Record<string, unknown>;
}

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An inference key (sk-mg-v1-…) or management key (mk-mg-v1-…).',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same, as clients of the Messages API send it.',
  },
} as const;

const credentialNote: Record<Credential, string> = {
  inference: 'Takes an inference key.',
  management: 'Takes a management key.',
  any: 'Takes an inference key or a management key.',
  none: 'Public.',
};

function operationOf(name: RouteName, route: Route, pathIndex: number): ZodOpenApiOperationObject {
  const operation = operations[name];
  const { request = {}, success } = operation;
  const isHtml = success.content?.['text/html'] !== undefined;
  return {
    operationId: pathIndex === 0 ? name : `${name}-${pathIndex + 1}`,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, credentialNote[route.credential]].filter(Boolean).join(' '),
    security: route.credential === 'none' ? [] : [{ bearer: [] }, { apiKey: [] }],
    ...requestParams(operation),
    ...(request.body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: request.body,
                ...(operation.bodyExample === undefined ? {} : { example: operation.bodyExample }),
              },
            },
          },
        }
      : {}),
    responses: {
      [`${success.status}`]: {
        description: success.description,
        headers: responseHeaders(route, operation),
        content: {
          ...(isHtml
            ? {}
            : {
                'application/json': {
                  schema: success.schema,
                  ...(success.example === undefined ? {} : { example: success.example }),
                },
              }),
          ...success.content,
        },
      },
      ...Object.fromEntries(refusalsOf(name, route).map((status) => [String(status), refusalComponents.get(status)])),
    },
  } as ZodOpenApiOperationObject;
}

function requestParams({ request = {}, headers = [] }: Operation) {
  const { params, query } = request;
  const header = Object.fromEntries(headers.map((name) => [name, headerParameters[name]]));
  const given = {
    ...(params ? { path: params } : {}),
    ...(query ? { query } : {}),
    ...(headers.length > 0 ? { header: z.object(header) } : {}),
  };
  return Object.keys(given).length > 0 ? { requestParams: given } : {};
}

const headerParameters = {
  'If-Match': z
    .string()
    .optional()
    .meta({ description: 'The ETag that was read: when the configuration has changed since, 412.', example: '"3"' }),
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'For 24 hours the same key and body get the same answer, without a second effect.' }),
};

function responseHeaders(route: Route, operation: Operation) {
  return {
    'request-id': textHeader('What to tell the operator when something is wrong.'),
    ...(route.inference ? { 'x-generation-id': textHeader('Argument of GET /generation.') } : {}),
    ...(operation.etag ? { etag: textHeader('Version of the configuration, for If-Match.') } : {}),
  };
}

/** Which refusals a route can answer with: what the manifest implies, and what its operation adds. */
export function refusalsOf(name: RouteName, route: Route): number[] {
  const { request = {}, refusals = [], headers = [] } = operations[name];
  const statuses = new Set<number>([...refusals, 500]);
  if (route.credential !== 'none') statuses.add(401);
  if (route.credential === 'inference' || route.credential === 'management') statuses.add(403);
  if (request.query || request.body || request.params || headers.length > 0) statuses.add(400);
  if (request.body) for (const status of [413, 415]) statuses.add(status);
  // The gateway as a whole: throttled, or busy recording spending.
  statuses.add(429);
  if (route.grants.table?.includes('UpdateItem')) statuses.add(529);
  return [...statuses].toSorted((a, b) => a - b);
}

const refusalTexts: Record<number, [errorType: string, text: string]> = {
  400: ['invalid_request', 'Something in the request is wrong; `metadata.field` names it.'],
  401: ['authentication', 'No key, or one that is unknown, disabled, expired or deleted.'],
  402: ['payment_required', 'No money left in a limit, a budget or the balance; `metadata` says which and how much.'],
  403: ['permission_denied', 'The other kind of key is needed.'],
  404: ['not_found', 'It does not exist, or is not yours.'],
  408: ['timeout', 'The provider took too long.'],
  409: ['conflict', 'It conflicts with what is there.'],
  412: ['precondition_failed', 'It was changed since it was read.'],
  413: ['payload_too_large', 'The body is larger than 6 MB.'],
  415: ['unsupported_media_type', 'The body is not sent as JSON.'],
  429: ['rate_limit_exceeded', 'Too many requests.'],
  500: ['server', 'Something went wrong inside the gateway.'],
  502: ['provider_unavailable', 'The provider failed.'],
  503: ['provider_unavailable', 'No provider can answer now.'],
  504: ['timeout', 'The provider took too long.'],
  529: ['provider_overloaded', 'The provider or the gateway is overloaded.'],
};

/** One component a status, which every route that can answer with it refers to. */
const refusalComponents = new Map(Object.keys(refusalTexts).map((status) => [Number(status), refusal(Number(status))]));

function refusal(status: number) {
  const [errorType, text] = refusalTexts[status]!;
  return {
    id: `Error${status}`,
    description: text,
    content: {
      'application/json': {
        schema: errorShape,
        example: {
          type: 'error',
          error: {
            type: messagesErrorType(status),
            code: status,
            message: text,
            metadata: { error_type: errorType, ...(status === 400 ? { field: 'name' } : {}) },
          },
          request_id: 'req_0123456789abcdef0123456789abcdef',
        },
      },
    },
  };
}

function textHeader(description: string) {
  return { description, schema: { type: 'string' as const } };
}
