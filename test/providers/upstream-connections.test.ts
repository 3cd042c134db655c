import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { readText } from '../../lambdas/providers/http/read-text.ts';
import { UpstreamRequest, type UpstreamResponse } from '../../lambdas/providers/http/upstream-http.ts';
import { privateAuthority, privateServer } from '../support/private-authority.ts';
import {
  exchange,
  gone,
  rawUpstream,
  requestTo,
  stopUpstreams,
  turn,
  upstream,
  type Seen,
} from '../support/direct-upstream.ts';
import { listen } from '../support/listen.ts';

afterEach(stopUpstreams);

/** Sends a first chunk, and the rest after the client has disconnected. */
async function leave(rest: (response: ServerResponse) => unknown): Promise<Seen> {
  const left = Promise.withResolvers<void>();
  const seen = await upstream(async (response, _request, before) => {
    if (before > 0) return response.end('ok');
    response.write('answer');
    await left.promise;
    return rest(response);
  });
  const { body } = await requestTo(seen.url).send('x');
  await body.next();
  await body.return();
  left.resolve();
  return seen;
}

describe('a kept-alive connection', () => {
  it('is used for the next request', async () => {
    const { url, connections } = await upstream((response) => response.end('ok'));
    await exchange(url);
    await turn();

    await exchange(url);

    expect(connections).toHaveLength(1);
  });

  it('is replaced if the other side has closed it, and the request is sent again', async () => {
    const { url, connections, bodies } = await upstream((response, request, before) =>
      before === 1 ? request.socket.resetAndDestroy() : response.end('ok'),
    );
    await exchange(url, 'first');
    await turn();

    expect(await exchange(url, 'second')).toBe('ok');

    expect([connections.length, bodies]).toEqual([2, ['first', 'second', 'second']]);
  });

  it('is replaced by a new one also if others were closed with it', async () => {
    const together = Promise.withResolvers<void>();
    const { url, connections } = await upstream(async (response, request, before) => {
      if (before === 1) together.resolve();
      await together.promise;
      if (before > 1 && connections.indexOf(request.socket) < 2) request.socket.resetAndDestroy();
      else response.end('ok');
    });
    await Promise.all([exchange(url), exchange(url)]);
    await turn();

    expect(await exchange(url)).toBe('ok');

    expect(connections).toHaveLength(3);
  });

  it('is replaced once and not again', async () => {
    const { url, bodies } = await upstream((response, request, before) =>
      before === 0 ? response.end('ok') : request.socket.resetAndDestroy(),
    );
    await exchange(url, 'first');
    await turn();

    await expect(exchange(url, 'second')).rejects.toMatchObject({ failure: 'broken' });

    expect(bodies).toEqual(['first', 'second', 'second']);
  });

  it('is not replaced if it breaks late, because the request may have been read and charged', async () => {
    // Time in ms until the server resets the connection. A reset that was already on its way when the request was sent
    // would arrive earlier.
    const LATE_MS = 200;
    const { url, bodies } = await upstream(async (response, request, before) => {
      if (before === 0) return response.end('ok');
      await sleep(LATE_MS);
      return request.socket.resetAndDestroy();
    });
    await exchange(url, 'first');
    await turn();

    await expect(exchange(url, 'second')).rejects.toMatchObject({ failure: 'broken' });

    expect(bodies).toEqual(['first', 'second']);
  });
});

describe('a new connection', () => {
  it('is not replaced if it breaks, because the request may have been read', async () => {
    const { url, bodies } = await upstream((_response, request) => request.socket.resetAndDestroy());

    await expect(exchange(url)).rejects.toMatchObject({ failure: 'broken' });

    expect(bodies).toHaveLength(1);
  });

  it('that cannot be made fails its request only when the request is sent', async () => {
    const { url, port, stop } = await rawUpstream(() => {});
    await stop();
    const failed = Promise.withResolvers<void>();
    const onError = (message: unknown) => {
      if ((message as { error: { port?: number } }).error.port === port) failed.resolve();
    };
    subscribe('http.client.request.error', onError);
    const request = requestTo(url);
    await failed.promise;
    unsubscribe('http.client.request.error', onError);

    await expect(request.send('x')).rejects.toMatchObject({ failure: 'connect', word: 'ECONNREFUSED' });
  });
});

describe('a provider with an untrusted certificate', () => {
  it('counts as unreachable, and nothing of the request was sent', async () => {
    const received: unknown[] = [];
    const server = privateServer((request, response) => (received.push(request.url), response.end('ok')));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;

    await expect(requestTo(`https://127.0.0.1:${port}`).send('x')).rejects.toMatchObject({
      failure: 'connect',
      word: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });

    server.close();
    expect(received).toEqual([]);
  });
});

