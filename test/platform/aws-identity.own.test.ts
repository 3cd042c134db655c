import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../support/listen.ts';
import { eventually } from '../support/eventually.ts';

const MINUTE_MS = 60_000;
const servers: Server[] = [];

beforeEach(() => {
  vi.resetModules();
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/**
 * Starts an agent for credentials, which returns new keys each time. The keys are valid for the next of these numbers
 * of minutes; for undefined, the agent returns an error.
 */
async function agent(...minutes: (number | undefined)[]): Promise<{ requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const left = minutes[Math.min(requests.length, minutes.length) - 1];
    if (left === undefined) return response.writeHead(400).end('{}');
    return response.end(
      JSON.stringify({
        AccessKeyId: `ID-${requests.length}`,
        SecretAccessKey: 'SECRET',
        Token: 'TOKEN',
        Expiration: new Date(Date.now() + left * MINUTE_MS).toISOString(),
      }),
    );
  });
  servers.push(server);
  const { url } = await listen(server);
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${url}/role`);
  vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN', 'who-asks');
  return { requests };
}

async function newIdentity() {
  const { ownIdentity } = await import('../../lambdas/platform/aws/aws-identity.ts');
  return ownIdentity;
}

describe('the identity of a function', () => {
  it('has the current credentials of the environment', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'ID');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'SECRET');
    const identity = await newIdentity();
    expect(await identity.credentials()).toEqual({ accessKeyId: 'ID', secretAccessKey: 'SECRET' });

    vi.stubEnv('AWS_ACCESS_KEY_ID', 'LATER');
    vi.stubEnv('AWS_SESSION_TOKEN', 'TOKEN');

    expect(await identity.credentials()).toEqual({
      accessKeyId: 'LATER',
      secretAccessKey: 'SECRET',
      sessionToken: 'TOKEN',
    });
  });

  it('is missing, with the name of the variable, if no variable is set', async () => {
    const identity = await newIdentity();
    await expect(identity.credentials()).rejects.toThrow('AWS_ACCESS_KEY_ID');
  });
});

describe('the identity of a container', () => {
  it('is requested once for concurrent requests, with the token of the container', async () => {
    const { requests } = await agent(60);
    const identity = await newIdentity();

    const all = await Promise.all([identity.credentials(), identity.credentials(), identity.credentials()]);
    await identity.credentials();

    expect(all.map(({ accessKeyId }) => accessKeyId)).toEqual(['ID-1', 'ID-1', 'ID-1']);
    expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([['/role', 'who-asks']]);
  });

  it('is refreshed before it expires, without a delay for requests', async () => {
    await agent(4, 60);
    const identity = await newIdentity();

    expect(await identity.credentials()).toMatchObject({ accessKeyId: 'ID-1', sessionToken: 'TOKEN' });
    expect(await identity.credentials()).toMatchObject({ accessKeyId: 'ID-1' });
    await eventually(async () => expect(await identity.credentials()).toMatchObject({ accessKeyId: 'ID-2' }));
  });

  it('is kept until it expires if the address fails', async () => {
    const { requests } = await agent(4, undefined);
    const identity = await newIdentity();
    const first = await identity.credentials();

    expect(await identity.credentials()).toEqual(first);
    await eventually(() => expect(requests).toHaveLength(2));
    expect(await identity.credentials()).toEqual(first);

    vi.useFakeTimers({ now: Date.now() + 5 * MINUTE_MS, toFake: ['Date'] });
    await expect(identity.credentials()).rejects.toThrow();
  });

  it('is read from no address outside of the machine', async () => {
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', 'http://169.254.169.254.example.org/role');
    const identity = await newIdentity();
    await expect(identity.credentials()).rejects.toThrow('URL not accepted');
  });
});
