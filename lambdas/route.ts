/** Types of the manifest: the facts of a function, and short functions that create them. This file imports nothing. */

/** Kind of key that a route accepts. "any" accepts both kinds; "none" means that the route is public. */
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
/** Name of a queue. Its worker has the same name. */
export type QueueName = 'finalize-cost' | 'roll-up-activity' | 'advance-videos';
/**
 * Folder of the bucket. `video-requests`: requests that wait to be sent to a provider. `videos`: files from providers.
 */
export type ObjectFolder = 'video-requests' | 'videos';
/** Action on files of the bucket. Parts of an upload need the same action as a whole file. */
export type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject' | 'AbortMultipartUpload';

/** All permissions of a function, in addition to its logs. */
export interface Grants {
  table?: readonly TableAction[];
  /** Prefixes of the partition keys to which access is limited. Absent: all partitions are allowed. */
  partitions?: readonly string[];
  /** Prefixes of the partition keys to which writes are limited. Absent: all readable partitions may be written. */
  writes?: readonly string[];
  /** Whether the access includes the table's indexes. */
  indexes?: boolean;
  objects?: Partial<Record<ObjectFolder, readonly ObjectAction[]>>;
  secrets?: readonly SecretName[];
  sendTo?: readonly QueueName[];
  /** Whether the function reads the published catalog. */
  catalog?: boolean;
  /** Whether the function starts exports of the table to the bucket of the books. */
  exports?: boolean;
  /** Whether the function signs statements of days, and stores them in the bucket of the books. */
  seals?: boolean;
  /** Queues whose message counts the function reads, together with those of their dead-letter queues. */
  watch?: readonly QueueName[];
}

export interface FunctionSpec {
  /** Module under lambdas/ that exports `handler`. */
  entry: string;
  grants: Grants;
  timeoutSeconds: number;
  memoryMb: number;
  /** Whether a deployment first gives the new code a tenth of the work. If the new code fails, it is rolled back. */
  changesGradually?: boolean;
}

/** Function that answers requests. */
interface EndpointSpec<Kind extends Credential> extends FunctionSpec {
  credential: Kind;
  /** Whether the route streams its response. It can then send any bytes, of any length, while it produces them. */
  streaming?: boolean;
  /** Whether the function also answers on its own function URL. */
  functionUrl?: boolean;
  /** Whether the route spends money. Every answer of such a route has x-generation-id. */
  inference?: boolean;
  /**
   * Whether the route reports the time of the gateway and the provider in `server-timing`. A route that spends money
   * does so anyway.
   */
  isTimed?: boolean;
  /** Whether the route itself sends requests to providers. If not, a worker sends them. */
  callsProviders?: boolean;
  /** Whether the route accepts forms with files, which are larger than other bodies. */
  takesFiles?: boolean;
  /** Whether the route invokes models of Amazon Bedrock with the role of its function. */
  callsBedrock?: boolean;
}

type Paths = readonly [string, ...string[]];

export interface Route<Kind extends Credential = Credential> extends EndpointSpec<Kind> {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Paths below the stage `/v1`, in API Gateway's notation: `{slug+}` matches the rest of the path. */
  paths: Paths;
}

export interface QueueWorker extends FunctionSpec {
  batchSize: number;
  maxConcurrency: number;
  /** Number of attempts after which a message moves to the dead-letter queue. */
  maxReceiveCount: number;
  /** Age of the oldest message above which an alarm reports a problem of the worker. */
  lateAfterSeconds: number;
}

export interface ScheduledWorker extends FunctionSpec {
  everyMinutes: number;
}

function by(method: Route['method']) {
  return <Kind extends Credential>(paths: string | Paths, endpoint: EndpointSpec<Kind>): Route<Kind> => ({
    ...endpoint,
    method,
    paths: typeof paths === 'string' ? [paths] : paths,
  });
}

export const getRoute = by('GET');
export const postRoute = by('POST');
export const patchRoute = by('PATCH');
export const putRoute = by('PUT');
export const deleteRoute = by('DELETE');

