import { readFileSync } from 'node:fs';
import { ownIdentity } from '../aws/aws-identity.ts';
import { AwsError, type AwsCall } from '../aws/aws-call.ts';
import { openAwsJson } from '../aws/aws-json.ts';
import { ageMs, thisMoment, type Moment } from '../clock.ts';
import { isOnOwnMachine, optionalVariable, requireVariable, variables } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import { log, secretTripwires } from '../logger.ts';
import { pepperFault, providerKeysFrom, SecretUselessError } from './secret-values.ts';

/** Time for which secrets are cached, in ms. Rotated provider keys are noticed within this time. */
const REFRESH_MS = 5 * 60_000;

interface LocalSecrets {
  pepper: string;
}

/**
 * Thrown if a secret cannot be read: Secrets Manager refuses it or does not respond, or it has no usable value. Only
 * the operator can fix that. Clients get a temporary error, as for any unavailable service.
 */
export class SecretUnreadableError extends ServiceError {
  override name = 'SecretUnreadableError';
  readonly isPassing = true;
  /** Error code of the service, or the name of the secret's fault. */
  readonly code: string;

  constructor(variable: string, cause: Error) {
    super(`The secret that ${variable} names cannot be read: ${cause.message}`, { cause });
    this.code = cause.name;
    const { name, message } = cause;
    // The messages of AWS's errors may name resources and roles, so only the names of these errors are logged.
    const why = cause instanceof SecretUselessError ? `${name}: ${message}` : name;
    log('error', secretTripwires.secretUnread, { reason: `${variable} ${why}` });
  }
}

let pepper: Promise<string> | undefined;

/** The current pepper, and the previous one. Both are in Secrets Manager, and are cached for five minutes. */
const peppers = cached(async () => {
  const local = readLocalSecrets()?.pepper;
  if (local !== undefined) return { current: local, previous: undefined };
  const [current, previous] = await Promise.all([
    readSecret(variables.pepperSecret, asPepper),
    readSecretBefore(variables.pepperSecret),
  ]);
  pepper = Promise.resolve(current);
  return { current, previous };
}, REFRESH_MS);

const providerKeys = cached(() => readSecret(variables.providerKeysSecret, asKeys), REFRESH_MS);

function asPepper(secret: string): string {
  logFaults(variables.pepperSecret, [pepperFault(secret) ?? []].flat());
  return secret;
}

function asKeys(secret: string): ReadonlyMap<string, string> {
  const { keys, faults } = providerKeysFrom(secret);
  logFaults(variables.providerKeysSecret, faults);
  return keys;
}

function logFaults(variable: string, faults: readonly string[]): void {
  for (const fault of faults) log('error', secretTripwires.secretFaulty, { reason: `${variable}: ${fault}` });
}

/**
 * Returns the pepper, the deployment's secret that is hashed with each key. It is read once. Only `readPeppers` reads
 * it again.
 */
export function readPepper(): Promise<string> {
  pepper ??= readPepperOnce().catch((error: unknown) => {
    pepper = undefined;
    throw error;
  });
  return pepper;
}

async function readPepperOnce(): Promise<string> {
  return readLocalSecrets()?.pepper ?? readSecret(variables.pepperSecret, asPepper);
}

/**
 * Returns the current and the previous pepper, for a key that is not found with the cached one. The pepper may have
 * changed since. Keys that were created before the change still use the previous pepper.
 */
export function readPeppers(): Promise<{ current: string; previous: string | undefined }> {
  return peppers();
}

/** Returns a provider's credential by the name of its variable; undefined if the operator has not set it. */
export async function readProviderKey(name: string): Promise<string | undefined> {
  return areKeysInEnvironment() ? optionalVariable(name) : (await providerKeys()).get(name) || undefined;
}

/**
 * Reads the providers' keys from Secrets Manager again, regardless of their age. Never rejects: if it fails, the last
 * keys stay in use.
 */
export async function rereadProviderKeys(): Promise<void> {
  if (!areKeysInEnvironment()) await providerKeys.again().catch(() => undefined);
}

/**
 * Returns whether a provider's credential is set, if this process can determine it without a call; otherwise undefined.
 */
export function hasProviderKeyHere(name: string): boolean | undefined {
  return areKeysInEnvironment() ? optionalVariable(name) !== undefined : undefined;
}

/** Returns whether provider keys are in the environment, under their own names, as on a laptop and for its commands. */
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
  address: { id: 'Secrets Manager', host: 'secretsmanager' },
} as const;

/**
 * Maximum time in ms of reading a secret, over all attempts. The shortest function that reads a secret has ten seconds.
 * So it can still report the failure itself.
 */
const SECRET_TIMEOUT_MS = 5_000;

let callSecretsManager: AwsCall | undefined;

/** @throws {SecretUnreadableError} if the secret cannot be read */
async function readSecret<Value>(variable: string, read: (secret: string) => Value): Promise<Value> {
  const arn = requireVariable(variable);
  try {
    return read(await readSecretValue(arn));
  } catch (error) {
    throw new SecretUnreadableError(variable, error as Error);
  }
}

/**
 * @returns the previous value of the secret; undefined if the secret has never changed
 * @throws {SecretUnreadableError} if the secret cannot be read
 */
async function readSecretBefore(variable: string): Promise<string | undefined> {
  const arn = requireVariable(variable);
  try {
    return await readSecretValue(arn, { VersionStage: 'AWSPREVIOUS' });
  } catch (error) {
    if (error instanceof AwsError && error.name === 'ResourceNotFoundException') return undefined;
    throw new SecretUnreadableError(variable, error as Error);
  }
}

/**
 * Returns the unchanged value of a secret that an operator named.
 * @throws {AwsError} if Secrets Manager refuses it
 * @throws {SecretUselessError} if it is empty
 */
export function readNamedSecret(arn: string): Promise<string> {
  return readSecretValue(arn);
}

async function readSecretValue(arn: string, version: { VersionStage?: 'AWSPREVIOUS' } = {}): Promise<string> {
  callSecretsManager ??= openAwsJson(SECRETS_MANAGER, { identity: ownIdentity });
  const request = { SecretId: arn, ...version };
  const answer = await callSecretsManager<{ SecretString?: string }>('GetSecretValue', request, {
    timeoutMs: SECRET_TIMEOUT_MS,
  });
  if (!answer.SecretString) throw new SecretUselessError('it is empty');
  return answer.SecretString;
}

/** Caches a value for `keepMs`, or until `again` is called. If a new read fails, the last value stays in use. */
function cached<Value>(read: () => Promise<Value>, keepMs: number) {
  let value: Promise<Value> | undefined;
  let readAt: Moment | undefined;
  const again = (): Promise<Value> => {
    const last = value;
    readAt = thisMoment();
    value = read().catch((error: unknown) => {
      value = last;
      if (last) return last;
      throw error;
    });
    return value;
  };
  const current = () => (value && readAt && ageMs(readAt) < keepMs ? value : again());
  return Object.assign(current, { again });
}
