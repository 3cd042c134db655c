import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf } from '../../lambdas/providers/failures.ts';
import { connect } from '../../lambdas/routing/connection.ts';
import { candidateAt } from '../support/candidate.ts';
import { listen, type Listening } from '../support/listen.ts';
import { privateAuthority, privateServer } from '../support/private-authority.ts';

const MINUTES_30 = 30 * 60_000;

let servers: Listening[] = [];
afterEach(async () => {
  await Promise.all(servers.map(({ stop }) => stop()));
  servers = [];
});

async function started(server: ReturnType<typeof createServer>): Promise<string> {
  const listening = await listen(server);
  servers.push(listening);
  return listening.url;
}

type Answer = (response: ServerResponse, body: string, request: IncomingMessage) => void;

const reading = (answer: Answer) => (request: IncomingMessage, response: ServerResponse) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => answer(response, body, request));
};

/** Starts a token endpoint, which by default returns the tokens t1, t2, … */
async function tokenAddress(answer?: Answer) {
  const asked: { authorization: string | undefined; rquid: unknown; body: string }[] = [];
  const url = await started(
    createServer(
      reading((response, body, request) => {
        asked.push({ authorization: request.headers.authorization, rquid: request.headers['rquid'], body });
        if (answer) answer(response, body, request);
        else response.end(JSON.stringify({ access_token: `t${asked.length}`, expires_at: Date.now() + MINUTES_30 }));
      }),
    ),
  );
  return { url: `${url}/oauth`, asked };
}

/** Starts a provider, and records the tokens that it gets. */
async function provider(accepts: (token: string) => boolean) {
  const tokens: string[] = [];
  const url = await started(
    createServer(
      reading((response, _body, request) => {
        const token = request.headers.authorization!.replace('Bearer ', '');
        tokens.push(token);
        response.writeHead(accepts(token) ? 200 : 401).end('said');
      }),
    ),
  );
  return { url, tokens };
}

const encoded = { path: '/chat/completions', headers: { 'content-type': 'application/json' }, body: '{}' };
let credentials = 0;
/** Returns a new credential each time, because tokens are cached as long as the process lives. */
const newCredential = () => `GIGACHAT_API_CORP:a2V5${(credentials += 1)}`;

function ask(url: string, tokenUrl: string, credential = newCredential(), ca?: string) {
  const candidate = candidateAt(url, { wire: 'openai-chat', credential });
  candidate.endpoint.auth = 'gigachat-oauth';
  candidate.endpoint.provider.data.token_url = tokenUrl;
  candidate.ca = ca;
  return connect(candidate, encoded, new AbortController().signal).send(encoded.body);
}

describe('a request to GigaChat', () => {
  it('has the token from the exchange of its credential, in the scope before it', async () => {
    const [oauth, chat] = [await tokenAddress(), await provider(() => true)];

    const { status } = await ask(chat.url, oauth.url, 'GIGACHAT_API_B2B:c2NvcGVk');

    expect([status, chat.tokens]).toEqual([200, ['t1']]);
    expect(oauth.asked).toEqual([
      {
        authorization: 'Basic c2NvcGVk',
        rquid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        body: 'scope=GIGACHAT_API_B2B',
      },
    ]);
  });

  it('has the scope of personal accounts if the credential names no scope', async () => {
    const [oauth, chat] = [await tokenAddress(), await provider(() => true)];

    await ask(chat.url, oauth.url, 'cGVyc29u');

    expect(oauth.asked.map(({ body }) => body)).toEqual(['scope=GIGACHAT_API_PERS']);
  });

  it('shares one exchange with all concurrent requests', async () => {
    const [oauth, chat, credential] = [await tokenAddress(), await provider(() => true), newCredential()];

    await Promise.all(Array.from({ length: 10 }, () => ask(chat.url, oauth.url, credential)));

    expect([oauth.asked.length, new Set(chat.tokens)]).toEqual([1, new Set(['t1'])]);
  });

  it('is repeated once with another token after a 401', async () => {
    const [oauth, chat] = [await tokenAddress(), await provider((token) => token === 't2')];

    expect((await ask(chat.url, oauth.url)).status).toBe(200);

    expect(chat.tokens).toEqual(['t1', 't2']);
  });

  it('fails after a second 401', async () => {
    const [oauth, chat] = [await tokenAddress(), await provider(() => false)];

    expect((await ask(chat.url, oauth.url)).status).toBe(401);

    expect(chat.tokens).toEqual(['t1', 't2']);
  });

  it.each<[string, Answer]>([
    ['a refusal', (response) => response.writeHead(401).end('{"message":"bad c2VjcmV0"}')],
    ['no JSON', (response) => response.end('<html>')],
    ['no token', (response) => response.end('{}')],
    [
      'a token that cannot be a header',
      (response) => response.end(JSON.stringify({ access_token: 'a\nb', expires_at: 9e12 })),
    ],
    ['a closed connection', (response) => response.destroy()],
  ])('fails as unauthorized, without the credential in the error, after %s', async (_what, answer) => {
    const [oauth, chat] = [await tokenAddress(answer), await provider(() => true)];

    const failure = await ask(chat.url, oauth.url).catch((error: unknown) => error);

    expect(failure).toMatchObject({ name: 'UpstreamError', failure: 'unauthorized' });
    expect(String((failure as Error).cause)).not.toMatch(/a2V5|c2VjcmV0/);
    expect(chat.tokens).toEqual([]);
  });

  it.each([
    [401, 'operator'],
    [400, 'operator'],
    [429, undefined],
    [500, undefined],
  ])(
    'without a token is the fault of the operator only for some statuses of the token address: %i is %s',
    async (status, fault) => {
      const [oauth, chat] = [
        await tokenAddress((response) => response.writeHead(status).end('{"message":"No"}')),
        await provider(() => true),
      ];
      const acme = { id: 'gigachat', name: 'Acme', baseUrl: chat.url, credential: 'key' };

      const failure = failureOf(await ask(chat.url, oauth.url).catch((error: unknown) => error), acme);

      expect(failure).toMatchObject({ fault, kind: 'provider_unavailable', mayTryAnother: true });
      expect(failure.headers['x-should-retry']).toBe(fault === 'operator' ? 'false' : undefined);
      expect(chat.tokens).toEqual([]);
    },
  );

  it('fails if the credential is not a key', async () => {
    const [oauth, chat] = [await tokenAddress(), await provider(() => true)];

    await expect(ask(chat.url, oauth.url, 'two words')).rejects.toMatchObject({ failure: 'unauthorized' });

    expect(oauth.asked).toEqual([]);
  });
});

const privately = async () => {
  const answer = reading((response) =>
    response.end(JSON.stringify({ access_token: 'private', expires_at: Date.now() + MINUTES_30 })),
  );
  return (await started(privateServer(answer))).replace('http:', 'https:');
};

describe('a provider with its own certificate authority', () => {
  it('is trusted with its certificate, for tokens and for answers', async () => {
    const url = await privately();

    expect((await ask(url, `${url}/oauth`, newCredential(), privateAuthority)).status).toBe(200);
  });

  it('is not trusted without it, also by concurrent requests', async () => {
    const url = await privately();
    const withIt = ask(url, `${url}/oauth`, newCredential(), privateAuthority);

    await expect(ask(url, `${url}/oauth`)).rejects.toMatchObject({ name: 'UpstreamError' });

    expect((await withIt).status).toBe(200);
  });
});
