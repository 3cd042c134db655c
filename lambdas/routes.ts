/**
 * The manifest: every route and worker of the gateway, as data. The CDK stacks, the local runtime, the sandboxes and the
 * tests read it; nothing is listed twice. It imports nothing, so that infrastructure code can read it without pulling
 * in what runs.
 */

/** Which kind of key a route takes; "any" takes both, "none" is public. */
export type Credential = 'inference' | 'management' | 'any' | 'none';

export type TableAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'BatchWriteItem';
export type SecretName = 'pepper' | 'provider-keys';
export type QueueName = 'finalize-cost' | 'roll-up-activity';

/** Everything a function may touch besides its logs. */
export interface Grants {
  table?: readonly TableAction[];
  /** The indexes as well as the table. */
  indexes?: boolean;
  secrets?: readonly SecretName[];
  sendTo?: readonly QueueName[];
  /** Counts of the messages in these queues and in their dead-letter queues. */
  watch?: readonly QueueName[];
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

/** What all routes of the management API have in common; each adds the rights it needs. */
const management = { credential: 'management', timeoutSeconds: 15, memoryMb: 512 } as const;
const reading = (...more: TableAction[]): Grants => ({ table: [...readCaller, ...more], secrets: ['pepper'] });

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
  'list-user-models': {
    entry: 'api/list-user-models/handler.ts',
    method: 'GET',
    paths: ['/models/user'],
    credential: 'any',
    timeoutSeconds: 10,
    memoryMb: 512,
    grants: { table: readCaller, secrets: ['pepper'] },
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
    grants: reading(),
  },
  'get-activity': {
    ...management,
    entry: 'api/get-activity/handler.ts',
    method: 'GET',
    paths: ['/activity'],
    timeoutSeconds: 29,
    grants: reading('Query'),
  },
  'list-keys': {
    ...management,
    entry: 'api/list-keys/handler.ts',
    method: 'GET',
    paths: ['/keys'],
    // A bookmark is left where a page ended.
    grants: reading('Query', 'PutItem'),
  },
  'create-key': {
    ...management,
    entry: 'api/create-key/handler.ts',
    method: 'POST',
    paths: ['/keys'],
    grants: reading('PutItem', 'UpdateItem', 'ConditionCheckItem'),
  },
  'get-key': {
    ...management,
    entry: 'api/get-key/handler.ts',
    method: 'GET',
    paths: ['/keys/{hash}'],
    grants: reading(),
  },
  'update-key': {
    ...management,
    entry: 'api/update-key/handler.ts',
    method: 'PATCH',
    paths: ['/keys/{hash}'],
    grants: reading('PutItem', 'UpdateItem', 'DeleteItem'),
  },
  'delete-key': {
    ...management,
    entry: 'api/delete-key/handler.ts',
    method: 'DELETE',
    paths: ['/keys/{hash}'],
    grants: reading('PutItem', 'UpdateItem', 'DeleteItem'),
  },
  'list-workspaces': {
    ...management,
    entry: 'api/list-workspaces/handler.ts',
    method: 'GET',
    paths: ['/workspaces'],
    grants: reading('Query'),
  },
  'create-workspace': {
    ...management,
    entry: 'api/create-workspace/handler.ts',
    method: 'POST',
    paths: ['/workspaces'],
    grants: reading('Query', 'PutItem', 'UpdateItem'),
  },
  'get-workspace': {
    ...management,
    entry: 'api/get-workspace/handler.ts',
    method: 'GET',
    paths: ['/workspaces/{workspaceId}'],
    grants: reading(),
  },
  'update-workspace': {
    ...management,
    entry: 'api/update-workspace/handler.ts',
    method: 'PATCH',
    paths: ['/workspaces/{workspaceId}'],
    grants: reading('PutItem', 'DeleteItem'),
  },
  'delete-workspace': {
    ...management,
    entry: 'api/delete-workspace/handler.ts',
    method: 'DELETE',
    paths: ['/workspaces/{workspaceId}'],
    grants: reading('Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
  },
  'list-budgets': {
    ...management,
    entry: 'api/list-budgets/handler.ts',
    method: 'GET',
    paths: ['/workspaces/{workspaceId}/budgets'],
    grants: reading(),
  },
  'get-budget': {
    ...management,
    entry: 'api/get-budget/handler.ts',
    method: 'GET',
    paths: ['/workspaces/{workspaceId}/budgets/{interval}'],
    grants: reading(),
  },
  'set-budget': {
    ...management,
    entry: 'api/set-budget/handler.ts',
    method: 'PUT',
    paths: ['/workspaces/{workspaceId}/budgets/{interval}'],
    grants: reading('PutItem', 'UpdateItem'),
  },
  'delete-budget': {
    ...management,
    entry: 'api/delete-budget/handler.ts',
    method: 'DELETE',
    paths: ['/workspaces/{workspaceId}/budgets/{interval}'],
    grants: reading('PutItem', 'UpdateItem'),
  },
  'list-members': {
    ...management,
    entry: 'api/list-members/handler.ts',
    method: 'GET',
    paths: ['/workspaces/{workspaceId}/members'],
    grants: reading('Query'),
  },
  'add-members': {
    ...management,
    entry: 'api/add-members/handler.ts',
    method: 'POST',
    paths: ['/workspaces/{workspaceId}/members/add'],
    grants: reading('Query', 'PutItem', 'UpdateItem'),
  },
  'remove-members': {
    ...management,
    entry: 'api/remove-members/handler.ts',
    method: 'POST',
    paths: ['/workspaces/{workspaceId}/members/remove'],
    grants: reading('PutItem', 'UpdateItem'),
  },
  'list-member-budgets': {
    ...management,
    entry: 'api/list-member-budgets/handler.ts',
    method: 'GET',
    paths: ['/workspaces/{workspaceId}/members/{memberId}/budgets'],
    grants: reading(),
  },
  'get-member-budget': {
    ...management,
    entry: 'api/get-member-budget/handler.ts',
    method: 'GET',
    paths: ['/workspaces/{workspaceId}/members/{memberId}/budgets/{interval}'],
    grants: reading(),
  },
  'set-member-budget': {
    ...management,
    entry: 'api/set-member-budget/handler.ts',
    method: 'PUT',
    paths: ['/workspaces/{workspaceId}/members/{memberId}/budgets/{interval}'],
    grants: reading('PutItem', 'UpdateItem'),
  },
  'delete-member-budget': {
    ...management,
    entry: 'api/delete-member-budget/handler.ts',
    method: 'DELETE',
    paths: ['/workspaces/{workspaceId}/members/{memberId}/budgets/{interval}'],
    grants: reading('PutItem', 'UpdateItem'),
  },
  'get-openapi': {
    entry: 'api/get-openapi/handler.ts',
    method: 'GET',
    paths: ['/openapi.json'],
    credential: 'none',
    timeoutSeconds: 10,
    memoryMb: 512,
    grants: {},
  },
  'get-docs': {
    entry: 'api/get-docs/handler.ts',
    method: 'GET',
    paths: ['/docs'],
    credential: 'none',
    timeoutSeconds: 10,
    memoryMb: 512,
    grants: {},
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
    // More than ten would need a batching window, which Lambda counts in whole seconds; holds would wait for it.
    batchSize: 10,
    maxConcurrency: 10,
    timeoutSeconds: 20,
    memoryMb: 512,
    grants: { table: ['GetItem', 'PutItem', 'UpdateItem'], sendTo: ['roll-up-activity'] },
  },
  'roll-up-activity': {
    entry: 'workers/roll-up-activity/handler.ts',
    queue: 'roll-up-activity',
    // A shard of a large account takes seconds to read: few of them, so that a batch is over in good time.
    batchSize: 5,
    maxConcurrency: 8,
    timeoutSeconds: 120,
    memoryMb: 1024,
    grants: { table: ['GetItem', 'Query', 'UpdateItem', 'BatchWriteItem'] },
  },
} as const satisfies Record<string, QueueWorker>;

export const scheduledWorkers = {
  'sweep-holds': {
    entry: 'workers/sweep-holds/handler.ts',
    everyMinutes: 1,
    timeoutSeconds: 90,
    memoryMb: 512,
    grants: {
      table: ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
      indexes: true,
      sendTo: ['roll-up-activity'],
      watch: ['finalize-cost'],
    },
  },
  'close-days': {
    entry: 'workers/close-days/handler.ts',
    everyMinutes: 1,
    timeoutSeconds: 90,
    memoryMb: 512,
    grants: { table: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], sendTo: ['roll-up-activity'] },
  },
} as const satisfies Record<string, ScheduledWorker>;

/** Every function of the deployment by name. */
export const functions: Record<string, FunctionSpec> = { ...routes, ...queueWorkers, ...scheduledWorkers };
