/** Reads values of the deployment's secrets. Descriptions of faults contain no part of a value. */

/** Thrown if a secret has no usable value. */
export class SecretUselessError extends Error {
  override name = 'SecretUselessError';
}

export interface ProviderKeys {
  /** Credentials by the names of their variables. */
  keys: ReadonlyMap<string, string>;
  /** Descriptions of invalid entries, which are skipped. */
  faults: string[];
}

/** Required form of an entry's name. A name in another form is not logged, because it may be a credential. */
const VARIABLE_NAME = /^[A-Z][A-Z0-9_]{0,99}$/;

/**
 * Reads the secret with the providers' keys: a JSON map of texts. Removes white space around each text.
 * @throws {SecretUselessError} if the secret is not a JSON map
 */
export function providerKeysFrom(secret: string): ProviderKeys {
  const keys = new Map<string, string>();
  const faults: string[] = [];
  for (const [name, value] of Object.entries(jsonMap(secret))) {
    if (!VARIABLE_NAME.test(name)) faults.push('an entry whose name is not of the form ANTHROPIC_API_KEY');
    else if (typeof value !== 'string') faults.push(`${name} must be a JSON string, not ${kindOf(value)}`);
    else keys.set(name, value.trim());
  }
  return { keys, faults };
}

function jsonMap(secret: string): object {
  let parsed: unknown;
  try {
    parsed = JSON.parse(secret);
  } catch {
    // The parser's error would contain a part of the secret.
    throw new SecretUselessError('it must be a JSON object, and is not JSON');
  }
  if (kindOf(parsed) === 'an object') return parsed as object;
  throw new SecretUselessError(`it must be a JSON object, and is ${kindOf(parsed)}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const MIN_PEPPER_CHARACTERS = 32;

/**
 * Returns the fault of the pepper (the secret that is hashed with each key); undefined if the pepper is valid. The
 * gateway still uses an invalid pepper, because otherwise no key would work.
 */
export function pepperFault(value: string): string | undefined {
  if (value.length < MIN_PEPPER_CHARACTERS) return `it must have at least ${MIN_PEPPER_CHARACTERS} characters`;
  try {
    return kindOf(JSON.parse(value)) === 'an object' ? 'it must be a random text, and is a JSON object' : undefined;
  } catch {
    return undefined;
  }
}
