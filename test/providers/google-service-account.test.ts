import { generateKeyPairSync, verify } from 'node:crypto';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isRefusedCredential } from '../../lambdas/providers/authorization/refused-credential.ts';
import { authorizer } from '../../lambdas/providers/authorization/schemes.ts';
import { listen, type Listening } from '../support/listen.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const request = { url: 'https://eu-aiplatform.googleapis.com/v1', headers: {}, body: Buffer.from('{}') };

let google: Listening;
let asked: URLSearchParams[];
/** Answers of the token endpoint. The last one is repeated. */
let answers: { status?: number; body: string }[];
let accounts = 0;

const token = (value: string, seconds: unknown = 3_600) => ({
  body: JSON.stringify({ access_token: value, expires_in: seconds, token_type: 'Bearer' }),
});

/** Returns the key of a new account each time, because tokens are cached by credential. */
const accountKey = (more: object = {}) =>
  JSON.stringify({
    type: 'service_account',
    client_email: `gateway-${(accounts += 1)}@project.iam.gserviceaccount.com`,
    private_key: privateKey,
    private_key_id: 'key-1',
    token_uri: `${google.url}/token`,
    ...more,
  });

/** Decodes a part of an assertion. */
const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

const authorize = (credential: string) => authorizer('google-service-account')(credential, request, {});

beforeEach(async () => {
  asked = [];
  answers = [token('t1')];
  const server = createServer((incoming, response) => {
    let form = '';
    incoming.on('data', (chunk: Buffer) => (form += chunk.toString()));
    incoming.on('end', () => {
      const { status = 200, body } = answers[Math.min(asked.length, answers.length - 1)]!;
      asked.push(new URLSearchParams(form));
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  });
  google = await listen(server);
});

afterEach(async () => {
  vi.useRealTimers();
  await google.stop();
});

describe('a request of a service account', () => {
  it('has the token that Google returns for a signed assertion', async () => {
    expect(await authorize(accountKey())).toEqual({ authorization: 'Bearer t1' });

    const [header, claims, signature] = asked[0]!.get('assertion')!.split('.') as [string, string, string];
    expect(asked[0]!.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    expect(read(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
    expect(read(claims)).toMatchObject({
      iss: expect.stringContaining('@project.iam') as string,
      aud: `${google.url}/token`,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
    });
    expect(Number(read(claims)['exp']) - Number(read(claims)['iat'])).toBe(3_600);
    const isSigned = verify(
      'RSA-SHA256',
      Buffer.from(`${header}.${claims}`),
      publicKey,
      Buffer.from(signature, 'base64url'),
    );
    expect(isSigned).toBe(true);
  });

  it('shares one exchange with concurrent and later requests', async () => {
    const key = accountKey();

    await Promise.all([authorize(key), authorize(key), authorize(key)]);
    await authorize(key);

    expect(asked).toHaveLength(1);
  });

  it('has a new token shortly before the old one expires', async () => {
    answers = [token('t1', 59), token('t2')];
    const key = accountKey();
    await authorize(key);

    const later = await Promise.all([authorize(key), authorize(key)]);

    expect(later).toEqual([{ authorization: 'Bearer t2' }, { authorization: 'Bearer t2' }]);
    expect(asked).toHaveLength(2);
  });

  it('has the token of its own account', async () => {
    answers = [token('t1'), token('t2')];

    expect(await authorize(accountKey())).toEqual({ authorization: 'Bearer t1' });
    expect(await authorize(accountKey())).toEqual({ authorization: 'Bearer t2' });
  });

  it.each([
    [400, true],
    [403, true],
    [429, false],
    [503, false],
  ])('has a refused credential if Google answers with status %i: %s', async (status, isRefused) => {
    answers = [{ status, body: '{"error":"invalid_grant","error_description":"Invalid grant: account not found"}' }];

    const failure = await Promise.resolve(authorize(accountKey())).catch((error: unknown) => error);

    expect(isRefusedCredential(failure)).toBe(isRefused);
  });

  it('has a refused credential if its key cannot sign', async () => {
    const failure = await Promise.resolve(authorize(accountKey({ private_key: 'no key' }))).catch(
      (error: unknown) => error,
    );

    expect(isRefusedCredential(failure)).toBe(true);
    expect(String(failure)).not.toContain('no key');
  });

  it('fails if Google refuses, and exchanges again a second later', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    answers = [{ status: 401, body: '{"error":"invalid_grant"}' }, token('t2')];
    const key = accountKey();

    await expect(authorize(key)).rejects.toThrow('status 401');
    vi.setSystemTime(Date.now() + 1_000);
    expect(await authorize(key)).toEqual({ authorization: 'Bearer t2' });
  });

  it.each([
    ['no JSON', '<html>'],
    ['no token', '{"expires_in":3600}'],
    ['a token that no header can hold', JSON.stringify({ access_token: 'a\r\nb: c', expires_in: 3600 })],
    ['a token without an end', JSON.stringify({ access_token: 'a' })],
    ['more than a token', `{"access_token":"${'a'.repeat(70_000)}","expires_in":3600}`],
  ])('fails if Google answers with %s', async (_what, body) => {
    answers = [{ body }];

    await expect(authorize(accountKey())).rejects.toThrow(/without a token|an answer of more than 64 KiB/);
  });

  it.each([
    ['is not JSON', 'my-secret-key'],
    ['lacks the key', JSON.stringify({ client_email: 'a@b', secret: 'my-secret-key' })],
  ])('is not sent if the credential %s, and the error does not contain it', async (_what, credential) => {
    const attempt = Promise.resolve(authorize(credential));

    await expect(attempt).rejects.toThrow('not the JSON file of a service account');
    await expect(attempt).rejects.not.toThrow('my-secret-key');
  });
});
