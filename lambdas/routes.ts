/**
 * The manifest: every route and worker of the gateway, as data. The CDK stacks, the local runtime, the sandboxes and the
 * tests read it; nothing is listed twice. It imports nothing that runs, so that infrastructure code can read it. A function
 * of the API looks up its own route here: what is marked as pure is left out of its bundle.
 */

import {
  answering,
  changing,
  deleteRoute,
  estimating,
  getRoute,
  healthOnly,
  inferring,
  keyed,
  modalityRoutes,
  managed,
  ofCatalog,
  open,
  openLarge,
  patchRoute,
  postRoute,
  publicOnly,
  putRoute,
  reading,
  spending,
  workers,
  type FunctionSpec,
  type ModalityRow,
  type QueueName,
  type QueueWorker,
  type Route,
  type ScheduledWorker,
} from './route.ts';

/** API Gateway gives up a function that does not stream after 29 seconds: by then this one has said why itself. */
const BEFORE_THE_DOOR_SECONDS = 27;

/** Modalities whose answers are whole. What differs between them besides is in inference/modalities/. */
export const wholeModalities = {
  decisions: {
    one: 'decision',
    paths: ['/decisions', '/systemone'],
    isListed: false,
    answering: { timeoutSeconds: BEFORE_THE_DOOR_SECONDS, memoryMb: 1024 },
  },
  embeddings: {
    one: 'embeddings',
    paths: ['/embeddings'],
    isListed: true,
    // Vectors of two thousand texts are more than a function may answer with otherwise.
    answering: { streaming: true, asksBedrock: true, timeoutSeconds: 120, memoryMb: 1024 },
  },
} as const satisfies Record<string, ModalityRow>;

/** The routes of these modalities. */
export const wholeRoutes = modalityRoutes(wholeModalities);
type WholeRoutes = typeof wholeRoutes;
export type WholeRoute = { [Part in keyof WholeRoutes]: keyof WholeRoutes[Part] }[keyof WholeRoutes];

