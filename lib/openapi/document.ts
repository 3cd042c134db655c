import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import * as z from 'zod';
import type { About, Success } from '../../lambdas/http/about.ts';
import { errorShape } from '../../lambdas/http/shapes.ts';
import { errorKinds, kindOfStatus, type ErrorKind } from '../../lambdas/platform/errors.ts';
import type { Credential, Route } from '../../lambdas/route.ts';
import { routes, type RouteName } from '../../lambdas/routes.ts';
import { installStreamingGlobal } from '../../lambdas/server/streaming-global.ts';
import { abouts } from './abouts.ts';
import { blockShapes, contentBlock } from './content-blocks.ts';
import { errorGuides, errorText } from './error-guides.ts';
import { introduction } from './introduction.ts';
import { wholeExample } from './whole-example.ts';

type Accepts = {
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  form?: unknown;
  once?: unknown;
};

interface Operation {
  route: Route;
  about: About;
  accepts: Accepts;
}

interface Document {
  components: { schemas: Record<string, object> };
}

/** Builds the OpenAPI document of all routes. */
export async function buildDocument(): Promise<Document> {
  installStreamingGlobal();
  const paths: ZodOpenApiPathsObject = {};
  const operations: (Operation & { name: string })[] = [];
  for (const [name, route] of Object.entries<Route>(routes)) {
    const { accepts = {} } = (await import(`../../lambdas/${route.entry}`)) as { accepts?: Accepts };
    operations.push({ name, route, accepts, about: abouts[name as RouteName] });
  }
  for (const { name, ...documented } of withSharedBodies(operations)) {
    const { route } = documented;
    for (const [index, path] of route.paths.entries()) {
      const operation = operationOf(index === 0 ? name : `${name}-${index + 1}`, documented);
      if (index > 0) operation.summary += `, by another path`;
      const template = path.replace('+}', '}');
      paths[template] = { ...paths[template], [route.method.toLowerCase()]: operation };
    }
  }
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Model gateway',
      version: '1',
      description: introduction,
    },
    servers: [{ url: '/v1' }],
    tags: [...new Set(Object.values(abouts).map(({ tag }) => tag))].map((name) => ({ name })),
    components: { securitySchemes, schemas: blockShapes },
    paths,
  }) as unknown as Document;
  document.components.schemas['ContentBlock'] = contentBlock;
  return withSharedShapes(document);
}

/**
 * Names each request body that occurs several times, so that the document contains it only once. The name is that of
 * the first function with this body.
 */
function withSharedBodies<Named extends Operation & { name: string }>(operations: Named[]): Named[] {
  const named = new Map<z.ZodType, z.ZodType>();
  return operations.map((operation) => {
    const { name, route, accepts } = operation;
    const { body, form } = accepts;
    const isShared = operations.some((other) => other !== operation && other.accepts.body === body);
    if (!body || !(isShared || route.paths.length > 1 || form)) return operation;
    const id = `${name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Request`;
    const shared = named.get(body) ?? body.meta({ ...body.meta(), id });
    named.set(body, shared);
    return { ...operation, accepts: { ...accepts, body: shared } };
  });
}

/**
 * Replaces local shapes of list schemas by the shared components of the same name, and removes bounds that allow every
 * safe integer.
 */
function withSharedShapes(document: Document): Document {
  return JSON.parse(JSON.stringify(document), function lift(this: unknown, key, value: unknown) {
    if (key === '$defs' || Math.abs(value as number) === Number.MAX_SAFE_INTEGER) return undefined;
    return key === '$ref' ? (value as string).replace('#/$defs/', '#/components/schemas/') : value;
  }) as Document;
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
    description: 'The same key in the header `x-api-key`, where clients of the Messages API send it.',
  },
} as const;

const credentialNote: Record<Credential, string> = {
  inference: 'The request needs an inference key.',
  management: 'The request needs a management key.',
  any: 'The request needs an inference key or a management key.',
  none: 'The request needs no key.',
};

