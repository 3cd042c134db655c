import { spawn, type ChildProcess } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { localCredentials } from '../../../lambdas/platform/aws/sdk.ts';
import { tableDefinition } from '../table-definition.ts';
import { needChild } from '../children.ts';
import { findDynamodb, type DynamodbProgram } from './dynamodb-program.ts';
import { StartFailure } from '../failure.ts';
import { freePort } from '../free-port.ts';
import { makePrivateDirectory } from '../data-directory/private-files.ts';
import { guardProgram } from './guard-program.ts';
import { whyUnreachable } from '../unreachable.ts';

export interface LocalDynamodb {
  endpoint: string;
  /**
   * Resolves with a sentence if the database's process has ended by itself. Never resolves for a DynamoDB at
   * DYNAMODB_ENDPOINT.
   */
  lost: Promise<string>;
  stop: () => Promise<void>;
}

export const LOCAL_TABLE = 'model-gateway-local';

/**
 * Starts a DynamoDB on this machine, or uses the DynamoDB at DYNAMODB_ENDPOINT.
 * @param directory directory for the data, which the caller has claimed; if undefined, the data is kept in memory
 * @throws {StartFailure} if this machine has no program for DynamoDB, or if the program does not start
 */
export async function startDynamodb(directory: string | undefined, program?: DynamodbProgram): Promise<LocalDynamodb> {
  const external = process.env['DYNAMODB_ENDPOINT'];
  if (external) return { endpoint: external, lost: new Promise(() => {}), stop: async () => {} };
  if (directory) makePrivateDirectory(directory);
  return runDynamodb(program ?? findDynamodb(directory), directory);
}

async function runDynamodb(program: DynamodbProgram, directory: string | undefined): Promise<LocalDynamodb> {
  const port = await freePort();
  // The database has its own process group, so that Ctrl-C does not end it before the gateway has recorded spending.
  const guard = spawn(process.execPath, [guardProgram, ...program.command(port, directory)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  let lastOutput = '';
  guard.stderr.on('data', (chunk: Buffer) => (lastOutput = `${lastOutput}${chunk.toString()}`.slice(-500)));
  const { lost, stop } = needChild(guard, {
    name: 'The database process',
    lastWords: () => lastOutput,
    end: () => guard.stdin.end(),
  });
  const endpoint = `http://127.0.0.1:${port}`;
  if (!(await answersIn(program.startTimeoutMs, guard, endpoint))) {
    await stop();
    throw new StartFailure(
      `DynamoDB did not start: ${lastOutput.trim().split('\n').at(-1) || 'it printed no reason'}.`,
    );
  }
  // Output of the successful start does not explain a later end.
  lastOutput = '';
  return { endpoint, lost, stop };
}

/** Returns whether the database answers in time, before its process ends. */
async function answersIn(timeoutMs: number, guard: ChildProcess, endpoint: string): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline && guard.exitCode === null && guard.signalCode === null) {
    const isThere = await isAnswering(endpoint);
    if (isThere) return true;
    await sleep(10);
  }
  return false;
}

/** Returns whether a server answers at the URL. `fetch` would load a large part of Node. */
function isAnswering(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, signal: AbortSignal.timeout(500) }, (response) => {
      response.destroy();
      resolve(true);
    });
    request.once('error', () => resolve(false));
  });
}

/**
 * Creates the gateway's table if it does not exist yet.
 * @throws {StartFailure} if the database cannot be reached
 */
export async function createTable(endpoint: string, tableName: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials: localCredentials });
  const { partitionKey, sortKey, indexes } = tableDefinition;
  const attributes = new Set([partitionKey, sortKey, ...indexes.flatMap(({ partition, sort }) => [partition, sort])]);
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [...attributes].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
        KeySchema: keySchema(partitionKey, sortKey),
        GlobalSecondaryIndexes: indexes.map((index) => ({
          IndexName: index.name,
          KeySchema: keySchema(index.partition, index.sort),
          Projection:
            index.projected.length > 0
              ? { ProjectionType: 'INCLUDE', NonKeyAttributes: index.projected }
              : { ProjectionType: 'KEYS_ONLY' },
        })),
      }),
    );
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    const reason = whyUnreachable(error);
    if (reason === undefined) throw error;
    throw new StartFailure(`DynamoDB cannot be reached at ${endpoint} (${reason}).${ownEndpointHint(endpoint)}`);
  } finally {
    client.destroy();
  }
}

function ownEndpointHint(endpoint: string): string {
  return endpoint === process.env['DYNAMODB_ENDPOINT']
    ? ' Check the variable DYNAMODB_ENDPOINT, which names this address.'
    : '';
}

function keySchema(partition: string, sort: string) {
  return [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
}
