import { randomUUID } from 'node:crypto';
import { createBucket } from './bucket.ts';
import { createTable, LOCAL_TABLE, startDynamodb } from '../shared/database/dynamodb.ts';
import type { LocalOptions } from './options.ts';
import { createQueue, startSqs, type LocalSqs } from './queues.ts';
import type { SandboxUpstream } from './sandbox/server.ts';
import { startSandboxThread } from './sandbox-thread.ts';
import type { LocalState } from '../shared/data-directory/state.ts';
import type { Wiring } from './wiring.ts';

/** What replaces AWS services and a provider on this machine. */
export interface LocalServices {
  dynamodbEndpoint: string;
  tableName: string;
  sqs: LocalSqs;
  /** URLs of queues and dead-letter queues, by the names of the wiring. */
  queueUrls: Record<string, string>;
  sandbox: SandboxUpstream;
  bucketName: string;
  /** Resolves with a sentence when one of their processes has ended by itself. */
  lost: Promise<string>;
}

/** How to stop what was started, in the order of the starts. */
export type Stops = (() => Promise<void>)[];

/**
 * Starts DynamoDB with the table, SQS with the queues, S3 with the bucket, and the sandbox upstream.
 * @param stops gets what has started, even when the rest does not start
 * @throws {StartFailure} when one of them does not come up.
 */
export async function startServices(
  options: LocalOptions,
  state: LocalState,
  wiring: Wiring,
  stops: Stops,
): Promise<LocalServices> {
  const starting = [
    startDynamodb(options.ephemeral ? undefined : state.directory),
    startSqs(),
    startSandboxThread(),
  ] as const;
  for (const part of await Promise.allSettled(starting)) if (part.status === 'fulfilled') stops.push(part.value.stop);
  const [dynamodb, sqs, sandbox] = await Promise.all(starting);
  const tableName = options.ephemeral ? `${LOCAL_TABLE}-${randomUUID().slice(0, 8)}` : LOCAL_TABLE;
  await createTable(dynamodb.endpoint, tableName);
  return {
    dynamodbEndpoint: dynamodb.endpoint,
    tableName,
    sqs,
    queueUrls: await createQueues(sqs, wiring),
    bucketName: await createBucket(sqs.endpoint),
    sandbox,
    lost: Promise.race([dynamodb.lost, sqs.lost, sandbox.lost]),
  };
}

async function createQueues(sqs: LocalSqs, wiring: Wiring): Promise<Record<string, string>> {
  const urls: Record<string, string> = {};
  for (const [name, spec] of Object.entries(wiring.queues)) {
    const { url, deadLettersUrl } = await createQueue(sqs, name, spec);
    urls[name] = url;
    urls[spec.deadLetters] = deadLettersUrl;
  }
  return urls;
}