export const routes = {
  'create-message': postRoute('/messages', {
    ...answering('messages/create'),
    streaming: true,
    functionUrl: true,
    asksBedrock: true,
    timeoutSeconds: 900,
    // A stream mostly waits, and is billed by its memory: twice as much would give ten milliseconds.
    memoryMb: 512,
  }),
  // The same engine behind two other APIs: what differs is written in client-apis/.
  'create-chat-completion': postRoute('/chat/completions', {
    ...answering('chat/create'),
    streaming: true,
    asksBedrock: true,
    timeoutSeconds: 900,
    memoryMb: 512,
  }),
  'create-response': postRoute('/responses', {
    ...answering('responses/create'),
    streaming: true,
    asksBedrock: true,
    timeoutSeconds: 900,
    memoryMb: 512,
  }),
  'count-tokens': postRoute('/messages/count_tokens', {
    ...inferring('messages/count-tokens', { ...reading(), secrets: ['pepper', 'provider-keys'], catalog: true }),
    isTimed: true,
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
  }),
  'count-input-tokens': postRoute('/responses/input_tokens', {
    ...inferring('responses/count-input-tokens', { ...reading(), secrets: ['pepper', 'provider-keys'], catalog: true }),
    isTimed: true,
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
  }),
  ...wholeRoutes.create,

  // What the same requests may cost: nothing is held, written or sent. They may wait for a provider that counts a prompt.
  'estimate-message': postRoute('/messages/estimate', {
    ...estimating('messages/estimate'),
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
  }),
  'estimate-chat-completion': postRoute('/chat/completions/estimate', {
    ...estimating('chat/estimate'),
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
  }),
  'estimate-response': postRoute('/responses/estimate', {
    ...estimating('responses/estimate'),
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
  }),
  ...wholeRoutes.estimate,

  // How fast the endpoints are, what is left of free models' budgets, and nothing else of the table.
  'list-models': getRoute('/models', openLarge('models/list', ofCatalog(publicOnly('Query')))),
  // How the endpoints are doing, what is left of a free model's budget, and nothing else of the table.
  'get-model': getRoute(['/models/{slug+}', '/model/{slug+}'], open('models/get', ofCatalog(publicOnly('Query')))),
  'list-user-models': getRoute('/models/user', {
    ...keyed('models/list-user', ofCatalog(reading('Query'))),
    streaming: true,
  }),
  ...wholeRoutes.list,
  'list-videos-models': getRoute('/videos/models', openLarge('models/list-videos', ofCatalog(publicOnly('Query')))),

  // It waits for the money that other requests hold, and for pictures.
  'create-video': postRoute('/videos', {
    ...inferring('videos/create', {
      ...spending('VIDEO#'),
      objects: { 'video-requests': ['PutObject', 'AbortMultipartUpload', 'DeleteObject'] },
      secrets: ['pepper', 'provider-keys'],
      sendTo: ['advance-videos', 'finalize-cost'],
      catalog: true,
    }),
    inference: true,
    changesGradually: true,
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
    memoryMb: 1024,
  }),
  // It fetches pictures, as the video itself would.
  'estimate-video': postRoute('/videos/estimate', {
    ...estimating('videos/estimate'),
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
    memoryMb: 1024,
  }),
  'get-video': getRoute('/videos/{id}', inferring('videos/get', reading())),
  // A provider says that a job has moved on; the address is its secret.
  'notice-video': postRoute(
    '/videos/notices/{name}',
    open('videos/notice', { secrets: ['pepper'], sendTo: ['advance-videos'] }),
  ),
  'get-video-content': getRoute(
    '/videos/{id}/content',
    inferring('videos/get-content', { ...reading(), objects: { videos: ['GetObject'] } }),
  ),

  'get-generation': getRoute('/generation', inferring('generations/get', reading('Query'))),
  'list-generations': getRoute('/generations', {
    ...managed('generations/list', reading('Query')),
    streaming: true,
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
  }),
  'get-request-record': getRoute('/generations/{id}', managed('generations/get-record', reading())),
  'get-statement': getRoute('/statements/{month}', {
    ...managed('statements/get', reading('Query')),
    streaming: true,
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
  }),
  'get-current-key': getRoute('/key', keyed('keys/get-current', ofCatalog(reading()))),
  'get-credits': getRoute('/credits', managed('credits/get', reading())),
  'get-activity': getRoute('/activity', {
    ...managed('activity/get', reading('Query')),
    streaming: true,
    timeoutSeconds: BEFORE_THE_DOOR_SECONDS,
  }),
  'get-model-spending': getRoute('/activity/models', managed('activity/get-models', reading('Query'))),

  // A bookmark is left where a page ended.
  'list-keys': getRoute('/keys', {
    ...managed('keys/list', { ...reading('Query', 'PutItem'), writes: ['BOOKMARKS#'] }),
    streaming: true,
  }),
  'create-key': postRoute(
    '/keys',
    managed('keys/create', ofCatalog(changing('PutItem', 'UpdateItem', 'ConditionCheckItem'))),
  ),
  'get-key': getRoute('/keys/{hash}', managed('keys/get', reading())),
  'update-key': patchRoute(
    '/keys/{hash}',
    managed('keys/update', ofCatalog(changing('PutItem', 'UpdateItem', 'DeleteItem'))),
  ),
  'delete-key': deleteRoute('/keys/{hash}', managed('keys/delete', changing('PutItem', 'UpdateItem', 'DeleteItem'))),

  'list-workspaces': getRoute('/workspaces', managed('workspaces/list', reading('Query'))),
  'create-workspace': postRoute(
    '/workspaces',
    managed('workspaces/create', ofCatalog(changing('Query', 'PutItem', 'UpdateItem'))),
  ),
  'get-workspace': getRoute('/workspaces/{workspaceId}', managed('workspaces/get', reading())),
  'update-workspace': patchRoute(
    '/workspaces/{workspaceId}',
    managed('workspaces/update', ofCatalog(changing('PutItem', 'DeleteItem'))),
  ),
  'delete-workspace': deleteRoute(
    '/workspaces/{workspaceId}',
    managed('workspaces/delete', changing('Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem')),
  ),

  'list-budgets': getRoute('/workspaces/{workspaceId}/budgets', managed('budgets/list', reading())),
  'get-budget': getRoute('/workspaces/{workspaceId}/budgets/{interval}', managed('budgets/get', reading())),
  'set-budget': putRoute(
    '/workspaces/{workspaceId}/budgets/{interval}',
    managed('budgets/set', changing('PutItem', 'UpdateItem')),
  ),
  'delete-budget': deleteRoute(
    '/workspaces/{workspaceId}/budgets/{interval}',
    managed('budgets/delete', changing('PutItem', 'UpdateItem')),
  ),

  'list-members': getRoute('/workspaces/{workspaceId}/members', managed('members/list', reading('Query'))),
  'add-members': postRoute(
    '/workspaces/{workspaceId}/members/add',
    managed('members/add', changing('Query', 'PutItem', 'UpdateItem')),
  ),
  'remove-members': postRoute(
    '/workspaces/{workspaceId}/members/remove',
    managed('members/remove', changing('PutItem', 'UpdateItem')),
  ),
  'list-member-budgets': getRoute(
    '/workspaces/{workspaceId}/members/{memberId}/budgets',
    managed('budgets/list-of-member', reading()),
  ),
  'get-member-budget': getRoute(
    '/workspaces/{workspaceId}/members/{memberId}/budgets/{interval}',
    managed('budgets/get-of-member', reading()),
  ),
  'set-member-budget': putRoute(
    '/workspaces/{workspaceId}/members/{memberId}/budgets/{interval}',
    managed('budgets/set-of-member', changing('PutItem', 'UpdateItem')),
  ),
  'delete-member-budget': deleteRoute(
    '/workspaces/{workspaceId}/members/{memberId}/budgets/{interval}',
    managed('budgets/delete-of-member', changing('PutItem', 'UpdateItem')),
  ),

  'get-openapi': getRoute('/openapi.json', openLarge('service/openapi')),
  'get-docs': getRoute('/docs', open('service/docs')),
  'get-docs-viewer': getRoute('/docs/viewer.js', openLarge('service/viewer')),
  'get-docs-text': getRoute(['/docs.md', '/llms.txt'], openLarge('service/docs-text')),
  'get-console': getRoute('/console', open('console/page')),
  'get-console-file': getRoute('/console/{file}', openLarge('console/file')),
  health: getRoute('/health', { ...open('service/health'), timeoutSeconds: 5, memoryMb: 256 }),
} satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