const memoryMb = 512;

/** Returns a function that creates an endpoint from its file under api/ and its grants. */
function taking<Kind extends Credential>(credential: Kind, timeoutSeconds: number) {
  return (file: string, grants: Grants = {}): EndpointSpec<Kind> => ({
    entry: `api/${file}.ts`,
    credential,
    grants,
    timeoutSeconds,
    memoryMb,
  });
}

/** Returns a public route whose answer may be large. */
export function openLarge(file: string, grants?: Grants): EndpointSpec<'none'> {
  return { ...open(file, grants), streaming: true };
}

export const open = taking('none', 10);
export const inferring = taking('inference', 10);
export const managed = taking('management', 15);
/** Returns a route for both kinds of keys. */
export const keyed = taking('any', 10);

/** Actions that change the table. */
export const writingActions: readonly TableAction[] = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'];

/** Prefixes of the partitions that management changes. Records of requests, daily rows and seals are excluded. */
const managedPartitions = ['ACCOUNT#', 'AUDIT#', 'COUNTER#', 'IDEMPOTENCY#', 'KEY#', 'KEYS#', 'WORKSPACE#'];
/**
 * Prefixes of the partitions that a request to a model writes. Keys, accounts, workspaces and the audit log are
 * excluded.
 */
const spendingPartitions = [
  'COUNTER#',
  'FREE#',
  'GENERATION#',
  'HEALTH#',
  'IDEMPOTENCY#',
  'LEASE#',
  'MODELS#',
  'REFUSAL#',
  'WARM#',
];

/** Returns the permissions to look up the caller, and further actions on the table. */
export function reading(...more: TableAction[]): Grants {
  return { table: ['GetItem', 'BatchGetItem', ...more], secrets: ['pepper'] };
}

/** Returns the permissions to look up the caller, and to change accounts, keys, workspaces and their audit log. */
export function changing(...more: TableAction[]): Grants {
  return { ...reading(...more), writes: managedPartitions };
}

/** Returns the permissions to look up the caller, to hold money, and to record the request. */
export function spending(...morePartitions: string[]): Grants {
  return { ...reading('Query', 'PutItem', 'UpdateItem'), writes: [...spendingPartitions, ...morePartitions] };
}

/** Adds the permission to read the published catalog. */
export function ofCatalog(grants: Grants = {}): Grants {
  return { ...grants, catalog: true };
}

/**
 * Returns a route that holds money, reads the health of endpoints, sends the request to an endpoint, and reports the
 * spending.
 */
export function answering(file: string) {
  const grants: Grants = {
    ...ofCatalog(spending()),
    secrets: ['pepper', 'provider-keys'],
    sendTo: ['finalize-cost'],
  };
  return { ...inferring(file, grants), inference: true, callsProviders: true, changesGradually: true } as const;
}

/**
 * Returns a route that estimates a request. It has the same read permissions as an answering route, and writes nothing.
 */
export function estimating(file: string) {
  return inferring(file, { ...ofCatalog(reading('Query')), secrets: ['pepper', 'provider-keys'] });
}

/**
 * Modality as a row of the manifest. Its routes, their names and their files follow from the row.
 */
export interface ModalityRow {
  /** Name of one item in names of functions: `create-<one>`. */
  one: string;
  /** Paths of requests. The routes of the estimate and of the list of models are below the first path. */
  paths: Paths;
  /** Whether the models of the modality have their own list, `GET <path>/models`. */
  isListed: boolean;
  /** Facts of the function that answers. */
  answering: Partial<Pick<Route, 'streaming' | 'callsBedrock' | 'takesFiles' | 'timeoutSeconds' | 'memoryMb'>>;
}

/** Rows by the names of their folders under api/. */
type ModalityRows = Readonly<Record<string, ModalityRow>>;
type ListName<Kind, Row extends ModalityRow> = Row['isListed'] extends true ? `list-${Kind & string}-models` : never;

