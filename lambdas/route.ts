/** Types of the manifest, and short functions that build its entries. This file imports nothing. */

/** "any" accepts both kinds of keys; "none" means that the route is public. */
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
/** Name of a queue, and of its worker. */
export type QueueName = 'finalize-cost' | 'roll-up-activity' | 'advance-videos' | 'check-alerts';
/**
 * Folder in the bucket. `video-requests`: requests that wait to be sent to a provider. `videos`: files from providers.
 */
export type ObjectFolder = 'video-requests' | 'videos';
/** Number of days after which the bucket's lifecycle rule deletes files of videos. */
export const FILES_KEPT_DAYS = 7;
/** AbortMultipartUpload is for files that are uploaded in parts with PutObject. */
export type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject' | 'AbortMultipartUpload';

/** IAM permissions of a function. The stacks add permissions for its logs, for Bedrock and for a worker's own queue. */
export interface Grants {
  table?: readonly TableAction[];
  /** Prefixes of the partition keys to which access is limited. Absent: all. */
  partitions?: readonly string[];
  /** Prefixes of the partition keys to which writes are limited. Absent: all that the function may read. */
  writes?: readonly string[];
  /** Whether access includes the table's indexes. */
  indexes?: boolean;
  objects?: Partial<Record<ObjectFolder, readonly ObjectAction[]>>;
  secrets?: readonly SecretName[];
  sendTo?: readonly QueueName[];
  /** Whether the function reads the published catalog. */
  catalog?: boolean;
  /** Whether the function starts exports of the table to the bucket of the books. */
  exports?: boolean;
  /** Whether the function signs statements of sealed days, and stores them in the bucket of the books. */
  seals?: boolean;
  /** Whether the function subscribes addresses to e-mails, or publishes e-mails. */
  mails?: 'subscribe' | 'publish';
  /** Queues whose message counts the function reads, with the counts of their dead-letter queues. */
  watch?: readonly QueueName[];
}

export interface FunctionSpec {
  /** Module under lambdas/ that exports `handler`. */
  entry: string;
  grants: Grants;
  timeoutSeconds: number;
  memoryMb: number;
  /** Size of the disk for temporary files, in MB. Absent: Lambda's minimum of 512 MB. */
  diskMb?: number;
  /**
   * Whether a deployment first sends a tenth of the invocations to new code, unless `canaryMinutes` is 0. If the new
   * code fails then, it is rolled back.
   */
  changesGradually?: boolean;
}

