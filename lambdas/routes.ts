/**
 * The manifest: every route and worker of the gateway, as data. The CDK stacks, the local runtime, the sandboxes and the
 * tests read it; nothing is listed twice. It imports nothing, so that infrastructure code can read it without pulling
 * in what runs.
 */

/** Which kind of key a route takes; "any" takes both, "none" is public. */
export type Credential = 'inference' | 'management' | 'any' | 'none';

export type TableAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';
export type SecretName = 'pepper' | 'provider-keys';
export type QueueName = 'finalize-cost';

/** Everything a function may touch besides its logs. */
export interface Grants {
  table?: readonly TableAction[];
  /** The indexes as well as the table. */
  indexes?: boolean;
  secrets?: readonly SecretName[];
  sendTo?: readonly QueueName[];
}

export interface FunctionSpec {
  /** Module under lambdas/ that exports `handler`. */
  entry: string;
  grants: Grants;
  timeoutSeconds: number;
  memoryMb: number;
}

export interface Route extends FunctionSpec {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the stage `/v1`, as API Gateway writes it: `{slug+}` takes the rest of the path. */
  paths: readonly [string, ...string[]];
  credential: Credential;
  /** Answers through response streaming, and on a function URL of its own. */
  streaming?: boolean;
  /** Spends money: every answer carries x-generation-id. */
  inference?: boolean;
}

export interface QueueWorker extends FunctionSpec {
  queue: QueueName;
  batchSize: number;
  maxConcurrency: number;
}

export interface ScheduledWorker extends FunctionSpec {
  everyMinutes: number;
}

const readCaller: readonly TableAction[] = ['GetItem', 'BatchGetItem'];

export const routes = {
  'create-message': {
    entry: 'api/create-message/handler.ts',
    method: 'POST',
    paths: ['/messages'],
    credential: 'inference',
    streaming: true,
    inference: true,
    timeoutSeconds: 900,
    memoryMb: 1024,
    grants: {
      table: [...readCaller, 'PutItem', 'UpdateItem'],
      secrets: ['pepper', 'provider-keys'],
      sendTo: ['finalize-cost'],
    },
  },
  'count-tokens': {
    entry: 'api/count-tokens/handler.ts',
    method: 'POST',
    paths: ['/messages/count_tokens'],
    credential: 'inference',
    timeoutSeconds: 29,
    memoryMb: 512,
    grants: { table: readCaller, secrets: ['pepper', 'provider-keys'] },
  },
  'list-models': {
    entry: 'api/list-models/handler.ts',
    method: 'GET',
    paths: ['/models'],
    credential: 'none',
    timeoutSeconds: 10,
    memoryMb: 512,
    grants: {},
  },
  'get-model': {
    entry: 'api/get-model/handler.ts',
    method: 'GET',
    paths: ['/models/{slug+}', '/model/{slug+}'],
    credential: 'none',
    timeoutSeconds: 10,
    memoryMb: 512,
    grants: {},
  },
  'list-embeddings-models': {
    entry: 'api/list-embeddings-models/handler.ts',
    method: 'GET',
    paths: ['/embeddings/models'],
    credential: 'none',
    timeoutSeconds: 10,
    memoryMb: 512,
    grants: {},
  },
  'list-videos-models': {
    entry: 'api/list-videos-models/handler.ts',
    method: 'GET',
    paths: ['/videos/models'],
    credential: 'none',
    timeoutSeconds: 10,
    memoryMb: 512,
    grants: {},
  },
  'get-generation': {
    entry: 'api/get-generation/handler.ts',
    method: 'GET',
    paths: ['/generation'],
    credential: 'inference',
    timeoutSeconds: 10,
    memoryMb: 512,
    grants: { table: readCaller, secrets: ['pepper'] },
  },
  'get-current-key': {
    entry: 'api/get-current-key/handler.ts',
    method: 'GET',
    paths: ['/key'],
    credential: 'any',
    timeoutSeconds: 10,
    memoryMb: 512,
    grants: { table: readCaller, secrets: ['pepper'] },
  },
  health: {
    entry: 'api/health/handler.ts',
    method: 'GET',
    paths: ['/health'],
    credential: 'none',
    timeoutSeconds: 5,
    memoryMb: 256,
    grants: {},
  },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;

export const queueWorkers = {
  'finalize-cost': {
    entry: 'workers/finalize-cost/handler.ts',
    queue: 'finalize-cost',
    batchSize: 10,
    maxConcurrency: 10,
    timeoutSeconds: 60,
    memoryMb: 512,
    grants: { table: ['GetItem', 'PutItem', 'UpdateItem'] },
  },
} as const satisfies Record<string, QueueWorker>;

export const scheduledWorkers = {
  'sweep-holds': {
    entry: 'workers/sweep-holds/handler.ts',
    everyMinutes: 1,
    timeoutSeconds: 300,
    memoryMb: 512,
    grants: { table: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], indexes: true },
  },
} as const satisfies Record<string, ScheduledWorker>;

export interface QueueSpec {
  /** At least six times the worker's timeout, so that a slow batch is not handed out twice. */
  visibilityTimeoutSeconds: number;
  maxReceiveCount: number;
}

export const queues: Record<QueueName, QueueSpec> = {
  'finalize-cost': { visibilityTimeoutSeconds: 360, maxReceiveCount: 8 },
};

/** Every function of the deployment by name. */
export const functions: Record<string, FunctionSpec> = { ...routes, ...queueWorkers, ...scheduledWorkers };
