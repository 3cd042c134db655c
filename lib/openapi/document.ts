import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { z } from 'zod';
import { errorKinds, kindOfStatus, type ErrorKind } from '../../lambdas/platform/errors.ts';
import type { Credential, Route } from '../../lambdas/route.ts';
import { routes, type RouteName } from '../../lambdas/routes.ts';
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
      ...Object.fromEntries(errorsOf(name, route).map((kind) => componentOf(kind))),
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

/** Which kinds of errors a route can answer with: what the manifest implies, and what its operation adds. */
export function errorsOf(name: RouteName, route: Route): ErrorKind[] {
  const { request = {}, errors = [], headers = [] } = operations[name];
  const all = new Set<ErrorKind>([...errors, 'server']);
  if (route.credential !== 'none') all.add('authentication');
  if (route.credential === 'inference' || route.credential === 'management') all.add('permission_denied');
  if (request.query || request.body || request.params || headers.length > 0) all.add('invalid_request');
  if (request.body) all.add('payload_too_large').add('unsupported_media_type');
  // The gateway as a whole: throttled, or busy recording spending.
  all.add('rate_limit_exceeded');
  if (route.grants.table?.includes('UpdateItem')) all.add('provider_overloaded');
  return [...all].toSorted((a, b) => errorKinds[a].status - errorKinds[b].status);
}

/** One component a status, which every route that can answer with it refers to. */
const errorComponents = new Map(
  Object.values(errorKinds).map(({ status }) => [status, errorComponent(kindOfStatus(status)!)]),
);

function componentOf(kind: ErrorKind) {
  const { status } = errorKinds[kind];
  return [String(status), errorComponents.get(status)] as const;
}

function errorComponent(kind: ErrorKind) {
  const { status, messagesType, text } = errorKinds[kind];
  return {
    id: `Error${status}`,
    description: text,
    content: {
      'application/json': {
        schema: errorShape,
        example: {
          type: 'error',
          error: {
            type: messagesType,
            code: status,
            message: text,
            metadata: { error_type: kind, ...(kind === 'invalid_request' ? { field: 'name' } : {}) },
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
