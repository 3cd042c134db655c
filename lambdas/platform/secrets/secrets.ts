import { readFileSync } from 'node:fs';
import { ownIdentity } from '../aws/aws-identity.ts';
import { AwsError, type AwsCall } from '../aws/aws-call.ts';
import { openAwsJson } from '../aws/aws-json.ts';
import { ageMs, thisMoment, type Moment } from '../clock.ts';
import { isOnOwnMachine, optionalVariable, requireVariable, variables } from '../environment.ts';
import { ServiceError } from '../errors.ts';
import { log, secretTripwires } from '../logger.ts';
import { pepperFault, providerKeysFrom, SecretUselessError } from './secret-values.ts';

/** Time in ms for which secrets are cached, or longer if reading them fails. */
const REFRESH_MS = 5 * 60_000;

interface LocalSecrets {
  pepper: string;
}

/**
 * Thrown if a secret cannot be read: Secrets Manager rejects the request or does not respond, or the secret has no
 * usable value. Usually only the operator can fix the cause.
 */
export class SecretUnreadableError extends ServiceError {
  override name = 'SecretUnreadableError';
  readonly isPassing = true;
  readonly code: string;

  constructor(variable: string, cause: Error) {
    super(`The secret that ${variable} names cannot be read: ${cause.message}`, { cause });
    this.code = cause.name;
    const { name, message } = cause;
    // Messages of AWS's errors may name resources and roles.
    const why = cause instanceof SecretUselessError ? `${name}: ${message}` : name;
    log('error', secretTripwires.secretUnread, { reason: `${variable} ${why}` });
  }
}

let pepper: Promise<string> | undefined;

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
 * Returns the pepper, the secret that is hashed with each key. It is cached until `readPeppers` reads the peppers
 * again.
 * @throws {SecretUnreadableError} if it cannot be read
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
 * Returns the current and the previous pepper. Keys from before a change of the pepper use the previous one.
 * @throws {SecretUnreadableError} if they cannot be read, and were not read before
 */
export function readPeppers(): Promise<{ current: string; previous: string | undefined }> {
  return peppers();
}

/**
 * Returns a provider's credential by the name of its variable; undefined if the operator has not set it.
 * @throws {SecretUnreadableError} if the credentials cannot be read, and were not read before
 */
export async function readProviderKey(name: string): Promise<string | undefined> {
  return areKeysInEnvironment() ? optionalVariable(name) : (await providerKeys()).get(name) || undefined;
}

/**
 * Reads the providers' keys from Secrets Manager again, even if they were just read. After a failed read, the last keys
 * stay.
 */
export async function rereadProviderKeys(): Promise<void> {
  if (!areKeysInEnvironment()) await providerKeys.again().catch(() => undefined);
}

/** Returns whether a provider's credential is set; undefined if this process would have to call Secrets Manager. */
export function hasProviderKeyHere(name: string): boolean | undefined {
  return areKeysInEnvironment() ? optionalVariable(name) !== undefined : undefined;
}

/**
 * Returns whether provider keys are in the environment, each under its own name: on a laptop, unless a command uses the
 * secret of a deployment.
 */
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
 * Returns the value of any secret.
 * @throws {AwsError | NoReplyError} if Secrets Manager rejects the request, or does not respond
 * @throws {SecretUselessError} if the secret is empty
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

/**
 * Returns a function that reads a value and caches it for `keepMs`. Its method `again` reads immediately. If a read
 * fails, the last value stays.
 */
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
