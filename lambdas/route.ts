/** Types of the manifest: the facts of a function, and short ways to state them. It imports nothing. */

/** The kind of key that a route takes. "any" takes both kinds, "none" is public. */
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
/** A queue has the name of its worker. */
export type QueueName = 'finalize-cost' | 'roll-up-activity' | 'advance-videos';
/** A folder of the bucket: files that wait to be sent to a provider, and files made by providers. */
export type ObjectFolder = 'video-requests' | 'videos';
/** Parts of an upload need the same action as a whole file. */
export type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject' | 'AbortMultipartUpload';

/** All rights of a function, in addition to its logs. */
export interface Grants {
  table?: readonly TableAction[];
  /** Limits access to partitions whose keys begin with one of these words; all partitions if absent. */
  partitions?: readonly string[];
  /** Limits writes to partitions whose keys begin with one of these words; all readable partitions if absent. */
  writes?: readonly string[];
  /** Access to the table's indexes too. */
  indexes?: boolean;
  objects?: Partial<Record<ObjectFolder, readonly ObjectAction[]>>;
  secrets?: readonly SecretName[];
  sendTo?: readonly QueueName[];
  /** Reads the published catalog. */
  catalog?: boolean;
  /** Starts exports of the table to the bucket of the books. */
  exports?: boolean;
  /** Signs statements of days, and stores them in the bucket of the books. */
  seals?: boolean;
  /** Reads the message counts of these queues and of their dead-letter queues. */
  watch?: readonly QueueName[];
}

export interface FunctionSpec {
  /** Module under lambdas/ that exports `handler`. */
  entry: string;
  grants: Grants;
  timeoutSeconds: number;
  memoryMb: number;
  /** A deployment first gives its new code a tenth of the work, and rolls back if that fails. */
  changesGradually?: boolean;
}

/** A function that answers requests. */
interface EndpointSpec<Kind extends Credential> extends FunctionSpec {
  credential: Kind;
  /** Answers through response streaming: while it produces the answer, with any bytes, and of any size. */
  streaming?: boolean;
  /** Also answers on a function URL of its own. */
  functionUrl?: boolean;
  /** Spends money, so every answer has x-generation-id. */
  inference?: boolean;
  /** Reports the time of the gateway and the provider in `server-timing`. Routes that spend money always do. */
  isTimed?: boolean;
  /** Sends requests to providers itself, instead of handing that to a worker. */
  asksProviders?: boolean;
  /** Invokes models of Amazon Bedrock with the role of its function. */
  asksBedrock?: boolean;
}

type Paths = readonly [string, ...string[]];

export interface Route<Kind extends Credential = Credential> extends EndpointSpec<Kind> {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the stage `/v1`, in API Gateway's notation: `{slug+}` matches the rest of the path. */
  paths: Paths;
}

