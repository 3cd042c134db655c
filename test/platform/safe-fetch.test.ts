import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { FetchError } from '../../lambdas/platform/fetch/fetch-faults.ts';
import { fetchPublic, openPublic, postPublic, type FetchRules } from '../../lambdas/platform/fetch/safe-fetch.ts';
import { listen, type Listening } from '../support/listen.ts';
import { privateAuthority, privateServer } from '../support/private-authority.ts';

let server: Listening;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let requests: IncomingMessage[];

beforeAll(async () => {
  server = await listen(
    createServer((request, response) => {
      requests.push(request);
      answer(request, response);
    }),
  );
});
afterAll(() => server.stop());
beforeEach(() => {
  requests = [];
});

const rules: FetchRules = { maxBytes: 1_000, timeoutMs: 2_000, mediaTypes: ['image/png'], allowLoopback: true };
const thisMachine = async () => [{ address: '127.0.0.1', family: 4 }];
const nobodyAnswers = () => new Promise<never>(() => {});
const png = { 'content-type': 'image/png' };

function answersWith(status: number, headers: Record<string, string> = {}, body: string | Buffer = '') {
  answer = (_request, response) => response.writeHead(status, headers).end(body);
}

it('safe fetch downloads a file', async () => {
  answersWith(200, { 'content-type': 'Image/PNG; charset=binary' }, 'a picture');

  expect(await fetchPublic(server.url, rules)).toEqual({
    ok: true,
    mediaType: 'image/png',
    bytes: Buffer.from('a picture'),
  });
});

it('safe fetch reads the media type image/jpg as image/jpeg', async () => {
  answersWith(200, { 'content-type': 'image/jpg' }, 'a picture');

  const fetched = await fetchPublic(server.url, { ...rules, mediaTypes: ['image/jpeg'] });
  expect(fetched).toMatchObject({ ok: true, mediaType: 'image/jpeg' });
});

it('safe fetch sends its user agent, and no cookie of an earlier answer', async () => {
  answersWith(200, { ...png, 'set-cookie': 'a=b' });
  await fetchPublic(server.url, rules);
  await fetchPublic(server.url, rules);

  const { headers } = requests[1]!;
  expect(headers).toEqual({
    host: new URL(server.url).host,
    'user-agent': 'model-gateway',
    accept: '*/*',
    'accept-encoding': 'identity',
    connection: 'close',
  });
});

it('safe fetch resolves a host once, and connects to that address', async () => {
  answersWith(200, png, 'x');
  const answers = [[{ address: '127.0.0.1', family: 4 }], [{ address: '10.0.0.1', family: 4 }]];
  let asked = 0;
  const lookup = async () => answers[asked++]!;
  const url = `http://rebound.example:${new URL(server.url).port}/`;

  expect(await fetchPublic(url, { ...rules, lookup })).toMatchObject({ ok: true });
  expect(asked).toBe(1);
  expect(requests[0]!.headers.host).toBe(new URL(url).host);
  expect(await fetchPublic(url, { ...rules, lookup })).toEqual({ ok: false, reason: 'not_public' });
  expect(requests).toHaveLength(1);
});

it('safe fetch resolves the host of a redirect again, also if it is the same', async () => {
  answersWith(302, { location: '/other' });
  const answers = ['127.0.0.1', '192.168.0.1'];
  const lookup = async () => [{ address: answers.shift()!, family: 4 }];
  const url = `http://rebound.example:${new URL(server.url).port}/`;

  expect(await fetchPublic(url, { ...rules, lookup })).toEqual({ ok: false, reason: 'not_public' });
  expect(requests).toHaveLength(1);
});

it.each([
  ['http://10.0.0.1/secrets', 'not_public'],
  ['http://169.254.169.254/latest/meta-data/', 'not_public'],
  ['https://[::ffff:a9fe:a9fe]/', 'not_public'],
  ['http://8.8.8.8/', 'not_public'],
  ['file:///etc/passwd', 'not_https'],
  ['ftp://127.0.0.1/', 'not_https'],
  ['http://user:password@127.0.0.1/', 'userinfo'],
  ['http://[', 'redirects'],
  ['', 'redirects'],
])('safe fetch does not follow a redirect to %s', async (location, reason) => {
  answersWith(302, { location });

  expect(await fetchPublic(server.url, rules)).toEqual({ ok: false, reason });
  expect(requests).toHaveLength(1);
});

it('safe fetch follows three redirects, and no fourth', async () => {
  answer = ({ url }, response) => {
    const left = Number(url!.slice(1));
    if (left === 0) response.writeHead(200, png).end('there');
    else response.writeHead(307, { location: `${left - 1}` }).end();
  };

  expect(await fetchPublic(`${server.url}/3`, rules)).toMatchObject({ ok: true, bytes: Buffer.from('there') });
  expect(await fetchPublic(`${server.url}/4`, rules)).toEqual({ ok: false, reason: 'redirects' });
});

it.each<[string, number, Record<string, string>, string]>([
  ['another media type', 200, { 'content-type': 'text/html' }, 'media_type'],
  ['no media type', 200, {}, 'media_type'],
  ['a compressed file', 200, { ...png, 'content-encoding': 'gzip' }, 'media_type'],
  ['another status', 404, png, 'status'],
  ['a part', 206, png, 'status'],
])('safe fetch refuses %s', async (_what, status, headers, reason) => {
  answersWith(status, headers, 'x');

  expect(await fetchPublic(server.url, rules)).toEqual({ ok: false, reason });
});