/** Starts a server with private certificates, which answers the path /wait only after `answerWaiting`. */
async function privateUpstream() {
  const waiting = Promise.withResolvers<void>();
  const connections: Socket[] = [];
  const server = privateServer((request, response) => {
    response.flushHeaders();
    void (request.url === '/wait' ? waiting.promise : Promise.resolve()).then(() => response.end('ok'));
  });
  // The server itself never closes an idle connection.
  server.keepAliveTimeout = 0;
  server.on('secureConnection', (socket: Socket) => connections.push(socket));
  const { stop } = await listen(server);
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  const timeouts = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 };
  const send = (path: string, ca: string) => {
    const target = { url: `https://127.0.0.1:${port}${path}`, headers: {}, ca, timeouts };
    return new UpstreamRequest(target, new AbortController().signal).send('x');
  };
  return { connections, send, answerWaiting: () => waiting.resolve() };
}

/** Sends requests with 16 new certificates: the gateway keeps connections for at most 16 certificates. */
async function replaceCertificates(send: (path: string, ca: string) => Promise<UpstreamResponse>) {
  for (let renewal = 1; renewal <= 16; renewal += 1) {
    const { body } = await send('/', privateAuthority + '\n'.repeat(renewal));
    await readText(body, Infinity);
  }
}

describe('a provider with its own certificates', () => {
  it('has no idle connections of certificates that 16 newer ones have replaced', async () => {
    const { connections, send } = await privateUpstream();
    await readText((await send('/', privateAuthority)).body, Infinity);
    await turn();

    await replaceCertificates(send);

    await gone(connections[0]);
    expect(connections.filter(({ destroyed }) => !destroyed)).toHaveLength(16);
  });

  it('completes a running request after its certificates were replaced, and then closes its connection', async () => {
    const { connections, send, answerWaiting } = await privateUpstream();
    const { body } = await send('/wait', privateAuthority);

    await replaceCertificates(send);
    answerWaiting();

    expect(await readText(body, Infinity)).toBe('ok');
    await gone(connections[0]);
  });
});

describe('an aborted signal', () => {
  it('prevents the request before anything was sent', async () => {
    const { url, bodies } = await upstream((response) => response.end('ok'));

    await expect(requestTo(url, {}, AbortSignal.abort()).send('x')).rejects.toMatchObject({ failure: 'aborted' });

    expect(bodies).toEqual([]);
  });

  it('closes the connection to the provider while its answer is awaited', async () => {
    const leaving = new AbortController();
    const closed = Promise.withResolvers<void>();
    const { url } = await upstream((response) => {
      response.once('close', () => closed.resolve());
      leaving.abort();
    });

    await expect(requestTo(url, {}, leaving.signal).send('x')).rejects.toMatchObject({ failure: 'aborted' });

    await closed.promise;
  });

  it('closes the connection in the middle of an answer, and the answer fails', async () => {
    const leaving = new AbortController();
    const closed = Promise.withResolvers<void>();
    const { url } = await upstream((response) => {
      response.once('close', () => closed.resolve());
      response.write('begun');
    });
    const { body } = await requestTo(url, {}, leaving.signal).send('x');
    await body.next();
    const next = body.next();

    leaving.abort();

    await expect(next).rejects.toThrow();
    await closed.promise;
  });

  it('keeps the connection of a complete answer, which may already have another request', async () => {
    const leaving = new AbortController();
    const asked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const { url, connections } = await upstream(async (response, _request, before) => {
      if (before > 0) {
        asked.resolve();
        await goOn.promise;
      }
      response.end('ok');
    });
    const { body } = await requestTo(url, {}, leaving.signal).send('x');
    await body.next();
    await turn();
    const other = exchange(url);
    await asked.promise;

    leaving.abort();
    goOn.resolve();

    expect([await other, connections.length]).toEqual(['ok', 1]);
    await body.return();
  });
});

describe('bytes after the end of an answer', () => {
  it('are read if they are few, and the connection is kept', async () => {
    const finished = Promise.withResolvers<void>();
    const { url, connections } = await leave((response) => response.end('.'.repeat(1_024), () => finished.resolve()));
    await finished.promise;
    await turn();
    await turn();

    await exchange(url);

    expect(connections).toHaveLength(1);
  });

  it('are not read if they are many, and the connection is closed', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    let writtenBytes = 0;
    const { connections } = await leave(async (response) => {
      while (!response.destroyed) {
        await new Promise((resolve) => response.write(chunk, resolve));
        writtenBytes += chunk.length;
      }
    });

    await gone(connections[0]);

    // Without back-pressure, far more could be written in a second.
    expect(writtenBytes).toBeLessThan(16 * 1024 * 1024);
  });

  it('are awaited only for a limited time', async () => {
    const { connections } = await leave(() => {});

    await gone(connections[0]);
  });
});

describe('idle connections', () => {
  it('are limited over all providers together, because a process has a limit of open files', async () => {
    const all = Promise.withResolvers<void>();
    let asked = 0;
    const answer = async (response: ServerResponse) => {
      if (++asked === 300) all.resolve();
      await all.promise;
      response.end('ok');
    };
    const upstreams = await Promise.all(Array.from({ length: 3 }, () => upstream(answer)));

    await Promise.all(upstreams.flatMap(({ url }) => Array.from({ length: 100 }, () => exchange(url))));

    const open = () => upstreams.flatMap(({ connections }) => connections.filter(({ destroyed }) => !destroyed)).length;
    await expect.poll(open).toBeLessThanOrEqual(256);
    expect(open()).toBeGreaterThan(200);
  });
});
