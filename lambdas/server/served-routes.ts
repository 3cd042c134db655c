import { notFound, type GatewayError } from '../platform/errors.ts';
import { routes, UNKNOWN_ROUTE, type RouteName } from '../routes.ts';
import type { ImportHandler } from './in-process-host.ts';
import { buildRoutingTable, wiredRoutes, type WiredRoute } from './routing-table.ts';

/** Everything that a client of models asks for. Management keeps its functions, each of which has rights of its own. */
type ServedRoute = {
  [Name in RouteName]: (typeof routes)[Name]['credential'] extends 'management' ? never : Name;
}[RouteName];

/** The functions that a server runs, each with the module that it is in. */
const handlers: Record<ServedRoute | typeof UNKNOWN_ROUTE, () => Promise<unknown>> = {
  'create-message': () => import('../api/messages/create.ts'),
  'create-chat-completion': () => import('../api/chat/create.ts'),
  'create-response': () => import('../api/responses/create.ts'),
  'count-tokens': () => import('../api/messages/count-tokens.ts'),
  'create-decision': () => import('../api/decisions/create.ts'),
  'create-embeddings': () => import('../api/embeddings/create.ts'),
  'estimate-message': () => import('../api/messages/estimate.ts'),
  'estimate-chat-completion': () => import('../api/chat/estimate.ts'),
  'estimate-response': () => import('../api/responses/estimate.ts'),
  'estimate-decision': () => import('../api/decisions/estimate.ts'),
  'estimate-embeddings': () => import('../api/embeddings/estimate.ts'),
  'estimate-video': () => import('../api/videos/estimate.ts'),
  'list-models': () => import('../api/models/list.ts'),
  'get-model': () => import('../api/models/get.ts'),
  'list-user-models': () => import('../api/models/list-user.ts'),
  'list-embeddings-models': () => import('../api/models/list-embeddings.ts'),
  'list-videos-models': () => import('../api/models/list-videos.ts'),
  'create-video': () => import('../api/videos/create.ts'),
  'get-video': () => import('../api/videos/get.ts'),
  'notice-video': () => import('../api/videos/notice.ts'),
  'get-video-content': () => import('../api/videos/get-content.ts'),
  'get-generation': () => import('../api/generations/get.ts'),
  'get-current-key': () => import('../api/keys/get-current.ts'),
  'get-openapi': () => import('../api/service/openapi.ts'),
  'get-docs': () => import('../api/service/docs.ts'),
  'get-docs-viewer': () => import('../api/service/viewer.ts'),
  'get-docs-text': () => import('../api/service/docs-text.ts'),
  'get-console': () => import('../api/console/page.ts'),
  'get-console-file': () => import('../api/console/file.ts'),
  health: () => import('../api/service/health.ts'),
  [UNKNOWN_ROUTE]: () => import('../api/service/unknown-route.ts'),
};

/** Their names in the manifest. */
export const servedNames = Object.keys(handlers);

/** Those that clients wait for a model at: they are loaded before the first request. */
export const answeringNames: ServedRoute[] = [
  'create-message',
  'create-chat-completion',
  'create-response',
  'count-tokens',
  'create-decision',
  'create-embeddings',
];

export const importServedHandler: ImportHandler = (name) => handlers[name as ServedRoute]();

const [here, elsewhere] = [true, false].map((isServed) =>
  wiredRoutes(routes).filter(({ functionName }) => Object.hasOwn(handlers, functionName) === isServed),
) as [WiredRoute[], WiredRoute[]];

export const served = { routes: here, unknownRoute: UNKNOWN_ROUTE };

const matchElsewhere = buildRoutingTable(elsewhere);

/** What is said of a route that the gateway has, and a server has not. @param path below /v1 */
export function servedElsewhere(method: string, path: string): GatewayError | undefined {
  if (!matchElsewhere(method, path)) return undefined;
  return notFound(
    `${method} /v1${path} is management, which this address does not serve: send it to the base URL of the API.`,
  );
}