it('safe fetch does not read a body with a declared size above the limit', async () => {
  answer = (_request, response) => response.writeHead(200, { ...png, 'content-length': '1001' }).flushHeaders();

  expect(await fetchPublic(server.url, rules)).toEqual({ ok: false, reason: 'too_large' });
});

it('safe fetch stops at the limit of an endless body', async () => {
  let closed: Promise<unknown> | undefined;
  answer = (_request, response) => {
    closed = once(response, 'close');
    response.writeHead(200, png);
    const more = () => {
      while (response.write(Buffer.alloc(400))) if (response.destroyed) return;
    };
    response.on('drain', more);
    more();
  };

  expect(await fetchPublic(server.url, rules)).toEqual({ ok: false, reason: 'too_large' });
  await closed;
});

it('safe fetch abandons a server that is silent, or stops in the middle', async () => {
  const hasty = { ...rules, timeoutMs: 60 };
  answer = () => {};
  expect(await fetchPublic(server.url, hasty)).toEqual({ ok: false, reason: 'timeout' });

  answer = (_request, response) => response.writeHead(200, png).write('half');
  expect(await fetchPublic(server.url, hasty)).toEqual({ ok: false, reason: 'timeout' });
});

it('safe fetch abandons a body that arrives too slowly', async () => {
  let timer: NodeJS.Timeout | undefined;
  answer = (_request, response) => {
    response.writeHead(200, png);
    timer = setInterval(() => response.write('.'), 5);
  };

  expect(await fetchPublic(server.url, { ...rules, timeoutMs: 80 })).toEqual({ ok: false, reason: 'timeout' });
  clearInterval(timer);
});

it('safe fetch abandons a name that is not resolved in time', async () => {
  expect(await fetchPublic('https://slow.example/', { ...rules, lookup: nobodyAnswers, timeoutMs: 30 })).toEqual({
    ok: false,
    reason: 'timeout',
  });
});

it('safe fetch ends with its request', async () => {
  const cancel = new AbortController();
  answer = () => cancel.abort();

  expect(await fetchPublic(server.url, { ...rules, signal: cancel.signal })).toEqual({
    ok: false,
    reason: 'cancelled',
  });
});

it('safe fetch distinguishes an interrupted connection from the end of a file', async () => {
  answer = (_request, response) => {
    response.writeHead(200, { ...png, 'content-length': '100' }).write('half', () => response.destroy());
  };

  expect(await fetchPublic(server.url, rules)).toEqual({ ok: false, reason: 'broken' });
});

it('safe fetch reports an address without a server', async () => {
  const gone = await listen(createServer());
  await gone.stop();

  expect(await fetchPublic(gone.url, rules)).toEqual({ ok: false, reason: 'unreachable' });
});

it('safe fetch opens a file of an accepted type, and streams it', async () => {
  let finish: (() => void) | undefined;
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': '6' }).write('one');
    finish = () => response.end('two');
  };

  const opened = await openPublic(server.url, { ...rules, mediaTypes: ['video/*'] });
  if (!opened.ok) throw new Error(opened.reason);
  const first = await opened.body.next();
  finish!();
  const second = await opened.body.next();

  expect(opened).toMatchObject({ mediaType: 'video/mp4', length: 6 });
  expect([first.value, second.value].map(String)).toEqual(['one', 'two']);
  expect(await opened.body.next()).toMatchObject({ done: true });
});

it('safe fetch reports an opened file that exceeds the limit', async () => {
  answersWith(200, { ...png, 'transfer-encoding': 'chunked' }, Buffer.alloc(2_000));
  const opened = await openPublic(server.url, rules);
  if (!opened.ok) throw new Error(opened.reason);

  await expect(async () => {
    for await (const chunk of opened.body) expect(chunk.length).toBeLessThanOrEqual(rules.maxBytes);
  }).rejects.toThrow(new FetchError('too_large'));
});

it('safe fetch posts to the given address, and follows no redirect', async () => {
  answersWith(307, { location: '/elsewhere' });
  const sent = { headers: { 'content-type': 'application/json' }, body: '{"a":"ё"}' };

  expect(await postPublic(server.url, sent, rules)).toEqual({ ok: true, status: 307 });
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ method: 'POST', headers: { 'content-length': '10' } });
  expect(await postPublic('https://10.0.0.1/', sent, rules)).toEqual({ ok: false, reason: 'not_public' });
});

const authorities = getCACertificates('default');
afterEach(() => setDefaultCACertificates(authorities));

it('safe fetch accepts only a server certificate with the name of the host', async () => {
  const secure = privateServer((_request, response) => response.writeHead(200, png).end('secret'));
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const { port } = secure.address() as AddressInfo;
  try {
    expect(await fetchPublic(`https://127.0.0.1:${port}/`, rules)).toEqual({ ok: false, reason: 'unreachable' });
    setDefaultCACertificates([...authorities, privateAuthority]);
    expect(await fetchPublic(`https://127.0.0.1:${port}/`, rules)).toMatchObject({ ok: true });
    const impostor = await fetchPublic(`https://other.example:${port}/`, { ...rules, lookup: thisMachine });
    expect(impostor).toEqual({ ok: false, reason: 'unreachable' });
  } finally {
    secure.close();
    secure.closeAllConnections();
  }
});
