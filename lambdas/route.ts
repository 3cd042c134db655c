/** What the manifest is made of: the facts of a function, and short ways to state them. It imports nothing. */

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
/** A queue has the name of its worker. */
export type QueueName = 'finalize-cost' | 'roll-up-activity' | 'advance-videos';
/** A folder of the bucket: what waits to be sent to a provider, and what providers have made. */
export type ObjectFolder = 'video-requests' | 'videos';
/** Parts of an upload are put like a whole file. */
export type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject' | 'AbortMultipartUpload';

/** Everything a function may touch besides its logs. */
export interface Grants {
  table?: readonly TableAction[];
  /** The table's partitions whose keys begin with one of these words; all, where there is none. */
  partitions?: readonly string[];
  /** Items are written in partitions whose keys begin with one of these words; in all that may be read, where there is none. */
  writes?: readonly string[];
  /** The indexes as well as the table. */
  indexes?: boolean;
  objects?: Partial<Record<ObjectFolder, readonly ObjectAction[]>>;
  secrets?: readonly SecretName[];
  sendTo?: readonly QueueName[];
  /** Reads the catalog that is published. */
  catalog?: boolean;
  /** Begins exports of the table to the bucket of the books. */
  exports?: boolean;
  /** Signs statements of days, and keeps them in the bucket of the books. */
  seals?: boolean;
  /** Counts of the messages in these queues and in their dead-letter queues. */
  watch?: readonly QueueName[];
}

export interface FunctionSpec {
  /** Module under lambdas/ that exports `handler`. */
  entry: string;
  grants: Grants;
  timeoutSeconds: number;
  memoryMb: number;
  /** A deployment gives its new code a tenth of the work first, and takes it back where that fails. */
  changesGradually?: boolean;
}

/** A function that answers requests. */
interface EndpointSpec<Kind extends Credential> extends FunctionSpec {
  credential: Kind;
  /** Answers through response streaming: as it is made, with any bytes, and of any size. */
  streaming?: boolean;
  /** Answers on a function URL of its own, too. */
  functionUrl?: boolean;
  /** Spends money: every answer carries x-generation-id. */
  inference?: boolean;
  /** Tells the gateway's time and the provider's in `server-timing`, as all that spends money does. */
  isTimed?: boolean;
  /** Asks providers itself, instead of handing that over to a worker. */
  asksProviders?: boolean;
  /** Invokes models of Amazon Bedrock with the role of its function. */
  asksBedrock?: boolean;
}

type Paths = readonly [string, ...string[]];

export interface Route<Kind extends Credential = Credential> extends EndpointSpec<Kind> {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the stage `/v1`, as API Gateway writes it: `{slug+}` takes the rest of the path. */
  paths: Paths;
}

export interface QueueWorker extends FunctionSpec {
  batchSize: number;
  maxConcurrency: number;
  /** After this many attempts a message goes to the dead letters. */
  maxReceiveCount: number;
  /** An oldest message of this age means that something is wrong with the worker. */
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

/** @returns a way to state an endpoint by its file under api/ and its grants. */
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

/** Items that management changes. Records of requests, daily rows and seals are not among them. */
const managedPartitions = ['ACCOUNT#', 'AUDIT#', 'COUNTER#', 'IDEMPOTENCY#', 'KEY#', 'KEYS#', 'WORKSPACE#'];
/** Items that a request to a model writes. Keys, accounts, workspaces and the audit are not among them. */
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

/** The rights to find out who is calling, and further actions on the table. */
export function reading(...more: TableAction[]): Grants {
  return { table: ['GetItem', 'BatchGetItem', ...more], secrets: ['pepper'] };
}

/** The rights to find out who is calling, and to change what management changes. */
export function changing(...more: TableAction[]): Grants {
  return { ...reading(...more), writes: managedPartitions };
}

/** The rights to find out who is calling, to hold money, and to keep what a request was. */
export function spending(...morePartitions: string[]): Grants {
  return { ...reading('Query', 'PutItem', 'UpdateItem'), writes: [...spendingPartitions, ...morePartitions] };
}

/** The same rights, and to read the catalog that is published. */
export function ofCatalog(grants: Grants = {}): Grants {
  return { ...grants, catalog: true };
}

/** A route that holds money, looks how endpoints are doing, asks one of them, and reports what was spent. */
export function answering(file: string) {
  const grants: Grants = {
    ...ofCatalog(spending()),
    secrets: ['pepper', 'provider-keys'],
    sendTo: ['finalize-cost'],
  };
  return { ...inferring(file, grants), inference: true, asksProviders: true, changesGradually: true } as const;
}

/** A route that foresees what one that answers would do: it reads the same, and writes nothing. */
export function estimating(file: string) {
  return inferring(file, { ...ofCatalog(reading('Query')), secrets: ['pepper', 'provider-keys'] });
}

/** A modality whose answers are whole, as the manifest states it. Its routes, their names and their files follow from it. */
export interface ModalityRow {
  /** Its name in names of functions: `create-<one>`. */
  one: string;
  /** Paths of requests. The estimate and the list of models are below the first one. */
  paths: Paths;
  /** Its models have a list of their own, `GET <path>/models`. */
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

/** Requests (api/<kind>/create.ts), their estimates (api/<kind>/estimate.ts), and lists of models (api/models/list-<kind>.ts). */
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

/** Rights that end at what is known of the endpoints' health. */
export function healthOnly(...table: TableAction[]): Grants {
  return { table, partitions: ['HEALTH#'] };
}

/** Rights that end at what lists of models show: endpoints' health, and the budgets of free models. */
export function publicOnly(...table: TableAction[]): Grants {
  return { table, partitions: ['HEALTH#', 'FREE#BUDGET#'] };
}

type Stated = Pick<FunctionSpec, 'grants' | 'timeoutSeconds'> & Partial<FunctionSpec>;

/** Workers, whose files follow from their names. */
export function workers<Workers extends Record<string, Stated>>(
  stated: Workers,
): { [Name in keyof Workers]: Workers[Name] & FunctionSpec } {
  const complete = Object.entries(stated).map(([name, worker]) => [
    name,
    { entry: `workers/${name}/handler.ts`, memoryMb, ...worker },
  ]);
  return Object.fromEntries(complete) as ReturnType<typeof workers<Workers>>;
}

/** The door waits longer than a function that streams may take, so that the function's own last words are heard. */
const DOOR_STAYS_SECONDS = 2;
/** API Gateway streams for no longer. */
const MAX_STREAM_SECONDS = 900;
/** It waits so long for what does not stream, where its method says nothing else. */
const DEFAULT_DOOR_SECONDS = 29;

/** How long API Gateway waits for the whole answer of a function. */
export function doorSeconds({ streaming, timeoutSeconds }: Pick<Route, 'streaming' | 'timeoutSeconds'>): number {
  return streaming ? Math.min(timeoutSeconds + DOOR_STAYS_SECONDS, MAX_STREAM_SECONDS) : DEFAULT_DOOR_SECONDS;
}

/**
 * How long a message that was delivered is not delivered again: a slow batch must not be processed twice. A message that
 * failed on its own does not wait that long: its worker makes it visible again in seconds.
 */
export function visibilityTimeoutSeconds({ timeoutSeconds }: QueueWorker): number {
  return 6 * timeoutSeconds;
}