interface EndpointSpec<Kind extends Credential> extends FunctionSpec {
  credential: Kind;
  /**
   * Whether the response is streamed. Only then can it contain bytes of any kind and number, and be sent while it is
   * produced.
   */
  streaming?: boolean;
  /** Whether the function also has its own function URL. */
  functionUrl?: boolean;
  /** Whether the route spends money. Its responses then have the header x-generation-id. */
  inference?: boolean;
  /** Whether requests have tags: requests that spend money, and their estimates. */
  hasTags?: boolean;
  /**
   * Whether the route reports the times of gateway and provider in `server-timing`. Routes that spend money always do.
   */
  isTimed?: boolean;
  /** Whether the route itself sends paid requests to providers, instead of a worker. */
  callsProviders?: boolean;
  /** Whether the route accepts forms with files, which are larger than other bodies. */
  takesFiles?: boolean;
  /** Whether the route invokes models of Amazon Bedrock with the IAM role of its function. */
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
  /** Age in seconds of the oldest message above which an alarm reports a problem. */
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

/** Returns a function that builds an endpoint from its file under api/ and its permissions. */
function taking<Kind extends Credential>(credential: Kind, timeoutSeconds: number) {
  return (file: string, grants: Grants = {}): EndpointSpec<Kind> => ({
    entry: `api/${file}.ts`,
    credential,
    grants,
    timeoutSeconds,
    memoryMb,
  });
}

/** Returns a public route whose response may be large. */
export function openLarge(file: string, grants?: Grants): EndpointSpec<'none'> {
  return { ...open(file, grants), streaming: true };
}

export const open = taking('none', 10);
export const inferring = taking('inference', 10);
export const managed = taking('management', 15);
/** Returns a route that accepts both kinds of keys. */
export const keyed = taking('any', 10);

export const writingActions: readonly TableAction[] = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'];

/**
 * Prefixes of the partitions that most management routes may change. No management route may change records of
 * requests, daily rows or seals.
 */
const managedPartitions = ['ACCOUNT#', 'AUDIT#', 'COUNTER#', 'IDEMPOTENCY#', 'KEY#', 'KEYS#', 'WORKSPACE#'];
/**
 * Prefixes of the partitions that inference requests may write. Keys, accounts, workspaces and the audit log are
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
  'RATE#',
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

/** Returns the permissions to change limits, and to request a check of alerts afterwards. */
export function changingLimits(...more: TableAction[]): Grants {
  return { ...changing(...more), sendTo: ['check-alerts'] };
}

/** Returns the permissions to look up the caller, to hold money, and to record the request. */
export function spending(...morePartitions: string[]): Grants {
  return { ...reading('Query', 'PutItem', 'UpdateItem'), writes: [...spendingPartitions, ...morePartitions] };
}

/** Adds the permission to read the published catalog. */
export function ofCatalog(grants: Grants = {}): Grants {
  return { ...grants, catalog: true };
}

/** Returns a route that holds money, sends the request to an endpoint, and reports the spending for settlement. */
export function answering(file: string) {
  const grants: Grants = {
    ...ofCatalog(spending()),
    secrets: ['pepper', 'provider-keys'],
    sendTo: ['finalize-cost', 'check-alerts'],
  };
  const facts = { inference: true, hasTags: true, callsProviders: true, changesGradually: true } as const;
  return { ...inferring(file, grants), ...facts };
}

/** Returns a route that estimates a request: it reads the same data as an answering route, but writes nothing. */
export function estimating(file: string) {
  const grants: Grants = { ...ofCatalog(reading('Query')), secrets: ['pepper', 'provider-keys'] };
  return { ...inferring(file, grants), hasTags: true };
}

/** The names, paths and files of a modality's routes are derived from its row. */
export interface ModalityRow {
  /** Singular name of the modality, used in function names: `create-<one>`. */
  one: string;
  /** The estimate and the list of models are below the first path. */
  paths: Paths;
  /** Whether the models of the modality have their own list, `GET <path>/models`. */
  isListed: boolean;
  /** Properties of the function that answers requests. */
  answering: Partial<Pick<Route, 'streaming' | 'callsBedrock' | 'takesFiles' | 'timeoutSeconds' | 'memoryMb'>>;
}

/** Rows by the name of the modality's folder under api/. */
type ModalityRows = Readonly<Record<string, ModalityRow>>;
type ListName<Kind, Row extends ModalityRow> = Row['isListed'] extends true ? `list-${Kind & string}-models` : never;

interface ModalityRoutes<Rows extends ModalityRows> {
  create: { [Kind in keyof Rows as `create-${Rows[Kind]['one']}`]: Route<'inference'> };
  estimate: { [Kind in keyof Rows as `estimate-${Rows[Kind]['one']}`]: Route<'inference'> };
  list: { [Kind in keyof Rows as ListName<Kind, Rows[Kind]>]: Route<'none'> };
}

/**
 * Returns the routes of all modalities: requests (api/<kind>/create.ts), estimates (api/<kind>/estimate.ts), and lists
 * (api/models/list-<kind>.ts).
 */
export function modalityRoutes<Rows extends ModalityRows>(rows: Rows): ModalityRoutes<Rows> {
  const routes: Record<keyof ModalityRoutes<Rows>, Record<string, Route>> = { create: {}, estimate: {}, list: {} };
  for (const [kind, { one, paths, isListed, answering: facts }] of Object.entries(rows)) {
    routes.create[`create-${one}`] = postRoute(paths, { ...answering(`${kind}/create`), ...facts });
    const takesFiles = facts.takesFiles ? { takesFiles: true } : {};
    const estimate = { ...estimating(`${kind}/estimate`), ...takesFiles };
    routes.estimate[`estimate-${one}`] = postRoute(`${paths[0]}/estimate`, estimate);
    if (!isListed) continue;
    const list = openLarge(`models/list-${kind}`, ofCatalog(publicOnly('Query')));
    routes.list[`list-${kind}-models`] = getRoute(`${paths[0]}/models`, list);
  }
  return routes as ModalityRoutes<Rows>;
}

/** Returns the permissions to change settings of alerts, and to subscribe addresses to e-mails. */
export function changingAlerts(): Grants {
  return { ...reading('PutItem', 'DeleteItem'), writes: ['ALERTS#', 'AUDIT#'], mails: 'subscribe' };
}

/** Returns the permissions to publish and deliver notices. */
export function notifying(more: Grants = {}): Grants {
  const table: TableAction[] = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem'];
  return { table, writes: ['ALERTS#', 'NOTICES#'], secrets: ['pepper'], mails: 'publish', ...more };
}

/** Returns the permissions for the health of endpoints only. */
export function healthOnly(...table: TableAction[]): Grants {
  return { table, partitions: ['HEALTH#'] };
}

/** Returns the permissions for routes that only show models: the health of endpoints, and the budgets of free models. */
export function publicOnly(...table: TableAction[]): Grants {
  return { table, partitions: ['HEALTH#', 'FREE#BUDGET#'] };
}

type Stated = Pick<FunctionSpec, 'grants' | 'timeoutSeconds'> & Partial<FunctionSpec>;

/** Adds the default properties of workers. Their files are derived from their names. */
export function workers<Workers extends Record<string, Stated>>(
  stated: Workers,
): { [Name in keyof Workers]: Workers[Name] & FunctionSpec } {
  const complete = Object.entries(stated).map(([name, worker]) => [
    name,
    { entry: `workers/${name}/handler.ts`, memoryMb, ...worker },
  ]);
  return Object.fromEntries(complete) as ReturnType<typeof workers<Workers>>;
}

/** Number of seconds for which API Gateway waits after a streaming function's timeout, to receive its last event. */
const INTEGRATION_MARGIN_SECONDS = 2;
/** Maximum duration of a stream in API Gateway, in seconds. */
const MAX_STREAM_SECONDS = 900;
/** API Gateway's default timeout for non-streaming functions, in seconds. */
const DEFAULT_INTEGRATION_SECONDS = 29;

/**
 * Content types of bodies that a REST API passes to a function as bytes (in base64). Before that, it decompresses gzip
 * and deflate, and rejects other encodings.
 */
export const binaryMediaTypes = ['multipart/form-data'];

/** Returns the number of seconds for which API Gateway waits for a function's complete response. */
export function integrationSeconds({ streaming, timeoutSeconds }: Pick<Route, 'streaming' | 'timeoutSeconds'>): number {
  return streaming
    ? Math.min(timeoutSeconds + INTEGRATION_MARGIN_SECONDS, MAX_STREAM_SECONDS)
    : DEFAULT_INTEGRATION_SECONDS;
}

/**
 * Returns the number of seconds for which a delivered message stays invisible, so that a slow batch is not processed
 * twice.
 */
export function visibilityTimeoutSeconds({ timeoutSeconds }: QueueWorker): number {
  return 6 * timeoutSeconds;
}