export interface QueueWorker extends FunctionSpec {
  batchSize: number;
  maxConcurrency: number;
  /** After this many attempts, a message moves to the dead-letter queue. */
  maxReceiveCount: number;
  /** If the oldest message is older than this, the worker has a problem. */
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

/** @returns a function that states an endpoint by its file under api/ and its grants */
function taking<Kind extends Credential>(credential: Kind, timeoutSeconds: number) {
  return (file: string, grants: Grants = {}): EndpointSpec<Kind> => ({
    entry: `api/${file}.ts`,
    credential,
    grants,
    timeoutSeconds,
    memoryMb,
  });
}

/** A public route whose answer may be large. */
export function openLarge(file: string, grants?: Grants): EndpointSpec<'none'> {
  return { ...open(file, grants), streaming: true };
}

export const open = taking('none', 10);
export const inferring = taking('inference', 10);
export const managed = taking('management', 15);
/** For both kinds of keys. */
export const keyed = taking('any', 10);

/** Actions that change the table. */
export const writingActions: readonly TableAction[] = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'];

/** Items that management changes. Excludes records of requests, daily rows and seals. */
const managedPartitions = ['ACCOUNT#', 'AUDIT#', 'COUNTER#', 'IDEMPOTENCY#', 'KEY#', 'KEYS#', 'WORKSPACE#'];
/** Items that a request to a model writes. Excludes keys, accounts, workspaces and the audit. */
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

/** Rights to look up the caller, and further actions on the table. */
export function reading(...more: TableAction[]): Grants {
  return { table: ['GetItem', 'BatchGetItem', ...more], secrets: ['pepper'] };
}

/** Rights to look up the caller, and to change management's items. */
export function changing(...more: TableAction[]): Grants {
  return { ...reading(...more), writes: managedPartitions };
}

/** Rights to look up the caller, to hold money, and to record the request. */
export function spending(...morePartitions: string[]): Grants {
  return { ...reading('Query', 'PutItem', 'UpdateItem'), writes: [...spendingPartitions, ...morePartitions] };
}

/** The same rights, and the right to read the published catalog. */
export function ofCatalog(grants: Grants = {}): Grants {
  return { ...grants, catalog: true };
}

/**
 * A route that holds money, reads the health of endpoints, sends the request to one of them, and reports the spending.
 */
export function answering(file: string) {
  const grants: Grants = {
    ...ofCatalog(spending()),
    secrets: ['pepper', 'provider-keys'],
    sendTo: ['finalize-cost'],
  };
  return { ...inferring(file, grants), inference: true, asksProviders: true, changesGradually: true } as const;
}

/** A route that estimates a request: it reads the same as an answering route, and writes nothing. */
export function estimating(file: string) {
  return inferring(file, { ...ofCatalog(reading('Query')), secrets: ['pepper', 'provider-keys'] });
}

/**
 * A modality with complete answers, as a row of the manifest. Its routes, their names and their files follow from it.
 */
export interface ModalityRow {
  /** Its name in names of functions: `create-<one>`. */
  one: string;
  /** Paths of requests. The estimate and the list of models are below the first one. */
  paths: Paths;
  /** Its models have their own list, `GET <path>/models`. */
  isListed: boolean;
  /** Facts of the function that answers. */
  answering: Partial<Pick<Route, 'streaming' | 'asksBedrock' | 'timeoutSeconds' | 'memoryMb'>>;
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
 * Routes of requests (api/<kind>/create.ts), their estimates (api/<kind>/estimate.ts), and lists of models
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

/** Rights limited to the health of endpoints. */
export function healthOnly(...table: TableAction[]): Grants {
  return { table, partitions: ['HEALTH#'] };
}

/** Rights limited to the data in lists of models: the health of endpoints, and the budgets of free models. */
export function publicOnly(...table: TableAction[]): Grants {
  return { table, partitions: ['HEALTH#', 'FREE#BUDGET#'] };
}

type Stated = Pick<FunctionSpec, 'grants' | 'timeoutSeconds'> & Partial<FunctionSpec>;

/** Workers. Their files follow from their names. */
export function workers<Workers extends Record<string, Stated>>(
  stated: Workers,
): { [Name in keyof Workers]: Workers[Name] & FunctionSpec } {
  const complete = Object.entries(stated).map(([name, worker]) => [
    name,
    { entry: `workers/${name}/handler.ts`, memoryMb, ...worker },
  ]);
  return Object.fromEntries(complete) as ReturnType<typeof workers<Workers>>;
}

/** API Gateway waits longer than a streaming function may run, so that it receives the function's own last event. */
const DOOR_STAYS_SECONDS = 2;
/** Maximum duration of a stream in API Gateway. */
const MAX_STREAM_SECONDS = 900;
/** API Gateway's default timeout for functions that do not stream. */
const DEFAULT_DOOR_SECONDS = 29;

/** How long API Gateway waits for the whole answer of a function. */
export function doorSeconds({ streaming, timeoutSeconds }: Pick<Route, 'streaming' | 'timeoutSeconds'>): number {
  return streaming ? Math.min(timeoutSeconds + DOOR_STAYS_SECONDS, MAX_STREAM_SECONDS) : DEFAULT_DOOR_SECONDS;
}

/**
 * How long a delivered message stays invisible, so that a slow batch is not processed twice. A message that failed on
 * its own does not wait that long: its worker makes it visible again within seconds.
 */
export function visibilityTimeoutSeconds({ timeoutSeconds }: QueueWorker): number {
  return 6 * timeoutSeconds;
}
