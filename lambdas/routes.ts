/**
 * Manifest: every route and worker of the gateway, as data. It imports no runtime code, so that infrastructure code can
 * read it. The bundler removes unused parts that are marked as pure from a function's bundle.
 */

import {
  answering,
  changing,
  changingAlerts,
  changingLimits,
  deleteRoute,
  estimating,
  getRoute,
  healthOnly,
  inferring,
  keyed,
  modalityRoutes,
  managed,
  notifying,
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
  type QueueName,
  type QueueWorker,
  type Route,
  type ScheduledWorker,
} from './route.ts';
import { drawing, wholeModalities, WITHIN_INTEGRATION_SECONDS } from './modality-rows.ts';

export const wholeRoutes = modalityRoutes(wholeModalities);
type WholeRoutes = typeof wholeRoutes;
export type WholeRoute = { [Part in keyof WholeRoutes]: keyof WholeRoutes[Part] }[keyof WholeRoutes];

export const routes = {
  'create-message': postRoute('/messages', {
    ...answering('messages/create'),
    streaming: true,
    functionUrl: true,
    callsBedrock: true,
    timeoutSeconds: 900,
    // The memory is small, because a streaming function mostly waits, and Lambda bills the memory for the whole time.
    memoryMb: 512,
  }),
  // /chat/completions and /responses use the same engine as /messages. Their differences are in client-apis/.
  'create-chat-completion': postRoute('/chat/completions', {
    ...answering('chat/create'),
    streaming: true,
    callsBedrock: true,
    timeoutSeconds: 900,
    memoryMb: 512,
  }),
  'create-response': postRoute('/responses', {
    ...answering('responses/create'),
    streaming: true,
    callsBedrock: true,
    timeoutSeconds: 900,
    memoryMb: 512,
  }),
  'count-tokens': postRoute('/messages/count_tokens', {
    ...inferring('messages/count-tokens', { ...reading(), secrets: ['pepper', 'provider-keys'], catalog: true }),
    isTimed: true,
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
  }),
  'count-input-tokens': postRoute('/responses/input_tokens', {
    ...inferring('responses/count-input-tokens', { ...reading(), secrets: ['pepper', 'provider-keys'], catalog: true }),
    isTimed: true,
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
  }),
  ...wholeRoutes.create,
  // Routes of OpenAI's API for images.
  'generate-image': postRoute('/images/generations', { ...answering('images/generate'), ...drawing }),
  'edit-image': postRoute('/images/edits', { ...answering('images/edit'), ...drawing, takesFiles: true }),
  // Routes of ElevenLabs' API.
  'convert-text': postRoute(['/text-to-speech/{voice_id}', '/text-to-speech/{voice_id}/stream'], {
    ...answering('speech/convert'),
    ...wholeModalities.speech.answering,
  }),
  'convert-recording': postRoute('/speech-to-text', {
    ...answering('transcriptions/convert'),
    ...wholeModalities.transcriptions.answering,
  }),

  // An estimate may wait while a provider counts the tokens of the prompt.
  'estimate-message': postRoute('/messages/estimate', {
    ...estimating('messages/estimate'),
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
  }),
  'estimate-chat-completion': postRoute('/chat/completions/estimate', {
    ...estimating('chat/estimate'),
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
  }),
  'estimate-response': postRoute('/responses/estimate', {
    ...estimating('responses/estimate'),
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
  }),
  ...wholeRoutes.estimate,
  'estimate-image-edit': postRoute('/images/edits/estimate', {
    ...estimating('images/estimate-edit'),
    takesFiles: true,
  }),

  'list-models': getRoute('/models', openLarge('models/list', ofCatalog(publicOnly('Query')))),
  'get-model': getRoute(['/models/{slug+}', '/model/{slug+}'], open('models/get', ofCatalog(publicOnly('Query')))),
  'list-user-models': getRoute('/models/user', {
    ...keyed('models/list-user', ofCatalog(reading('Query'))),
    streaming: true,
  }),
  ...wholeRoutes.list,
  'list-images-models': getRoute('/images/models', openLarge('images/list-models', ofCatalog(publicOnly('Query')))),
  'list-image-endpoints': getRoute(
    '/images/models/{author}/{slug}/endpoints',
    open('images/list-endpoints', ofCatalog()),
  ),
  'list-videos-models': getRoute('/videos/models', openLarge('models/list-videos', ofCatalog(publicOnly('Query')))),

  // The request may wait for money that other requests hold, and downloads pictures.
  'create-video': postRoute('/videos', {
    ...inferring('videos/create', {
      ...spending('VIDEO#'),
      objects: { 'video-requests': ['PutObject', 'AbortMultipartUpload', 'DeleteObject'] },
      secrets: ['pepper', 'provider-keys'],
      sendTo: ['advance-videos', 'finalize-cost', 'check-alerts'],
      catalog: true,
    }),
    inference: true,
    hasTags: true,
    changesGradually: true,
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
    memoryMb: 1024,
  }),
  // Like a request for a video, an estimate downloads pictures, which takes time and memory.
  'estimate-video': postRoute('/videos/estimate', {
    ...estimating('videos/estimate'),
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
    memoryMb: 1024,
  }),
  'get-video': getRoute('/videos/{id}', inferring('videos/get', reading())),
  // A provider calls this route. The path contains a secret name, so no key is needed.
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
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
  }),
  'get-request-record': getRoute('/generations/{id}', managed('generations/get-record', reading())),
  'get-statement': getRoute('/statements/{month}', {
    ...managed('statements/get', reading('Query')),
    streaming: true,
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
  }),
  'get-current-key': getRoute('/key', keyed('keys/get-current', ofCatalog(reading()))),
  'get-credits': getRoute('/credits', managed('credits/get', reading())),
  'get-activity': getRoute('/activity', {
    ...managed('activity/get', reading('Query')),
    streaming: true,
    timeoutSeconds: WITHIN_INTEGRATION_SECONDS,
  }),
  'get-tags': getRoute('/tags', managed('tags/get', reading())),
  'set-tags': putRoute('/tags', managed('tags/set', changing('PutItem'))),
  'get-model-spending': getRoute('/activity/models', managed('activity/get-models', reading('Query'))),

  // The route needs PutItem, because it stores the position at which a page ends (a bookmark).
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
    managed('keys/update', ofCatalog(changingLimits('PutItem', 'UpdateItem', 'DeleteItem'))),
  ),
  'delete-key': deleteRoute('/keys/{hash}', managed('keys/delete', changing('PutItem', 'UpdateItem', 'DeleteItem'))),
  'rotate-key': postRoute('/keys/{hash}/rotate', managed('keys/rotate', changing('PutItem', 'DeleteItem'))),

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
    managed('budgets/set', changingLimits('PutItem', 'UpdateItem')),
  ),
  'delete-budget': deleteRoute(
    '/workspaces/{workspaceId}/budgets/{interval}',
    managed('budgets/delete', changing('PutItem', 'UpdateItem')),
  ),

  'list-tag-budgets': getRoute('/tags/budgets', managed('tags/list-budgets', reading())),
  'set-tag-budget': putRoute('/tags/budgets', managed('tags/set-budget', changingLimits('PutItem', 'UpdateItem'))),
  'get-account-alerts': getRoute('/alerts', managed('alerts/get', reading())),
  'set-account-alerts': putRoute('/alerts', managed('alerts/set', changingAlerts())),
  'list-alert-deliveries': getRoute('/alerts/deliveries', managed('alerts/list-deliveries', reading('Query'))),
  'get-workspace-alerts': getRoute('/workspaces/{workspaceId}/alerts', managed('alerts/get-of-workspace', reading())),
  'set-workspace-alerts': putRoute(
    '/workspaces/{workspaceId}/alerts',
    managed('alerts/set-of-workspace', changingAlerts()),
  ),
  'get-key-alerts': getRoute('/keys/{hash}/alerts', managed('alerts/get-of-key', reading())),
  'set-key-alerts': putRoute('/keys/{hash}/alerts', managed('alerts/set-of-key', changingAlerts())),

  'list-members': getRoute('/workspaces/{workspaceId}/members', managed('members/list', reading('Query'))),
  'add-members': postRoute(
    '/workspaces/{workspaceId}/members/add',
    managed('members/add', changing('Query', 'PutItem', 'UpdateItem')),
  ),
  'remove-members': postRoute(
    '/workspaces/{workspaceId}/members/remove',
    managed('members/remove', changing('PutItem', 'UpdateItem')),
  ),
  'update-member': patchRoute(
    '/workspaces/{workspaceId}/members/{memberId}',
    managed('members/update', changing('PutItem')),
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
    managed('budgets/set-of-member', changingLimits('PutItem', 'UpdateItem')),
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

/** Function for requests that no route serves. */
export const UNKNOWN_ROUTE = 'unknown-route';
const unknownRouteSpec = { [UNKNOWN_ROUTE]: { ...open('service/unknown-route'), timeoutSeconds: 5, memoryMb: 256 } };

/** Each worker reads the queue of the same name. */
export const queueWorkers = /* @__PURE__ */ workers({
  'finalize-cost': {
    // A larger batch would need a batching window of at least a second, and holds would be settled later.
    batchSize: 10,
    // Busy counters without limits are split into parts, but counters with limits often are not. On unsplit counters,
    // more workers would conflict more often and settle less.
    maxConcurrency: 8,
    timeoutSeconds: 20,
    // Thirty attempts take about an hour.
    maxReceiveCount: 30,
    lateAfterSeconds: 120,
    changesGradually: true,
    grants: { table: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], sendTo: ['roll-up-activity', 'check-alerts'] },
  },
  'roll-up-activity': {
    // The worker needs seconds to read a shard of a large account, so only a small batch ends in time.
    batchSize: 5,
    maxConcurrency: 8,
    timeoutSeconds: 120,
    memoryMb: 1024,
    maxReceiveCount: 12,
    // The activity of all accounts is rolled up at midnight, so a wait of a few minutes is normal.
    lateAfterSeconds: 900,
    grants: { table: ['GetItem', 'Query', 'UpdateItem', 'BatchWriteItem'] },
  },
  'advance-videos': {
    // A batch is one message, because a message may take as long as the transfer of a large file.
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
  // Each check is short, but the first attempt to deliver a notice can take twenty seconds.
  'check-alerts': {
    batchSize: 10,
    maxConcurrency: 8,
    timeoutSeconds: 60,
    maxReceiveCount: 30,
    lateAfterSeconds: 600,
    grants: notifying(),
  },
}) satisfies Record<QueueName, QueueWorker>;

export const scheduledWorkers = /* @__PURE__ */ workers({
  'sweep-holds': {
    everyMinutes: 1,
    timeoutSeconds: 90,
    grants: {
      table: ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
      indexes: true,
      sendTo: ['roll-up-activity', 'advance-videos', 'check-alerts'],
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
    // One invocation reads all records of an account's day, which may be millions.
    timeoutSeconds: 900,
    memoryMb: 1_769,
    // For five million records, the worker writes about 0.9 GB.
    diskMb: 4_096,
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
    // The worker publishes the list of providers that have their credential, or need none. Functions that list models
    // then need no permission to read credentials.
    grants: ofCatalog({ ...healthOnly('Query', 'PutItem'), secrets: ['provider-keys'] }),
  },
  'send-alerts': { everyMinutes: 1, timeoutSeconds: 120, grants: notifying({ indexes: true, catalog: true }) },
}) satisfies Record<string, ScheduledWorker>;

export const functions: Record<string, FunctionSpec> = /* @__PURE__ */ Object.assign(
  {},
  routes,
  unknownRouteSpec,
  queueWorkers,
  scheduledWorkers,
);