function operationOf(operationId: string, operation: Operation): ZodOpenApiOperationObject {
  const { route, about, accepts } = operation;
  const { success } = about;
  return {
    operationId,
    'x-credential': route.credential,
    tags: [about.tag],
    summary: about.summary,
    description: [about.description, credentialNote[route.credential]].filter(Boolean).join(' '),
    security: route.credential === 'none' ? [] : [{ bearer: [] }, { apiKey: [] }],
    ...requestParams(operation),
    ...(accepts.body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: accepts.body,
                ...bodyExamples(about),
              },
              ...(accepts.form ? { 'multipart/form-data': { schema: accepts.body } } : {}),
            },
          },
        }
      : {}),
    responses: {
      [`${success.status}`]: {
        description: success.maybeLate ? `${success.description} ${lateNote}` : success.description,
        headers: responseHeaders(operation),
        ...(success.status === 302 ? {} : { content: responseContent(success) }),
      },
      ...Object.fromEntries(errorsOf(operation).map((kind) => componentOf(kind))),
    },
  } as ZodOpenApiOperationObject;
}

/** Note for responses without streaming. */
const lateNote =
  'Without `stream`, an answer that takes longer than 210 seconds (by default) begins with blanks, so that no connection is cut. From then on its status is 200 in any case: after a failure the body is an error, with its status in `error.code`. So look at `error` first, or use `stream`.';

function bodyExamples({ summary, bodyExample, moreExamples }: About) {
  if (bodyExample === undefined) return {};
  if (!moreExamples) return { example: bodyExample };
  const named = Object.entries({ [summary]: bodyExample, ...moreExamples });
  return { examples: Object.fromEntries(named.map(([name, value]) => [name, { summary: name, value }])) };
}

function responseContent({ schema, example, content, maybeLate }: Success) {
  // A route whose example is JSON may also have other content, such as events. A route that returns a page or a file
  // has no JSON example.
  const isJson = content === undefined || example !== undefined;
  const json = {
    schema: maybeLate ? z.union([schema, errorShape]) : schema,
    ...(example === undefined ? {} : { example: wholeExample(schema, example) }),
  };
  return { ...(isJson ? { 'application/json': json } : {}), ...content };
}

function requestParams({ route, about, accepts }: Operation) {
  const { params, query, once } = accepts;
  const headers = {
    ...about.headers,
    ...(about.ifMatch ? { 'If-Match': ifMatch } : {}),
    ...(about.chargedOnce ? { 'Idempotency-Key': chargedOnceKey } : {}),
    ...(once ? { 'Idempotency-Key': idempotencyKey } : {}),
    ...(route.hasTags ? { 'x-gateway-tags': tagsHeader } : {}),
  };
  const given = {
    ...(params ? { path: params } : {}),
    ...(query ? { query } : {}),
    ...(Object.keys(headers).length > 0 ? { header: z.object(headers) } : {}),
  };
  return Object.keys(given).length > 0 ? { requestParams: given } : {};
}

const ifMatch = z.string().optional().meta({
  description:
    'The `ETag` of the answer that you have read. If the resource was changed since, the answer is 412, and nothing is changed.',
  example: '"3"',
});

const idempotencyKey = z.string().min(1).max(255).optional().meta({
  description:
    'A text of your choice that names the request. For 24 hours, a second request with the same key and body changes nothing: it gets the answer of the first, with the header `idempotent-replayed: true`. The same key with another body is refused (409).',
});

const tagsHeader = z.string().optional().meta({
  description:
    'Tags of the request: up to eight pairs of a name and a value. Names and values are percent-decoded, so write a comma as `%2C`. The header takes precedence over `metadata.tags` of the body and over the tags of the key.',
  example: 'project=lake,team=core',
});

const chargedOnceKey = z.string().min(1).max(255).optional().meta({
  description:
    'A text of your choice that names the request. For 24 hours, a second request with the same key is not charged: it gets 409 while the first is being answered, and after the first was charged; `metadata.generation_id` names the first. If the first failed and cost nothing, the second is answered. The same key with another body gets 409 as well.',
});

