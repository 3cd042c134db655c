import { join } from 'node:path';
import { awsVariables, variables } from '../../lambdas/platform/environment.ts';
import { drillEndpoint, drillModel, drillProvider, writeDrillCatalog } from './catalog.ts';
import {
  askAsStep,
  askAtOnce,
  checkBooks,
  inDrill,
  summarizeAnswers,
  type DrillOptions,
  type DrillStep,
  type DrillTools,
} from './drill.ts';
import type { DrilledAnswer, DrilledGateway } from './gateway-process.ts';
import { startSecretsManager, type DrilledSecrets } from '../support/secrets-manager.ts';
import { rubOf } from './roubles.ts';

const PEPPER = 'drill/pepper';
const KEYS = 'drill/provider-keys';
const MODEL = 'drill/keyed';

/**
 * Drill: secrets in Secrets Manager cannot be read, are missing, or are wrong. A process that has already read them
 * continues; a new process returns an error, and charges nothing.
 */
export function drillSecretMissing(options: DrillOptions): Promise<DrillStep[]> {
  return inDrill(options, async (tools) => {
    const secrets = new Map([
      [PEPPER, 'a'.repeat(64)],
      [KEYS, JSON.stringify({ DRILL_KEY: 'secret' })],
    ]);
    const manager = await startSecretsManager(secrets);
    try {
      await rehearse(tools, manager);
    } finally {
      await manager.stop();
    }
  });
}

async function rehearse(tools: DrillTools, manager: DrilledSecrets): Promise<void> {
  const catalog = join(tools.parent, 'catalog');
  writeCatalogWithSecret(catalog);
  const start = () => tools.start({ args: ['--catalog', catalog], env: secretsEnvironment(manager) });
  const all = new Map(manager.secrets);
  const first = await start();
  const { key } = first;
  const asking = { key, model: MODEL };
  const before = await askAsStep(tools, 'requests before', { gateway: first, ...asking });
  manager.state = 'refusing';
  const step = 'requests to a process that has read its secrets, while Secrets Manager refuses';
  const meanwhile = await askAsStep(tools, step, { gateway: first, ...asking });
  await first.stop();

  const second = await start();
  await refused(tools, second, {
    key,
    step: 'requests to a new process, while Secrets Manager refuses',
    isRight: isToRetry,
  });
  manager.state = 'unreachable';
  await refused(tools, second, { key, step: 'requests while Secrets Manager cannot be reached', isRight: isToRetry });
  manager.state = 'answering';
  manager.secrets.delete(PEPPER);
  await refused(tools, second, { key, step: 'requests while the pepper is missing', isRight: isToRetry });
  manager.secrets.set(PEPPER, all.get(PEPPER)!).delete(KEYS);
  const noKeys = 'requests while the secret of the provider keys is missing';
  await refused(tools, second, { key, step: noKeys, isRight: isToRetry });
  const isLogged = [variables.pepperSecret, variables.providerKeysSecret].every((name) =>
    second.hasLogged(`"secret not read","reason":"${name} `),
  );
  tools.done('the log', isLogged, '"secret not read" names the variable of each secret and the reason');
  manager.secrets.set(KEYS, '{}');
  await refused(tools, second, { key, step: 'requests while no provider has a key', isRight: isWithoutProvider });
  await second.stop();

  manager.secrets.set(PEPPER, 'b'.repeat(64)).set(KEYS, all.get(KEYS)!);
  const third = await start();
  await refused(tools, third, { key, step: 'requests with another pepper', isRight: isUnknownKey });
  await third.stop();

  manager.secrets.set(PEPPER, all.get(PEPPER)!);
  const last = await start();
  const after = await askAsStep(tools, 'requests with all secrets restored', { gateway: last, ...asking });
  await checkBooks(tools, last, { key, rub: rubOf([...before, ...meanwhile, ...after]) });
}

function isToRetry({ seen }: DrilledAnswer): boolean {
  return seen.startsWith('529') && seen.endsWith('with retry-after');
}

/** Sends concurrent requests that must all be refused in the same way, and reports one step. */
async function refused(
  { requests, done }: DrillTools,
  gateway: DrilledGateway,
  { key, step, isRight }: { key: string; step: string; isRight: (answer: DrilledAnswer) => boolean },
): Promise<void> {
  const answers = await askAtOnce(gateway, key, requests, MODEL);
  done(step, answers.every(isRight), summarizeAnswers(answers));
}

function isWithoutProvider({ status }: DrilledAnswer): boolean {
  return status === 502;
}

function isUnknownKey({ status }: DrilledAnswer): boolean {
  return status === 401;
}

/** Variables with which a deployed function finds its secrets. */
function secretsEnvironment({ endpoint }: DrilledSecrets): Record<string, string> {
  return {
    [variables.pepperSecret]: PEPPER,
    [variables.providerKeysSecret]: KEYS,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
    [awsVariables.region]: 'us-east-1',
    [awsVariables.accessKeyId]: 'drill',
    [awsVariables.secretAccessKey]: 'drill',
    [awsVariables.sessionToken]: '',
  };
}

/** Writes a catalog with the sandbox as a provider that needs a key. */
function writeCatalogWithSecret(directory: string): void {
  const providers = [drillProvider('keyed', { base_url_variable: 'GATEWAY_SANDBOX_URL', credential: 'DRILL_KEY' })];
  const models = [drillModel(MODEL, [drillEndpoint('keyed', '0.001')])];
  writeDrillCatalog(directory, { providers, models });
}
