import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readResponse, readText } from '../../lambdas/providers/http/read-text.ts';
import { exchange, gone, rawUpstream, requestTo, stopUpstreams, upstream } from '../support/direct-upstream.ts';

afterEach(stopUpstreams);

/** Sends interim responses, which announce an answer. */
function announce(response: ServerResponse, count: number): void {
  for (let interim = 0; interim < count; interim += 1) response.writeProcessing();
}

const withoutToken = () => Promise.reject(new Error('No token'));

async function* chunks(): AsyncGenerator<Buffer> {
  for (const text of ['one', 'two', 'three']) yield Buffer.from(text);
}

describe('a request to a provider', () => {
  it('connects at once, and sends nothing before the call of send', async () => {
    const received: string[] = [];
    const connected = Promise.withResolvers<Socket>();
    const { url } = await rawUpstream((socket) => {
      socket.on('data', (bytes) => {
        received.push(bytes.toString());
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
      connected.resolve(socket);
    });
    const request = requestTo(url);
    await connected.promise;
    const beforeSending = received.length;

    const response = await request.send('hello');

    expect([beforeSending, await readText(response.body, Infinity), received.join('').endsWith('hello')]).toEqual([
      0,
      'ok',
      true,
    ]);
  });

  it('asks for a response that is not compressed, because servers may otherwise compress it', async () => {
    const { url } = await upstream((response, request) => {
      const isPlain = request.headers['accept-encoding'] === 'identity';
      response.writeHead(200, isPlain ? {} : { 'content-encoding': 'gzip' });
      response.end(isPlain ? 'plain' : gzipSync('plain'));
    });

    expect(await exchange(url)).toBe('plain');
  });

  it('closes its connection if nothing is to be sent', async () => {
    const connected = Promise.withResolvers<Socket>();
    const { url } = await rawUpstream((socket) => connected.resolve(socket.resume()));
    const request = requestTo(url);
    const socket = await connected.promise;

    request.discard();

    await gone(socket);
    expect(socket.bytesRead).toBe(0);
  });

  it('reports that it was sent completely, before its answer', async () => {
    const order: string[] = [];
    const left = Promise.withResolvers<void>();
    const { url } = await upstream(async (response) => {
      await left.promise;
      response.end();
    });

    await requestTo(url).send('x', () => {
      order.push('left');
      left.resolve();
    });
    order.push('answered');

    expect(order).toEqual(['left', 'answered']);
  });

  it('does not count as sent while the provider does not read it', async () => {
    const order: string[] = [];
    const body = 'x'.repeat(32 * 1024 * 1024);
    const connected = Promise.withResolvers<Socket>();
    const slow = await rawUpstream((socket) => {
      socket.pause();
      connected.resolve(socket);
    });
    const other = await upstream((response) => response.end('ok'));
    const answer = requestTo(slow.url).send(body, () => order.push('left'));
    const socket = await connected.promise;
    socket.on('data', () => {
      if (socket.bytesRead > body.length) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    socket.pause();
    for (let count = 0; count < 20; count += 1) await exchange(other.url);

    order.push('read');
    socket.resume();
    await answer;

    expect(order).toEqual(['read', 'left']);
  });

  it.each([
    ['at once', (body: Buffer) => ({ signature: `of ${body.toString()}` })],
    ['after a while', async (body: Buffer) => ({ signature: await Promise.resolve(`of ${body.toString()}`) })],
  ])('has authorization headers computed from its body, %s', async (_when, authorize) => {
    const { url } = await upstream((response, { headers }) => response.end(headers['signature']));

    const { body } = await requestTo(url, {}, undefined, authorize).send('hello');

    expect(await readText(body, Infinity)).toBe('of hello');
  });

  it('is not sent if it cannot be authorized', async () => {
    const asked: string[] = [];
    const { url } = await upstream((response, request) => {
      asked.push(String(request.url));
      response.end();
    });

    await expect(requestTo(url, {}, undefined, withoutToken).send('hello')).rejects.toMatchObject({
      failure: 'unauthorized',
    });

    expect(asked).toEqual([]);
  });

  it('returns status, headers and body of its answer', async () => {
    const { url } = await upstream((response) => response.writeHead(418, { 'retry-after': '7' }).end('Привет'));

    const response = await requestTo(url).send('x');

    expect([response.status, response.headers['retry-after'], await readText(response.body, Infinity)]).toEqual([
      418,
      '7',
      'Привет',
    ]);
  });
});

describe('a provider is abandoned', () => {
  it('if a connection cannot be made', async () => {
    // The server accepts the connection, and never answers the handshake.
    const { port } = await rawUpstream(() => {});

    const answer = requestTo(`https://127.0.0.1:${port}`, { connectMs: 30 }).send('x');

    await expect(answer).rejects.toMatchObject({ failure: 'connect_timeout' });
  });

  it('if it does not begin to answer', async () => {
    const { url, connections } = await upstream(() => {});

    await expect(requestTo(url, { firstByteMs: 30 }).send('x')).rejects.toMatchObject({
      failure: 'first_byte_timeout',
    });

    await gone(connections[0]);
  });

  it('if it stops sending in the middle of its answer', async () => {
    const { url } = await upstream((response) => response.write('begun'));
    const { body } = await requestTo(url, { idleMs: 30 }).send('x');

    expect((await body.next()).value?.toString()).toBe('begun');
    await expect(body.next()).rejects.toMatchObject({ failure: 'idle_timeout' });
  });

  it('if its answer is interrupted', async () => {
    const { url } = await upstream((response) => response.write('begun', () => response.socket!.destroy()));

    await expect(exchange(url)).rejects.toMatchObject({ failure: 'broken' });
  });

  it('if it closes the connection without an answer', async () => {
    const { url } = await upstream((_response, request) => request.socket.end());

    await expect(exchange(url)).rejects.toMatchObject({ failure: 'broken' });
  });

  it('if it answers in another protocol', async () => {
    const { url, connections } = await upstream((_response, request) =>
      request.socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    );

    await expect(exchange(url)).rejects.toMatchObject({ failure: 'broken' });

    await gone(connections[0]);
  });

  it('if it sends invalid HTTP', async () => {
    const { url } = await rawUpstream((socket) => socket.once('data', () => socket.write('SSH-2.0-x\r\n')));

    await expect(exchange(url)).rejects.toMatchObject({ failure: 'broken' });
  });

  it('if it sends too many interim responses before its answer', async () => {
    const few = await upstream((response) => {
      announce(response, 16);
      response.end('ok');
    });
    const many = await upstream((response) => announce(response, 17));

    expect(await exchange(few.url)).toBe('ok');
    await expect(exchange(many.url)).rejects.toMatchObject({ failure: 'malformed' });
  });
});

describe('a slow reader', () => {
  it('does not count as silence of the provider', async () => {
    const idleMs = 30;
    const taken = Promise.withResolvers<void>();
    const { url } = await upstream(async (response) => {
      response.write('one');
      await taken.promise;
      response.end('two');
    });
    const { body } = await requestTo(url, { idleMs }).send('x');
    await body.next();
    taken.resolve();

    await sleep(2 * idleMs);

    expect((await body.next()).value?.toString()).toBe('two');
  });

  it('slows the provider down', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    const totalBytes = 64 * 1024 * 1024;
    let writtenBytes = 0;
    const { url } = await upstream(async (response) => {
      while (writtenBytes < totalBytes && !response.destroyed) {
        await new Promise((resolve) => response.write(chunk, resolve));
        writtenBytes += chunk.length;
      }
    });
    const other = await upstream((response) => response.end('ok'));
    const { body } = await requestTo(url).send('x');
    await body.next();

    // Waits until no more bytes are written: bytes that exceed all buffers stay with the provider.
    let before = -1;
    while (before !== writtenBytes) {
      before = writtenBytes;
      for (let count = 0; count < 20; count += 1) await exchange(other.url);
    }

    expect(writtenBytes).toBeLessThan(totalBytes);
    await body.return();
  });
});

describe('a body that is read completely', () => {
  it.each([100, 11])('may have %i bytes if it has 11', async (maxBytes) => {
    expect(await readText(chunks(), maxBytes)).toBe('onetwothree');
  });

  it.each([10, 6, 4])('is refused as too large, and not cut, with more than %i bytes', async (maxBytes) => {
    await expect(readText(chunks(), maxBytes)).rejects.toMatchObject({ failure: 'too_large' });
  });

  it('is cut if it is only the text of an error', async () => {
    const body = (async function* () {
      for (let count = 0; count < 100; count += 1) yield Buffer.alloc(1024, 'a');
    })();

    expect(await readResponse({ status: 500, body }, 10)).toHaveLength(64 * 1024);
  });
});
