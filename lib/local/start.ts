import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CatalogError } from '../../lambdas/catalog/catalog-error.ts';
import { loadCatalog } from '../../lambdas/catalog/load.ts';
import { deadLettersVariable, optionalVariable, queueVariable, variables } from '../../lambdas/platform/environment.ts';
import { describeError, log } from '../../lambdas/platform/logger.ts';
import type { QueueName } from '../../lambdas/route.ts';
import { queueWorkers } from '../../lambdas/routes.ts';
import { openTable } from '../../lambdas/store/table.ts';
import { upgradeRecords } from '../upgrade.ts';
import { bootstrap, type Account } from './bootstrap.ts';
import { createTable, LOCAL_TABLE, startDynamodb } from './dynamodb.ts';
import { startEventSource } from './event-source.ts';
import { StartFailure } from './failure.ts';
import type { FunctionHost } from './function-host.ts';
import { checkPorts, startApi, startFunctionUrl } from './http-server.ts';
import { startInProcessHost } from './in-process-host.ts';
import type { LocalOptions } from './options.ts';
import { createQueue, startSqs } from './queues.ts';
import { startSandbox } from './sandbox/server.ts';
import { startSandboxedHost } from './sandboxed/host.ts';
import { synthesize } from './sandboxed/synth.ts';
import { readTemplates } from './sandboxed/templates.ts';
import { startSchedule } from './scheduler.ts';
import { LocalState } from './state.ts';
import { deadLettersOf, manifestWiring, type Wiring } from './wiring.ts';

/** A gateway that runs on this machine. */
export interface LocalGateway extends Account {
  baseUrl: string;
  streamingUrl: string;
  /** Ends everything that was started, in the reverse order. */
  stop: () => Promise<void>;
}

/** Answers that nobody reads any more may go on for minutes; the sweep of the next start settles them. */
const LAST_REQUESTS_MS = 5_000;

/**
 * Starts the real parts (DynamoDB, SQS, the sandbox upstream), then the functions of the manifest, then the front door.
 * @throws {StartFailure} one sentence about what a person has to mend; what was started by then is stopped again.
 */
export async function startGateway(options: LocalOptions): Promise<LocalGateway> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  try {
    return await startParts(options, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  options: LocalOptions,
  stops: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<LocalGateway> {
  // Before anything is made: keys that a failed start had made would never be shown.
  await checkPorts(options.port);
  const state = LocalState.open(options.dataDirectory, options.ephemeral);
  stops.push(async () => state.close());
  const [dynamodb, sqs, sandbox] = await Promise.all([
    startDynamodb(options.ephemeral ? undefined : state.directory),
    startSqs(),
    startSandbox(),
  ]);
  stops.push(dynamodb.stop, sqs.stop, sandbox.stop);
  const tableName = options.ephemeral ? `${LOCAL_TABLE}-${randomUUID().slice(0, 8)}` : LOCAL_TABLE;
  await createTable(dynamodb.endpoint, tableName);
  const catalogDirectory = options.catalogDirectory ?? optionalVariable(variables.catalogDirectory);
  const deployment = options.sandboxed ? readTemplates(await synthesize(catalogDirectory)) : undefined;
  const wiring = deployment?.wiring ?? manifestWiring();
  const queueUrls: Record<string, string> = {};
  for (const [name, spec] of Object.entries(wiring.queues)) {
    const { url, deadLettersUrl } = await createQueue(sqs, name, spec);
    queueUrls[name] = url;
    queueUrls[spec.deadLetters] = deadLettersUrl;
  }
  const bootId = randomUUID();
  const deadBootIds = state.beginBoot(bootId);
  const environment: Record<string, string> = {
    [variables.tableName]: tableName,
    [variables.dynamodbEndpoint]: dynamodb.endpoint,
    [variables.sqsEndpoint]: sqs.endpoint,
    ...(deployment ? {} : urlVariables(queueUrls)),
    [variables.secretsFile]: state.secretsFile(),
    [variables.bootId]: bootId,
    [variables.clockOffsetMs]: String(options.clockOffsetMs),
    [variables.sandboxUrl]: sandbox.anthropicUrl,
    [variables.sandboxChatUrl]: sandbox.chatUrl,
    ...(catalogDirectory ? { [variables.catalogDirectory]: catalogDirectory } : {}),
  };
  Object.assign(process.env, environment);
  checkCatalog();

  const host = deployment
    ? startSandboxedHost(deployment, { tableName, queueUrls, environment })
    : await startInProcessHost();
  stops.push(host.stop);
  await upgradeRecords(openTable());
  const account = await bootstrap(openTable(), state);
  await sweepAfter(deadBootIds, host, state);
  for (const source of wiring.queueSources) {
    const poller = startEventSource(sqs, queueUrls[source.queue]!, source, (event) =>
      host.invoke(source.functionName, event),
    );
    stops.push(poller.stop);
  }
  for (const { functionName, everyMinutes } of wiring.schedules) {
    const schedule = startSchedule(everyMinutes, (event) => host.invoke(functionName, event));
    stops.push(schedule.stop);
  }
  // At the end, requests finish first, then what they have sent to the queues is worked off.
  stops.push(() => Promise.race([host.idle(), sleep(LAST_REQUESTS_MS, undefined, { ref: false })]));
  const { api, functionUrl } = await openFrontDoor(options.port, wiring, host, stops);
  state.saveRun({
    pid: process.pid,
    dynamodb_endpoint: dynamodb.endpoint,
    table_name: tableName,
    base_url: `${api.url}/v1`,
  });
  return { ...account, baseUrl: `${api.url}/v1`, streamingUrl: functionUrl.url, stop };
}

/**
 * Queues of a dead process are gone with it, and so are its handlers: what they held is settled before we begin. Only boots
 * of this directory are known to be dead: others may be alive on the same table.
 */
async function sweepAfter(deadBootIds: string[], host: FunctionHost, state: LocalState): Promise<void> {
  if (deadBootIds.length === 0) return;
  try {
    await host.invoke('sweep-holds', { deadBootIds });
    state.forgetBoots(deadBootIds);
  } catch (error) {
    log('error', 'holds of earlier runs not swept; the next start tries again', describeError(error));
  }
}

async function openFrontDoor(port: number, wiring: Wiring, host: FunctionHost, stops: (() => Promise<void>)[]) {
  const api = await startApi(port, wiring.routes, host);
  stops.push(api.stop);
  const functionUrl = await startFunctionUrl(port === 0 ? 0 : port + 1, wiring.functionUrl, host);
  stops.push(functionUrl.stop);
  return { api, functionUrl };
}

function urlVariables(queueUrls: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    (Object.keys(queueWorkers) as QueueName[]).flatMap((name) => [
      [queueVariable(name), queueUrls[name]!],
      [deadLettersVariable(name), queueUrls[deadLettersOf(name)]!],
    ]),
  );
}

function checkCatalog(): void {
  try {
    loadCatalog();
  } catch (error) {
    throw error instanceof CatalogError ? new StartFailure(`The catalog cannot be used: ${error.message}.`) : error;
  }
}