function responseHeaders({ route, about }: Operation) {
  return {
    'request-id': textHeader('The id of the request. Send it to the operator if something is wrong.'),
    'x-request-id': textHeader('The same as `request-id`, under the name that OpenAI’s SDKs read.'),
    ...(route.inference
      ? {
          'x-generation-id': textHeader(
            'The id of the generation, which is the record of this request; pass it to `GET /generation`.',
          ),
        }
      : {}),
    ...(route.inference || route.isTimed
      ? {
          'server-timing': textHeader(
            'The milliseconds until the head of the answer: `gateway;dur` of the gateway itself and, if a provider got a request, `provider;dur` of waiting for providers.',
          ),
        }
      : {}),
    ...(about.success.status === 302 ? { location: textHeader('The address of the file, for ten minutes.') } : {}),
    ...Object.fromEntries(Object.entries(about.success.headers ?? {}).map(([name, text]) => [name, textHeader(text)])),
    ...(about.etag
      ? {
          etag: textHeader(
            'The version of this resource. Send it in `If-Match` with a change: the change is then refused if somebody else has changed the resource since.',
          ),
        }
      : {}),
  };
}

/** Returns the kinds of errors of a route. They follow from the manifest, the route's inputs and the route's texts. */
function errorsOf({ route, about, accepts }: Operation): ErrorKind[] {
  const { params, query, body, once } = accepts;
  const all = new Set<ErrorKind>([...(about.errors ?? []), 'server']);
  if (route.credential !== 'none') all.add('authentication');
  if (route.credential === 'inference' || route.credential === 'management') all.add('permission_denied');
  // Routes of management keys refuse unknown parameters.
  const refusesQuery = query || route.credential === 'management';
  if (params || refusesQuery || body || once || about.ifMatch) all.add('invalid_request');
  if (body) all.add('payload_too_large').add('unsupported_media_type');
  if (params) all.add('not_found');
  if (once || about.ifMatch || about.chargedOnce) all.add('conflict');
  if (about.ifMatch) all.add('precondition_failed');
  // Any route can be throttled. A route that uses the table returns 529 if the table is busy.
  all.add('rate_limit_exceeded');
  if (route.grants.table?.length) all.add('provider_overloaded');
  return [...all].toSorted((a, b) => errorKinds[a].status - errorKinds[b].status);
}

const retryAfterHeader = textHeader('Seconds until another try may succeed; absent where none is known.');
const errorHeaders: Partial<Record<ErrorKind, Record<string, ReturnType<typeof textHeader>>>> = {
  conflict: {
    'retry-after': textHeader(
      'Seconds until another try may succeed. Only present while the first request with the same `Idempotency-Key` is being answered.',
    ),
  },
  payment_required: { 'retry-after': retryAfterHeader },
  rate_limit_exceeded: {
    'retry-after': retryAfterHeader,
    'x-ratelimit-limit': textHeader(
      'The most requests to free models in the day or minute. Only refusals of free models have this header.',
    ),
    'x-ratelimit-remaining': textHeader(
      'The requests to free models that are left. Only refusals of free models have this header.',
    ),
    'x-ratelimit-reset': textHeader(
      'The time at which requests to free models are possible again, as a Unix time in milliseconds. Only refusals of free models have this header.',
    ),
  },
  provider_overloaded: {
    'retry-after': textHeader('Seconds until another try may succeed: the value from the provider, else one.'),
  },
};

const errorDetails: Partial<Record<ErrorKind, object>> = {
  invalid_request: { field: 'name' },
  payment_required: {
    limit_source: 'workspace_budget',
    interval: 'monthly',
    limit_rub: '30000',
    spend_rub: '29998.5',
    held_rub: '1',
    remaining_rub: '0.5',
    required_rub: '1.32',
    required_input_rub: '0.02',
    required_output_rub: '1.3',
    prompt_counted: true,
    resets_at: '2026-12-01T00:00:00.000Z',
    affordable_max_tokens: 480,
  },
};

/** One component per status, shared by the routes that can return the status. */
const errorComponents = new Map(
  Object.values(errorKinds).map(({ status }) => [status, errorComponent(kindOfStatus(status)!)]),
);

function componentOf(kind: ErrorKind) {
  const { status } = errorKinds[kind];
  return [String(status), errorComponents.get(status)] as const;
}

function errorComponent(kind: ErrorKind) {
  const { status, messagesType } = errorKinds[kind];
  return {
    id: `Error${status}`,
    description: errorText(kind),
    headers: errorHeaders[kind] ?? {},
    content: {
      'application/json': {
        schema: errorShape,
        example: {
          type: 'error',
          error: {
            type: messagesType,
            code: status,
            message: errorGuides[kind].cause,
            param: kind === 'invalid_request' ? 'name' : null,
            metadata: { error_type: kind, ...errorDetails[kind] },
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
