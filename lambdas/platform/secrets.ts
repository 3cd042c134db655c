import { readFileSync } from 'node:fs';
import { ownIdentity } from './aws-identity.ts';
import { AwsError, type AwsCall } from './aws-call.ts';
import { domainOf, openAwsJson } from './aws-json.ts';
import { ageMs, thisMoment, type Moment } from './clock.ts';
import { isOnOwnMachine, optionalVariable, requireVariable, variables } from './environment.ts';

/** Provider keys may be rotated: a function notices within this time. */
const REFRESH_MS = 5 * 60_000;

interface LocalSecrets {
  pepper: string;
}

let pepper: Promise<string> | undefined;

/** The pepper and the one before it, which Secrets Manager keeps; asked at most once in five minutes. */
const peppers = cached(async () => {
  const local = readLocalSecrets()?.pepper;
  if (local !== undefined) return { current: local, previous: undefined };
  const arn = requireVariable(variables.pepperSecret);
  const [current, previous] = await Promise.all([readSecret(arn), readSecretBefore(arn)]);
  pepper = Promise.resolve(current);
  return { current, previous };
}, REFRESH_MS);

const providerKeys = cached(async () => {
  return JSON.parse(await readSecret(requireVariable(variables.providerKeysSecret))) as Record<string, string>;
}, REFRESH_MS);

/** The deployment's secret that turns a key into its stored hash. It is read once, and again only by `readPeppers`. */
export function readPepper(): Promise<string> {
  pepper ??= readPepperOnce().catch((error: unknown) => {
    pepper = undefined;
    throw error;
  });
  return pepper;
}

async function readPepperOnce(): Promise<string> {
  return readLocalSecrets()?.pepper ?? readSecret(requireVariable(variables.pepperSecret));
}

/**
 * The peppers by which a key may be known that is not known by the one at hand: the secret may have changed since it was
 * read, and keys made before the change still go by the one before it.
 */
export function readPeppers(): Promise<{ current: string; previous: string | undefined }> {
  return peppers();
}

/** The credential of a provider by its variable's name, or undefined when the operator has not set it. */
export async function readProviderKey(name: string): Promise<string | undefined> {
  return areKeysInEnvironment() ? optionalVariable(name) : (await providerKeys())[name] || undefined;
}

/** Whether a provider's credential is set, where this process can tell without asking; undefined elsewhere. */
export function hasProviderKeyHere(name: string): boolean | undefined {
  return areKeysInEnvironment() ? optionalVariable(name) !== undefined : undefined;
}

/** On a laptop, and for its commands, provider keys are in the environment under their own names. */
function areKeysInEnvironment(): boolean {
  if (readLocalSecrets()) return true;
  return isOnOwnMachine() && optionalVariable(variables.providerKeysSecret) === undefined;
}

let localSecrets: LocalSecrets | undefined;

function readLocalSecrets(): LocalSecrets | undefined {
  const file = optionalVariable(variables.secretsFile);
  if (!file) return undefined;
  if (!isOnOwnMachine()) throw new Error(`${variables.secretsFile} must not be set in production`);
  localSecrets ??= JSON.parse(readFileSync(file, 'utf8')) as LocalSecrets;
  return localSecrets;
}

const SECRETS_MANAGER = {
  name: 'secretsmanager',
  target: 'secretsmanager',
  version: '1.1',
  endpoint: (region: string) => `https://secretsmanager.${region}.${domainOf(region)}`,
  endpointVariable: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
} as const;

/** With all attempts: the shortest function that reads a secret has ten seconds, and says so itself when it cannot. */
const SECRET_TIMEOUT_MS = 5_000;

let callSecretsManager: AwsCall | undefined;

async function readSecret(arn: string, version: { VersionStage?: 'AWSPREVIOUS' } = {}): Promise<string> {
  callSecretsManager ??= openAwsJson(SECRETS_MANAGER, { identity: ownIdentity });
  const asked = { SecretId: arn, ...version };
  const answer = await callSecretsManager<{ SecretString?: string }>('GetSecretValue', asked, {
    timeoutMs: SECRET_TIMEOUT_MS,
  });
  if (!answer.SecretString) throw new Error('A secret of the deployment is empty');
  return answer.SecretString;
}

/** @returns undefined where the secret has never changed */
async function readSecretBefore(arn: string): Promise<string | undefined> {
  try {
    return await readSecret(arn, { VersionStage: 'AWSPREVIOUS' });
  } catch (error) {
    if (error instanceof AwsError && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** Keeps a value for `keepMs`; when it cannot be read again, the last one stays in use. */
function cached<Value>(read: () => Promise<Value>, keepMs: number): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  let readAt: Moment | undefined;
  return () => {
    if (value && readAt && ageMs(readAt) < keepMs) return value;
    const last = value;
    readAt = thisMoment();
    value = read().catch((error: unknown) => {
      value = last;
      if (last) return last;
      throw error;
    });
    return value;
  };
}
