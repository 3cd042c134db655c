import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeDaysAgain } from '../../lambdas/accounting/close-days.ts';
import { buildConsoleWith } from '../../lambdas/api/console/built-files.ts';
import type { Catalog } from '../../lambdas/catalog/catalog.ts';
import { CatalogError } from '../../lambdas/catalog/catalog-error.ts';
import { shippedCatalogDirectory } from '../../lambdas/catalog/load.ts';
import { deployedCatalog, servedCatalog } from '../../lambdas/catalog/served-catalog.ts';
import { deadLettersVariable, optionalVariable, queueVariable, variables } from '../../lambdas/platform/environment.ts';
import { describeError, log } from '../../lambdas/platform/logger.ts';
import { localCredentials } from '../../lambdas/platform/aws/sdk.ts';
import type { QueueName } from '../../lambdas/route.ts';
import { queueWorkers } from '../../lambdas/routes.ts';
import type { FunctionHost } from '../../lambdas/server/function-host.ts';
import { boundedHost, DEFAULT_MAX_REQUESTS } from '../../lambdas/server/bounded-host.ts';
import { startApi, startFunctionUrl } from '../../lambdas/server/api-server.ts';
import { importHandler } from '../../lambdas/server/import-handler.ts';
import { startInProcessHost } from '../../lambdas/server/in-process-host.ts';
import type { Listener } from '../../lambdas/server/listener.ts';
import { answeringNames } from '../../lambdas/server/served-routes.ts';
import { openTable } from '../../lambdas/store/table/table.ts';
import { upgradeRecords } from '../shared/upgrade.ts';
import { earlierProcessesEnded } from './boot-processes.ts';
import { bootstrap, type LocalAccount } from './bootstrap.ts';
import { modelToTry, operatorSecrets, providerStates, type ProviderState } from '../shared/callable.ts';
import { Concurrency } from './concurrency.ts';
import { behindApiGateway, behindFunctionUrl } from './aws-entry-points.ts';
import { StartFailure } from '../shared/failure.ts';
import { checkPorts, openAt } from './ports.ts';
import type { LocalOptions } from './options.ts';
import { startSandboxedHost } from './sandboxed/host.ts';
import { synthesize } from './sandboxed/synth.ts';
import { readTemplates } from './sandboxed/templates.ts';
import { startServices, type LocalServices, type Stops } from './services.ts';
import { LocalState } from '../shared/data-directory/state.ts';
import { Throttle } from './throttle.ts';
import { deadLettersOf, manifestWiring, type Wiring } from './wiring.ts';
import { startWebServer } from './web-server.ts';
import { startWorkersProcess } from './workers-process.ts';
import { workersOf, type Workers } from './workers.ts';

export interface LocalGateway extends LocalAccount {
  baseUrl: string;
  /** Base URL at the function URL; null if the deployment has none. */
  streamingUrl: string | null;
  webUrl: string | undefined;
  modelId: string | undefined;
  providers: ProviderState[];
  /** Version of the published catalog, if one is used. */
  publishedCatalog: string | undefined;
  /** Resolves with a sentence if a process that the gateway needs has ended by itself. */
  lost: Promise<string>;
  /** Stops everything that was started, in reverse order. */
  stop: () => Promise<void>;
}

/** Time in which open responses may complete at shutdown, before the gateway ends their streams. */
const FINISH_MS = 1_000;
/** Time after FINISH_MS in which streams may end with an error event, before their connections are closed. */
const LAST_WORDS_MS = 1_000;
/** Time to wait for the processes of an earlier run to end. A suspended process does not end. */
const END_OF_PREDECESSOR_MS = 5_000;
/** Time to wait for running requests at shutdown. The next start settles the holds of longer requests. */
const LAST_REQUESTS_MS = 5_000;

/**
 * Starts the services (DynamoDB, SQS, the sandbox provider), then the functions, then the HTTP servers.
 * @throws {StartFailure} for a problem that a person must fix; everything that was started is stopped again
 */
