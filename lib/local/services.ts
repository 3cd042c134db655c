import { randomUUID } from 'node:crypto';
import { createBucket } from './bucket.ts';
import { createTable, LOCAL_TABLE, startDynamodb } from '../shared/database/dynamodb.ts';
import type { LocalOptions } from './options.ts';
import { createQueue, startSqs, type LocalSqs } from './queues.ts';
import type { SandboxUpstream } from './sandbox/server.ts';
import { startSandboxThread } from './sandbox-thread.ts';
import type { LocalState } from '../shared/data-directory/state.ts';
import type { Wiring } from './wiring.ts';

/** Local replacements for AWS services and for a provider (the sandbox). */
export interface LocalServices {
  dynamodbEndpoint: string;
  tableName: string;
  sqs: LocalSqs;
  /** URLs of queues and dead-letter queues, by name in the wiring. */
  queueUrls: Record<string, string>;
  sandbox: SandboxUpstream;
  bucketName: string;
  /** Resolves with a sentence if a service has ended by itself. */
  lost: Promise<string>;
}

/** Stop functions, in the order in which the parts were started. */
export type Stops = (() => Promise<void>)[];

/**
 * Starts the services.
 * @param stops receives a stop function for each part that has started, even if a later part fails
 * @throws {Error} if one of these services does not start
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
