import { setTimeout as sleep } from 'node:timers/promises';
import { variables } from '../../../lambdas/platform/environment.ts';
import { runAs } from '../../../lambdas/platform/aws/aws-identity.ts';
import { AwsError } from '../../../lambdas/platform/aws/aws-call.ts';
import { tableAt, type Table } from '../../../lambdas/store/table/table.ts';
import { claimDirectory, DirectoryInUse } from '../../shared/data-directory/directory-claim.ts';
import { sdkClient } from '../../shared/database/sdk-client.ts';
import { createTable, LOCAL_TABLE, startDynamodb, type LocalDynamodb } from '../../shared/database/dynamodb.ts';
import { StartFailure } from '../../shared/failure.ts';
import { hasDatabase, holdsData, makePrivateDirectory } from '../../shared/data-directory/private-files.ts';
import { LocalState, type RunFile } from '../../shared/data-directory/state.ts';
import { profileEndpoints } from './profile-endpoints.ts';
import { whyUnreachable } from '../../shared/unreachable.ts';

export interface ConnectionOptions {
  /** Directory of a local gateway. */
  data: string;
  /** Name of a table on AWS; the local data is not used then. */
  table?: string | undefined;
  /** ARN of the deployment's pepper, needed to create keys on AWS. */
  pepperSecret?: string | undefined;
}

interface MayCreate {
  /** Whether new data may be made where there is none; otherwise a mistyped directory is refused. */
  mayCreate: boolean;
  /** The database may be gone, and is put back. */
  restores?: boolean;
}

/**
 * Opens the table that a command works on: of the gateway that runs on the local data, else of that data itself, or,
 * by table name, of a deployment on AWS with the caller's own credentials.
 * @throws {StartFailure} where there is no data, and none may be made.
 */
export async function withTable<Result>(
  options: ConnectionOptions & MayCreate,
  work: (table: Table, local: LocalState | undefined) => Promise<Result>,
): Promise<Result> {
  if (options.table) return onAws(options.table, options, work);
  refuseWrongEndpoint(process.env['DYNAMODB_ENDPOINT']);
  const state = LocalState.at(options.data);
  if (!options.mayCreate && !holdsData(state.directory)) {
    throw new StartFailure(
      `No gateway has its data in ${state.directory}. Name the right directory with --data; "accounts create" and "npm start" make a new one.`,
    );
  }
  process.env[variables.secretsFile] = state.secretsFile();
  const isGone = state.bootstrapped() !== undefined && !hasDatabase(state.directory);
  if (isGone && !options.restores && !state.running() && !process.env['DYNAMODB_ENDPOINT']) {
    throw new StartFailure(
      `The gateway of ${state.directory} has its records in a DynamoDB of its own. Set DYNAMODB_ENDPOINT as it was set for npm start.`,
    );
  }
  const dynamodb = await runningOrOwn(state);
  if ('pid' in dynamodb) return ofRunning(dynamodb, (table) => work(table, state));
  try {
    await createTable(dynamodb.endpoint, LOCAL_TABLE);
    return await work(tableAt(LOCAL_TABLE, dynamodb.endpoint), state);
  } finally {
    await dynamodb.stop();
  }
}

/** @throws {StartFailure} for an address that a client of DynamoDB cannot use */
function refuseWrongEndpoint(endpoint: string | undefined): void {
  if (!endpoint || (URL.canParse(endpoint) && /^https?:/.test(endpoint))) return;
  throw new StartFailure(`DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "${endpoint}".`);
}

/** Longer than a gateway takes to start or to stop. */
const IN_USE_MS = 30_000;

/** The running gateway, also one that is about to run; else a database of the command's own. */
async function runningOrOwn(state: LocalState): Promise<RunFile | LocalDynamodb> {
  const deadline = performance.now() + IN_USE_MS;
  for (;;) {
    const running = state.running();
    if (running) return running;
    try {
      return await ownDatabase(state);
    } catch (error) {
      if (!(error instanceof DirectoryInUse) || performance.now() > deadline) throw error;
    }
    await sleep(100);
  }
}

/** A database of the command's own, on a directory that it has claimed; or the one at DYNAMODB_ENDPOINT, which needs no claim. */
async function ownDatabase({ directory }: LocalState): Promise<LocalDynamodb> {
  if (process.env['DYNAMODB_ENDPOINT']) return startDynamodb(directory);
  makePrivateDirectory(directory);
  const release = await claimDirectory(directory, { waitMs: 0 });
  try {
    const { stop, ...dynamodb } = await startDynamodb(directory);
    return { ...dynamodb, stop: () => stop().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

/** The reply may be what was lost. */
const LOOK_FIRST = 'If the command was to change something, look whether it has before you repeat it.';

async function ofRunning<Result>(
  { dynamodb_endpoint: endpoint, table_name: name }: RunFile,
  work: (table: Table) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(tableAt(name, endpoint));
  } catch (error) {
    const reason = whyUnreachable(error);
    if (reason === undefined) throw error;
    throw new StartFailure(
      `The running gateway's DynamoDB cannot be reached at ${endpoint} (${reason}). ${LOOK_FIRST}`,
    );
  }
}

async function onAws<Result>(
  name: string,
  { pepperSecret }: ConnectionOptions,
  work: (table: Table, local: undefined) => Promise<Result>,
): Promise<Result> {
  if (pepperSecret) process.env[variables.pepperSecret] = pepperSecret;
  // The SDK finds them where all tools of AWS do: in the environment, a profile, a session of single sign-on, a container.
  const { credentials, region } = sdkClient().config;
  runAs({ credentials, region, endpoints: profileEndpoints });
  try {
    return await work(tableAt(name), undefined);
  } catch (error) {
    const reason = whyUnreachable(error);
    if (reason !== undefined) {
      throw new StartFailure(
        `AWS cannot be reached in the region "${await region()}" (${reason}). Is AWS_REGION right, and this machine online? ${LOOK_FIRST}`,
      );
    }
    if (!(error instanceof AwsError && error.name === 'ResourceNotFoundException')) throw error;
    throw new StartFailure(
      `There is no table "${name}" in the region "${await region()}", or a secret is not there. The deployment's outputs TableName and PepperSecretArn name both.`,
    );
  }
}
