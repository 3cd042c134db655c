import { variables } from '../../lambdas/platform/environment.ts';
import { openTable, type Table } from '../../lambdas/store/table.ts';
import { createTable, startDynamodb } from '../local/dynamodb.ts';
import { LocalState } from '../local/state.ts';

export interface ConnectionOptions {
  /** Directory of a local gateway. */
  data: string;
  /** Name of a table on AWS; the local data is not used then. */
  table?: string | undefined;
  /** ARN of the deployment's pepper, needed to create keys on AWS. */
  pepperSecret?: string | undefined;
}

const LOCAL_TABLE = 'model-gateway-local';

/**
 * Opens the table that a command works on: of the gateway that runs on the local data, else of that data itself, or,
 * by table name, of a deployment on AWS with the caller's own credentials.
 */
export async function withTable<Result>(
  options: ConnectionOptions,
  work: (table: Table, local: LocalState | undefined) => Promise<Result>,
): Promise<Result> {
  if (options.table) {
    if (options.pepperSecret) process.env[variables.pepperSecret] = options.pepperSecret;
    return work(openTable({ name: options.table }), undefined);
  }
  const state = LocalState.at(options.data);
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