/** The function that answers what no route takes: any other method of a path, and any other path. */
export const UNKNOWN_ROUTE = 'unknown-route';
const unknownRouteSpec = { [UNKNOWN_ROUTE]: { ...open('service/unknown-route'), timeoutSeconds: 5, memoryMb: 256 } };

/** The bucket's own rule deletes files of videos after so many days. */
export const FILES_KEPT_DAYS = 7;

/** Each reads the queue of the same name. */
export const queueWorkers = /* @__PURE__ */ workers({
  'finalize-cost': {
    // More than ten would need a batching window, which Lambda counts in whole seconds; holds would wait for it.
    batchSize: 10,
    // Busy counters without limits have parts; at one with limits more would meet each other, and settle less.
    maxConcurrency: 8,
    timeoutSeconds: 20,
    // About fifty minutes.
    maxReceiveCount: 30,
    lateAfterSeconds: 120,
    changesGradually: true,
    grants: { table: ['GetItem', 'PutItem', 'UpdateItem'], sendTo: ['roll-up-activity'] },
  },
  'roll-up-activity': {
    // A shard of a large account takes seconds to read: few of them, so that a batch ends in good time.
    batchSize: 5,
    maxConcurrency: 8,
    timeoutSeconds: 120,
    memoryMb: 1024,
    maxReceiveCount: 12,
    // All accounts come at midnight: a wait of some minutes is normal.
    lateAfterSeconds: 900,
    grants: { table: ['GetItem', 'Query', 'UpdateItem', 'BatchWriteItem'] },
  },
  'advance-videos': {
    // Each may take as long as a large file.
    batchSize: 1,
    maxConcurrency: 50,
    timeoutSeconds: 240,
    memoryMb: 1024,
    maxReceiveCount: 12,
    // A message may be sent fifteen minutes before it is due.
    lateAfterSeconds: 1_800,
    changesGradually: true,
    grants: {
      table: ['GetItem', 'PutItem', 'UpdateItem'],
      objects: { 'video-requests': ['GetObject', 'DeleteObject'], videos: ['PutObject', 'AbortMultipartUpload'] },
      secrets: ['pepper', 'provider-keys'],
      sendTo: ['advance-videos', 'finalize-cost'],
      catalog: true,
    },
  },
}) satisfies Record<QueueName, QueueWorker>;

export const scheduledWorkers = /* @__PURE__ */ workers({
  'sweep-holds': {
    everyMinutes: 1,
    timeoutSeconds: 90,
    grants: {
      table: ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
      indexes: true,
      sendTo: ['roll-up-activity', 'advance-videos'],
      watch: ['finalize-cost'],
    },
  },
  'close-days': {
    everyMinutes: 1,
    timeoutSeconds: 90,
    grants: { table: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], sendTo: ['roll-up-activity'] },
  },
  'reconcile-days': {
    everyMinutes: 1,
    timeoutSeconds: 300,
    grants: { table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'] },
  },
  'seal-days': {
    everyMinutes: 1,
    // A day of a large account is read to its end.
    timeoutSeconds: 900,
    memoryMb: 1_769,
    grants: { table: ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'], seals: true },
  },
  'export-books': {
    everyMinutes: 1,
    timeoutSeconds: 60,
    grants: { table: ['GetItem', 'PutItem'], writes: ['ACTIVITY'], exports: true },
  },
  'measure-endpoints': {
    everyMinutes: 1,
    timeoutSeconds: 50,
    // It says which providers are live, so that those who list models need not read any credential.
    grants: ofCatalog({ ...healthOnly('Query', 'PutItem'), secrets: ['provider-keys'] }),
  },
}) satisfies Record<string, ScheduledWorker>;

/** Every function of the deployment by name. */
export const functions: Record<string, FunctionSpec> = /* @__PURE__ */ Object.assign(
  {},
  routes,
  unknownRouteSpec,
  queueWorkers,
  scheduledWorkers,
);