interface ModalityRoutes<Rows extends ModalityRows> {
  create: { [Kind in keyof Rows as `create-${Rows[Kind]['one']}`]: Route<'inference'> };
  estimate: { [Kind in keyof Rows as `estimate-${Rows[Kind]['one']}`]: Route<'inference'> };
  list: { [Kind in keyof Rows as ListName<Kind, Rows[Kind]>]: Route<'none'> };
}

/**
 * Returns the routes of requests (api/<kind>/create.ts), their estimates (api/<kind>/estimate.ts), and lists of models
 * (api/models/list-<kind>.ts).
 */
export function modalityRoutes<Rows extends ModalityRows>(rows: Rows): ModalityRoutes<Rows> {
  const routes: Record<keyof ModalityRoutes<Rows>, Record<string, Route>> = { create: {}, estimate: {}, list: {} };
  for (const [kind, { one, paths, isListed, answering: facts }] of Object.entries(rows)) {
    routes.create[`create-${one}`] = postRoute(paths, { ...answering(`${kind}/create`), ...facts });
    routes.estimate[`estimate-${one}`] = postRoute(`${paths[0]}/estimate`, estimating(`${kind}/estimate`));
    if (!isListed) continue;
    const list = openLarge(`models/list-${kind}`, ofCatalog(publicOnly('Query')));
    routes.list[`list-${kind}-models`] = getRoute(`${paths[0]}/models`, list);
  }
  return routes as ModalityRoutes<Rows>;
}

/** Returns permissions limited to the health of endpoints. */
export function healthOnly(...table: TableAction[]): Grants {
  return { table, partitions: ['HEALTH#'] };
}

/**
 * Returns permissions limited to the data in lists of models: the health of endpoints, and the budgets of free models.
 */
export function publicOnly(...table: TableAction[]): Grants {
  return { table, partitions: ['HEALTH#', 'FREE#BUDGET#'] };
}

type Stated = Pick<FunctionSpec, 'grants' | 'timeoutSeconds'> & Partial<FunctionSpec>;

/** Completes the facts of workers. Their files follow from their names. */
export function workers<Workers extends Record<string, Stated>>(
  stated: Workers,
): { [Name in keyof Workers]: Workers[Name] & FunctionSpec } {
  const complete = Object.entries(stated).map(([name, worker]) => [
    name,
    { entry: `workers/${name}/handler.ts`, memoryMb, ...worker },
  ]);
  return Object.fromEntries(complete) as ReturnType<typeof workers<Workers>>;
}

/**
 * Number of seconds by which API Gateway waits longer than a streaming function may run. So it receives the function's
 * last event.
 */
const INTEGRATION_MARGIN_SECONDS = 2;
/** Maximum duration of a stream in API Gateway. */
const MAX_STREAM_SECONDS = 900;
/** API Gateway's default timeout for functions that do not stream. */
const DEFAULT_INTEGRATION_SECONDS = 29;

/**
 * Content types of request bodies that a REST API passes to a function as bytes (in base64). It decompresses gzip and
 * deflate before, and refuses other encodings before it looks at this list.
 */
export const binaryMediaTypes = ['multipart/form-data'];

/** Returns the seconds that API Gateway waits for the whole answer of a function. */
export function integrationSeconds({ streaming, timeoutSeconds }: Pick<Route, 'streaming' | 'timeoutSeconds'>): number {
  return streaming
    ? Math.min(timeoutSeconds + INTEGRATION_MARGIN_SECONDS, MAX_STREAM_SECONDS)
    : DEFAULT_INTEGRATION_SECONDS;
}

/**
 * Returns the seconds for which a delivered message stays invisible. So a slow batch is not processed twice. After a
 * failure, the worker makes the message visible again within seconds.
 */
export function visibilityTimeoutSeconds({ timeoutSeconds }: QueueWorker): number {
  return 6 * timeoutSeconds;
}