export async function startGateway(options: LocalOptions): Promise<LocalGateway> {
  const stops: Stops = [];
  const stop = async () => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  try {
    return { ...(await startAll(options, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAll(options: LocalOptions, stops: Stops): Promise<Omit<LocalGateway, 'stop'>> {
  const state = await LocalState.open(options.dataDirectory, options.ephemeral);
  stops.push(async () => state.close());
  // If a port turned out to be in use later, the newly created keys would never be printed.
  await checkPorts(options.port);
  const hasPredecessorEnded = await earlierProcessesEnded(state.directory, END_OF_PREDECESSOR_MS);
  const deployment = options.sandboxed ? readTemplates(await synthesize(catalogOf(options))) : undefined;
  const wiring = deployment?.wiring ?? manifestWiring();
  const services = await startServices(options, state, wiring, stops);
  const bootId = randomUUID();
  const deadBootIds = state.beginBoot(bootId);
  const environment = {
    ...serviceVariables(services),
    ...(deployment ? {} : urlVariables(services.queueUrls)),
    ...runVariables(options, state, bootId),
  };
  Object.assign(process.env, environment);
  const deployed = readCatalog();
  const catalog = await servedCatalog();
  // The bundler is loaded when the console is first requested.
  buildConsoleWith(async () => (await import('../shared/bundles/console-bundle.ts')).buildConsole());
  const host = deployment
    ? startSandboxedHost(deployment, { ...services, environment: { ...operatorSecrets(catalog), ...environment } })
    : await startInProcessHost(answeringNames, importHandler);
  stops.push(host.stop);
  const workers = deployment
    ? workersOf(services.sqs, host.invoke)
    : await startWorkersProcess(state.directory, services.sqs);
  stops.push(workers.stop);
  const account = await prepareRecords(state);
  // If an earlier process ended unexpectedly, the roll-up messages in its queues are lost.
  if (deadBootIds.length > 0) await closeDaysAgain(openTable());
  if (hasPredecessorEnded) await sweepAfter(deadBootIds, workers, state);
  else log('warn', 'processes of an earlier run have not ended: the sweep settles their holds when these are due');
  const { concurrency, repeatsSchedules } = options;
  workers.connect({ ...wiring, queueUrls: services.queueUrls, concurrency, repeatsSchedules });
  // At shutdown, requests complete before the workers stop, which process the messages of these requests.
  stops.push(() => Promise.race([host.idle(), sleep(LAST_REQUESTS_MS, undefined, { ref: false })]));
  const { api, streamingUrl, close } = await openEntryPoints(options, wiring, host, stops);
  const web = options.web ? await startWebServer(state.directory, catalogOf(options)) : undefined;
  if (web) stops.push(web.stop);
  // At shutdown, the gateway rejects new requests immediately. Open streams complete, or end with an error event.
  stops.push(async () => {
    await Promise.race([close(), sleep(FINISH_MS, undefined, { ref: false })]);
    host.endAnswers?.();
    await Promise.race([host.idle(), sleep(LAST_WORDS_MS, undefined, { ref: false })]);
  });
  const baseUrl = `${api.url}/v1`;
  state.saveRun({
    pid: process.pid,
    dynamodb_endpoint: services.dynamodbEndpoint,
    table_name: services.tableName,
    base_url: baseUrl,
    catalog_directory: resolve(catalogOf(options) ?? shippedCatalogDirectory),
    clock_offset_ms: options.clockOffsetMs,
  });
  return {
    ...account,
    baseUrl,
    streamingUrl,
    webUrl: web?.baseUrl,
    modelId: modelToTry(catalog)?.id,
    providers: providerStates(catalog),
    publishedCatalog: catalog.version === deployed.version ? undefined : catalog.version,
    lost: Promise.race([services.lost, ...(web ? [web.lost] : [])]),
  };
}

function serviceVariables({
  tableName,
  bucketName,
  dynamodbEndpoint,
  sqs,
  sandbox,
}: LocalServices): Record<string, string> {
  return {
    [variables.tableName]: tableName,
    [variables.dynamodbEndpoint]: dynamodbEndpoint,
    [variables.sqsEndpoint]: sqs.endpoint,
    [variables.s3Endpoint]: sqs.endpoint,
    [variables.localSecret]: localCredentials.secretAccessKey,
    [variables.bucketName]: bucketName,
    [variables.sandboxUrl]: sandbox.anthropicUrl,
    [variables.sandboxChatUrl]: sandbox.chatUrl,
    [variables.sandboxGeminiUrl]: sandbox.geminiUrl,
    [variables.sandboxResponsesUrl]: sandbox.responsesUrl,
    [variables.sandboxVideoUrl]: sandbox.videoUrl,
    [variables.sandboxBedrockUrl]: sandbox.bedrockUrl,
    [variables.sandboxBedrockKey]: sandbox.bedrockKey,
    [variables.sandboxSearchUrl]: sandbox.searchUrl,
  };
}

function runVariables(options: LocalOptions, state: LocalState, bootId: string): Record<string, string> {
  const catalogDirectory = catalogOf(options);
  return {
    // Functions read a configured secret from Secrets Manager or its emulator instead.
    [variables.secretsFile]: optionalVariable(variables.pepperSecret) === undefined ? state.secretsFile() : '',
    [variables.booksDirectory]: state.booksDirectory(),
    [variables.publicationsDirectory]: state.publicationsDirectory(),
    [variables.sealingKeyFile]: state.sealingKeyFile(),
    [variables.mailDirectory]: state.mailDirectory(),
    [variables.local]: '1',
    [variables.bootId]: bootId,
    [variables.clockOffsetMs]: String(options.clockOffsetMs),
    // By default, CORS allows pages of any origin to call the local API.
    [variables.corsOrigins]: optionalVariable(variables.corsOrigins) ?? '*',
    ...(catalogDirectory ? { [variables.catalogDirectory]: catalogDirectory } : {}),
  };
}

function catalogOf({ catalogDirectory }: LocalOptions): string | undefined {
  return catalogDirectory ?? optionalVariable(variables.catalogDirectory);
}

async function prepareRecords(state: LocalState): Promise<LocalAccount> {
  const table = openTable();
  await upgradeRecords(table);
  return bootstrap(table, state);
}

/**
 * Settles the holds of ended processes before the gateway serves requests. Only earlier starts with this data directory
 * are included, because other gateways may still run on the same table.
 */
async function sweepAfter(deadBootIds: string[], workers: Workers, state: LocalState): Promise<void> {
  if (deadBootIds.length === 0) return;
  try {
    await workers.invoke('sweep-holds', { deadBootIds });
    state.forgetBoots(deadBootIds);
  } catch (error) {
    log('error', 'holds of earlier runs not swept; the next start tries again', describeError(error));
  }
}

async function openEntryPoints(
  { port, concurrency: max, rateLimit }: Pick<LocalOptions, 'port' | 'concurrency' | 'rateLimit'>,
  wiring: Wiring,
  host: FunctionHost,
  stops: Stops,
) {
  const bounded = boundedHost(host, DEFAULT_MAX_REQUESTS);
  const concurrency = new Concurrency(max);
  const throttle = new Throttle(rateLimit);
  const { integrationSeconds } = wiring;
  const api = await openAt(port, (at) =>
    startApi(at, wiring, behindApiGateway(bounded, { concurrency, throttle, integrationSeconds })),
  );
  stops.push(api.stop);
  const close = (...others: Listener[]) => {
    bounded.refuseNew();
    return Promise.all([api, ...others].map((door) => door.close()));
  };
  if (wiring.functionUrl === undefined) return { api, streamingUrl: null, close: () => close() };
  const name = wiring.functionUrl;
  const functionUrl = await openAt(port === 0 ? 0 : port + 1, (at) =>
    startFunctionUrl(at, name, behindFunctionUrl(bounded, concurrency)),
  );
  stops.push(functionUrl.stop);
  return { api, streamingUrl: functionUrl.url, close: () => close(functionUrl) };
}

function urlVariables(queueUrls: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    (Object.keys(queueWorkers) as QueueName[]).flatMap((name) => [
      [queueVariable(name), queueUrls[name]!],
      [deadLettersVariable(name), queueUrls[deadLettersOf(name)]!],
    ]),
  );
}

function readCatalog(): Catalog {
  try {
    return deployedCatalog();
  } catch (error) {
    throw error instanceof CatalogError ? new StartFailure(`The catalog is invalid: ${error.message}.`) : error;
  }
}
