import { variables } from '../../lambdas/platform/environment.ts';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AwsIdentity } from '../../lambdas/platform/aws-identity.ts';
import { openTable, type Table } from '../../lambdas/store/table.ts';
import { createTable, LOCAL_TABLE, startDynamodb } from '../local/dynamodb.ts';
import { StartFailure } from '../local/failure.ts';
import { holdsData } from '../local/private-files.ts';
import { LocalState } from '../local/state.ts';

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
  if (options.table) {
    if (options.pepperSecret) process.env[variables.pepperSecret] = options.pepperSecret;
    return work(openTable({ name: options.table, identity: callersIdentity() }), undefined);
  }
  const state = LocalState.at(options.data);
  if (!options.mayCreate && !holdsData(state.directory)) {
    throw new StartFailure(
      `No gateway has its data in ${state.directory}. Name the right directory with --data; "accounts create" and "npm start" make a new one.`,
    );
  }
  process.env[variables.secretsFile] = state.secretsFile();
  const running = state.running();
  if (running) return work(openTable({ endpoint: running.dynamodb_endpoint, name: running.table_name }), state);
  const dynamodb = await startDynamodb(state.directory);
  try {
    await createTable(dynamodb.endpoint, LOCAL_TABLE);
    return await work(openTable({ endpoint: dynamodb.endpoint, name: LOCAL_TABLE }), state);
  } finally {
    await dynamodb.stop();
  }
}

/** As the SDK finds it: in the environment, a profile, a session of AWS' own command line. */
function callersIdentity(): AwsIdentity {
  const { credentials, region } = new DynamoDBClient({}).config;
  return { credentials, region };
}
