import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { variables } from '../../lambdas/platform/environment.ts';
import { listen, type Listening } from '../support/listen.ts';

const REFRESH_MS = 5 * 60_000;

const stored = {
  secrets: {} as Record<string, string | undefined>,
  /** Previous versions of the secrets. */
  before: {} as Record<string, string | undefined>,
  asked: [] as string[],
  isAway: false,
  isSilent: false,
};
let manager: Listening;
let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-secrets-'));
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { SecretId, VersionStage } = JSON.parse(body) as { SecretId: string; VersionStage?: string };
      stored.asked.push(SecretId);
      const SecretString = VersionStage ? stored.before[SecretId] : stored.secrets[SecretId];
      const refusal = stored.isAway
        ? 'AccessDeniedException'
        : VersionStage && SecretString === undefined
          ? 'ResourceNotFoundException'
          : undefined;
      if (stored.isSilent) return;
      response.writeHead(refusal ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(refusal ? { __type: refusal } : { SecretString }));
    })();
  });
  manager = await listen(server);
});
afterAll(async () => {
  await manager.stop();
  rmSync(directory, { recursive: true, force: true });
});

let laterMs = 0;
beforeEach(() => {
  const now = performance.now.bind(performance);
  laterMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
  Object.assign(stored, { secrets: {}, before: {}, asked: [], isAway: false, isSilent: false });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function secretsWith(environment: Record<string, string>) {
  vi.resetModules();
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return import('../../lambdas/platform/secrets/secrets.ts');
}

const deployed = () =>
  secretsWith({
    [variables.pepperSecret]: 'pepper-arn',
    [variables.providerKeysSecret]: 'keys-arn',
    [variables.secretsFile]: '',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: manager.url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  });

const onLaptop = (more: Record<string, string> = {}) => {
  const file = join(directory, 'secrets.json');
  writeFileSync(file, '{"pepper":"local"}');
  return secretsWith({ [variables.secretsFile]: file, ACME_KEY: 'from the shell', ...more });
};

describe('the pepper of a deployment', () => {
  it('is read once by any number of calls of readPepper', async () => {
    stored.secrets['pepper-arn'] = 'salt';
    const { readPepper } = await deployed();

    const [one, other] = await Promise.all([readPepper(), readPepper()]);
    laterMs += 100 * REFRESH_MS;

    expect([one, other, await readPepper(), stored.asked]).toEqual(['salt', 'salt', 'salt', ['pepper-arn']]);
  });

  it('is read again after a failed read', async () => {
    stored.isAway = true;
    const { readPepper } = await deployed();
    await expect(readPepper()).rejects.toThrow();
    Object.assign(stored, { isAway: false, secrets: { 'pepper-arn': 'salt' } });

    expect(await readPepper()).toBe('salt');
  });

  it('has no predecessor if the secret has never changed', async () => {
    stored.secrets['pepper-arn'] = 'salt';
    const { readPeppers } = await deployed();

    expect(await readPeppers()).toEqual({ current: 'salt', previous: undefined });
  });

  it('is the new one, with its predecessor, after it was read again', async () => {
    stored.secrets['pepper-arn'] = 'old';
    const { readPepper, readPeppers } = await deployed();
    await readPepper();
    Object.assign(stored, { secrets: { 'pepper-arn': 'new' }, before: { 'pepper-arn': 'old' } });

    expect(await readPeppers()).toEqual({ current: 'new', previous: 'old' });
    expect(await readPepper()).toBe('new');
  });

  it('is read again at most once in five minutes, whoever tries keys', async () => {
    stored.secrets['pepper-arn'] = 'salt';
    const { readPeppers } = await deployed();

    for (let time = 0; time < 10; time += 1) await readPeppers();
    expect(stored.asked).toHaveLength(2);
    laterMs += REFRESH_MS;
    await readPeppers();

    expect(stored.asked).toHaveLength(4);
  });

  it.each([
    ['{"ACME_KEY":"sk-ant-and-more-than-32-characters"}', 'it must be a random text, and is a JSON object'],
    ['short', 'it must have at least 32 characters'],
  ])('is used unchanged, and the log names the fault of %s', async (secret, fault) => {
    stored.secrets['pepper-arn'] = secret;
    const { readPepper } = await deployed();
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

    expect(await readPepper()).toBe(secret);

    const lines = log.mock.calls.map(([line]) => String(line)).join('');
    expect(lines).toContain(`"secret has a fault","reason":"PEPPER_SECRET_ARN: ${fault}"`);
    expect(lines).not.toContain('sk-ant');
  });

  it('is missing if the secret is empty, and nothing is hashed without it', async () => {
    const { readPepper } = await deployed();

    await expect(readPepper()).rejects.toThrow('empty');
  });

  it.each([
    ['is refused', { isAway: true }, 'AccessDeniedException'],
    ['is empty', {}, 'SecretUselessError: it is empty'],
  ])('returns 529 to clients if it %s, and logs that', async (_, state, reason) => {
    Object.assign(stored, state);
    const { readPepper } = await deployed();
    const { toGatewayError } = await import('../../lambdas/platform/errors.ts');
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

    const refusal = toGatewayError(await readPepper().catch((error: unknown) => error));

    expect([refusal.status, refusal.headers['retry-after']]).toEqual([529, '1']);
    expect(log).toHaveBeenCalledWith(
      expect.stringContaining(`"message":"secret not read","reason":"${variables.pepperSecret} ${reason}"`),
    );
  });
});

describe('the key of a provider', () => {
  it('is that of the secret, and missing if the operator has not set it', async () => {
    stored.secrets['keys-arn'] = '{"ACME_KEY":"secret","OTHER_KEY":""}';
    const { readProviderKey } = await deployed();

    const keys = await Promise.all(['ACME_KEY', 'OTHER_KEY', 'THIRD_KEY'].map(readProviderKey));

    expect([keys, stored.asked]).toEqual([['secret', undefined, undefined], ['keys-arn']]);
  });

  it('is updated within five minutes after a rotation', async () => {
    stored.secrets['keys-arn'] = '{"ACME_KEY":"old"}';
    const { readProviderKey } = await deployed();
    await readProviderKey('ACME_KEY');
    stored.secrets['keys-arn'] = '{"ACME_KEY":"new"}';

    laterMs += REFRESH_MS - 10_000;
    expect(await readProviderKey('ACME_KEY')).toBe('old');
    laterMs += 10_000;
    expect(await readProviderKey('ACME_KEY')).toBe('new');
  });

  it('is updated as soon if the monotonic clock stood still, as in a frozen function', async () => {
    stored.secrets['keys-arn'] = '{"ACME_KEY":"old"}';
    const { readProviderKey } = await deployed();
    const [steady, wall] = [performance.now(), Date.now()];
    vi.spyOn(performance, 'now').mockImplementation(() => steady);
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => wall);
    await readProviderKey('ACME_KEY');
    stored.secrets['keys-arn'] = '{"ACME_KEY":"new"}';

    clock.mockImplementation(() => wall + REFRESH_MS);

    expect(await readProviderKey('ACME_KEY')).toBe('new');
  });

  it('cannot be read if the secret is not an object, and the error does not contain its value', async () => {
    stored.secrets['keys-arn'] = 'sk-secret';
    const { readProviderKey } = await deployed();

    await expect(readProviderKey('ACME_KEY')).rejects.toThrow(
      'The secret that PROVIDER_KEYS_SECRET_ARN names cannot be read: it must be a JSON object',
    );
  });

  it.each([
    ['{"ACME_KEY": sk-ant}', 'it must be a JSON object, and is not JSON'],
    ['["sk-ant"]', 'it must be a JSON object, and is a list'],
    ['"sk-ant"', 'it must be a JSON object, and is a string'],
    ['null', 'it must be a JSON object, and is null'],
  ])('cannot be read if the secret is %s, and the log names the fault without the value', async (secret, fault) => {
    stored.secrets['keys-arn'] = secret;
    const { readProviderKey } = await deployed();
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

    await expect(readProviderKey('ACME_KEY')).rejects.toThrow(fault);

    const lines = log.mock.calls.map(([line]) => String(line)).join('');
    expect(lines).toContain(`"secret not read","reason":"PROVIDER_KEYS_SECRET_ARN SecretUselessError: ${fault}"`);
    expect(lines).not.toContain('sk-ant');
  });

  it('has no surrounding white space, which a header cannot carry', async () => {
    stored.secrets['keys-arn'] = JSON.stringify({ ACME_KEY: ' sk-ant\n' });
    const { readProviderKey } = await deployed();

    expect(await readProviderKey('ACME_KEY')).toBe('sk-ant');
  });

  it('is left out if it is not a text, the others stay, and the log names only its variable', async () => {
    stored.secrets['keys-arn'] = JSON.stringify({ ACME_KEY: 12345, OTHER_KEY: 'good', 'sk-ant-secret': 'OTHER_KEY' });
    const { readProviderKey } = await deployed();
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

    expect([await readProviderKey('ACME_KEY'), await readProviderKey('OTHER_KEY')]).toEqual([undefined, 'good']);

    const lines = log.mock.calls.map(([line]) => String(line)).join('');
    expect(lines).toMatch(/"secret has a fault","reason":"PROVIDER_KEYS_SECRET_ARN: ACME_KEY must be a JSON string/);
    expect(lines).toMatch(/an entry whose name is not of the form/);
    expect(lines).not.toMatch(/12345|sk-ant/);
  });

  it('is read again at once on request, and kept if that fails', async () => {
    stored.secrets['keys-arn'] = '{"ACME_KEY":"old"}';
    const { readProviderKey, rereadProviderKeys } = await deployed();
    await readProviderKey('ACME_KEY');
    stored.secrets['keys-arn'] = '{"ACME_KEY":"new"}';

    await rereadProviderKeys();
    expect(await readProviderKey('ACME_KEY')).toBe('new');
    stored.isAway = true;
    await rereadProviderKeys();
    expect(await readProviderKey('ACME_KEY')).toBe('new');
  });

  it('is abandoned before the timeout of the function if Secrets Manager does not respond', async () => {
    stored.isSilent = true;
    const { readProviderKey } = await deployed();
    const startedAt = Date.now();

    await expect(readProviderKey('ACME_KEY')).rejects.toThrow();

    expect(Date.now() - startedAt).toBeLessThan(8_000);
  });

  it('is still used if it cannot be read again', async () => {
    stored.secrets['keys-arn'] = '{"ACME_KEY":"old"}';
    const { readProviderKey } = await deployed();
    await readProviderKey('ACME_KEY');
    stored.isAway = true;

    laterMs += REFRESH_MS;

    expect(await readProviderKey('ACME_KEY')).toBe('old');
  });
});

describe('secrets on a laptop', () => {
  it('have the pepper in a file, and keys of providers in the environment', async () => {
    const { readPepper, readProviderKey } = await onLaptop();

    expect([await readPepper(), await readProviderKey('ACME_KEY'), await readProviderKey('NO_KEY')]).toEqual([
      'local',
      'from the shell',
      undefined,
    ]);
    expect(stored.asked).toEqual([]);
  });

  it('are refused in a function', async () => {
    const { readPepper } = await onLaptop({ GATEWAY_LOCAL: '' });

    await expect(readPepper()).rejects.toThrow('must not be set in production');
  });
});
