import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { localCredentials } from '../../lambdas/platform/sdk.ts';
import { tableDefinition } from '../table-definition.ts';
import { adoptChild, needChild } from './children.ts';
import { claimDirectory } from './directory-claim.ts';
import { StartFailure } from './failure.ts';
import { freePort } from './free-port.ts';
import { whyUnreachable } from './unreachable.ts';
import { makePrivateDirectory, privateDatabase, privateFile } from './private-files.ts';

/** A DynamoDB that answers on this machine. */
export interface LocalDynamodb {
  endpoint: string;
  /** Resolves with a sentence when its process has ended by itself; of one at DYNAMODB_ENDPOINT nothing is known. */
  lost: Promise<string>;
  stop: () => Promise<void>;
}

/** The table in a data directory. */
export const LOCAL_TABLE = 'model-gateway-local';

const require = createRequire(import.meta.url);
const DATABASE_START_TIMEOUT_MS = 5_000;
/** Commands take a second or two. */
const DATABASE_CLAIM_WAIT_MS = 10_000;

/**
 * Starts the DynamoDB binary, or uses the one at DYNAMODB_ENDPOINT.
 * @param directory where the data is kept; undefined keeps it in memory
 * @param claimWaitMs how long another process that works on the directory is waited for
 * @throws {DirectoryInUse} when that one has not ended by then
 * @throws {StartFailure} when there is no binary for this platform, or it does not start.
 */
export async function startDynamodb(
  directory: string | undefined,
  claimWaitMs = DATABASE_CLAIM_WAIT_MS,
): Promise<LocalDynamodb> {
  const external = process.env['DYNAMODB_ENDPOINT'];
  if (external) return { endpoint: external, lost: new Promise(() => {}), stop: async () => {} };
  const binary = findBinary();
  if (!directory) return spawnDynamodb(binary, undefined);
  makePrivateDirectory(directory);
  const release = await claimDirectory(directory, claimWaitMs);
  try {
    const { stop, ...dynamodb } = await spawnDynamodb(binary, directory);
    return { ...dynamodb, stop: () => stop().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

async function spawnDynamodb(binary: string, directory: string | undefined): Promise<LocalDynamodb> {
  const pidFile = directory && join(directory, 'dynamodb.pid');
  if (pidFile) await replaceOrphan(pidFile);
  const port = await freePort();
  const args = ['serve', '--host', '127.0.0.1', '--port', String(port)];
  if (directory) args.push('--db-path', privateDatabase(directory));
  // In its own process group: Ctrl-C must reach the gateway first, which still has spending to record.
  const child = adoptChild(spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true }));
  let lastWords = '';
  child.stderr.on('data', (chunk: Buffer) => (lastWords = `${lastWords}${chunk.toString()}`.slice(-500)));
  // A program that cannot be run at all has no last words of its own.
  child.once('error', ({ message }) => (lastWords = message));
  const { lost, stop } = needChild(child, { name: 'The database process', lastWords: () => lastWords });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilReady(child, endpoint, () => lastWords);
  // Words about a start that went well explain no end.
  lastWords = '';
  if (pidFile) writeFileSync(pidFile, String(child.pid), privateFile);
  return {
    endpoint,
    lost,
    async stop() {
      await stop();
      if (pidFile) rmSync(pidFile, { force: true });
    },
  };
}

/** Creates the gateway's table if it does not exist yet. @throws {StartFailure} where nothing answers */
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
  return endpoint === process.env['DYNAMODB_ENDPOINT'] ? ' The variable DYNAMODB_ENDPOINT names it.' : '';
}

function keySchema(partition: string, sort: string) {
  return [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
}

/** The emulator's binary. @throws {StartFailure} where there is none */
export function findBinary(): string {
  const own = process.env['DYNAMODB_BINARY'];
  if (own) {
    if (!existsSync(own)) throw new StartFailure(`DYNAMODB_BINARY names ${own}, which does not exist.`);
    return own;
  }
  try {
    const packageFile = require.resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`);
    return join(dirname(packageFile), 'dynoxide');
  } catch {
    throw new StartFailure(
      `No DynamoDB comes with the packages on ${process.platform}-${process.arch}. Set DYNAMODB_ENDPOINT to one that runs (for example DynamoDB Local), or DYNAMODB_BINARY to the path of a dynoxide binary.`,
    );
  }
}

/** A database process whose gateway was killed still holds the data file: it must end first. */
async function replaceOrphan(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (Number.isInteger(pid) && isDynamodb(pid)) {
    process.kill(pid, 'SIGTERM');
    for (let waited = 0; isDynamodb(pid) && waited < 2_000; waited += 20) await sleep(20);
    if (isDynamodb(pid)) process.kill(pid, 'SIGKILL');
  }
  rmSync(pidFile, { force: true });
}

/** Process ids are reused: only a process that we started may be ended. */
function isDynamodb(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--db-path');
  } catch {
    return false;
  }
}

async function untilReady(child: ChildProcess, endpoint: string, lastWords: () => string): Promise<void> {
  const deadline = performance.now() + DATABASE_START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) break;
    try {
      await fetch(endpoint, { signal: AbortSignal.timeout(500) });
      return;
    } catch {
      await sleep(10);
    }
  }
  child.kill('SIGKILL');
  throw new StartFailure(`DynamoDB did not start: ${lastWords().trim().split('\n').at(-1) || 'it gave no reason'}.`);
}
