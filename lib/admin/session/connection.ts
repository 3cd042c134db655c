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
  data: string;
  /** Name of a table on AWS; if set, local data is not used. */
  table?: string | undefined;
  /**
   * ARN of the secret with the deployment's pepper (a secret that is part of every key's hash), for commands that
   * create keys or secrets.
   */
  pepperSecret?: string | undefined;
}

interface MayCreate {
  /** If false, a directory without data is rejected, because its name may be misspelled. */
  mayCreate: boolean;
  /** If true, the directory may lack a database, because the command restores its content. */
  restores?: boolean;
}

/**
 * Opens the table on which a command works: of a deployment on AWS, with the caller's credentials; of a running local
 * gateway; or the local data itself.
 * @throws {StartFailure} if there is no data and the command must not create any, if another process uses the data, if
 *   the table does not exist or cannot be reached, or if DYNAMODB_ENDPOINT is wrong
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
      `There is no gateway data in ${state.directory}. Pass the right directory with --data, or create data with "accounts create" or "npm start".`,
    );
  }
  process.env[variables.secretsFile] = state.secretsFile();
  const isGone = state.bootstrapped() !== undefined && !hasDatabase(state.directory);
  if (isGone && !options.restores && !state.running() && !process.env['DYNAMODB_ENDPOINT']) {
    throw new StartFailure(
      `The records of ${state.directory} are in another DynamoDB. Set DYNAMODB_ENDPOINT to the value that npm start had.`,
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

function refuseWrongEndpoint(endpoint: string | undefined): void {
  if (!endpoint || (URL.canParse(endpoint) && /^https?:/.test(endpoint))) return;
  throw new StartFailure(`DYNAMODB_ENDPOINT must be a URL such as http://127.0.0.1:8000, not "${endpoint}".`);
}

/** Time to wait for a gateway that is starting or stopping. */
const IN_USE_MS = 30_000;

/**
 * Returns the addresses of the running gateway, or else of the database for this command: the database at
 * DYNAMODB_ENDPOINT, or one that is started now.
 * @throws {DirectoryInUse} if the directory is still in use after the waiting time
 */
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

/** Opens the database for this command. A database at DYNAMODB_ENDPOINT needs no claim of the directory. */
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

/** A database that became unreachable may have made the change before its reply was lost. */
const LOOK_FIRST = 'If the command changes something, check whether it did before you repeat it.';

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
  // The SDK finds credentials like other AWS tools, for example in the environment, a profile, or a container.
  const { credentials, region } = sdkClient().config;
  runAs({ credentials, region, endpoints: profileEndpoints });
  try {
    return await work(tableAt(name), undefined);
  } catch (error) {
    const reason = whyUnreachable(error);
    if (reason !== undefined) {
      throw new StartFailure(
        `AWS cannot be reached in the region "${await region()}" (${reason}). Check AWS_REGION and the network connection. ${LOOK_FIRST}`,
      );
    }
    if (!(error instanceof AwsError && error.name === 'ResourceNotFoundException')) throw error;
    throw new StartFailure(
      `There is no table "${name}" in the region "${await region()}", or the secret does not exist. Use the deployment's outputs TableName and PepperSecretArn.`,
    );
  }
}
