import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { listen, type Listener, type ListenerLimits } from '../../lambdas/server/listener.ts';

const at = { host: '127.0.0.1', port: 0 };
const open: Listener[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((listener) => listener.stop()));
});

type Answer = (path: string, response: ServerResponse) => void;

/** Starts a listener, and records the path of each request that it begins to answer. */
async function started(answer: Answer, limits: ListenerLimits = {}) {
  const begun: string[] = [];
  const listener = await listen(
    at,
    async (_request, response, { path }) => {
      begun.push(path);
      answer(path, response);
    },
    limits,
  );
  open.push(listener);
  return { listener, begun };
}

function connected({ url }: Listener): Socket {
  const socket = connect(Number(new URL(url).port), at.host);
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** Resolves when the connection is closed, whether or not the other side has reset it. */
const closeOf = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

const head = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
const pipeline = (count: number) => Array.from({ length: count }, (_, index) => head(`/${index}`)).join('');
const paths = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

function received(socket: Socket): { text: string } {
  const all = { text: '' };
  socket.on('data', (chunk: Buffer) => (all.text += chunk.toString()));
  return all;
}

const bodies = (answers: string) => [...answers.matchAll(/\r\n\r\n(\/\d+)/g)].map(([, path]) => path);

describe('pipelined requests', () => {
  it('are answered in order, one at a time', async () => {
    let running = 0;
    let most = 0;
    const { listener } = await started((path, response) => {
      most = Math.max(most, ++running);
      // Later requests are answered sooner, so the test would notice answers in the wrong order.
      setTimeout(
        () => {
          running -= 1;
          response.end(path);
        },
        16 - Number(path.slice(1)),
      );
    });
    const socket = connected(listener);
    const answers = received(socket);

    socket.write(pipeline(16));

    await expect.poll(() => bodies(answers.text)).toEqual(paths(16));
    expect(most).toBe(1);
  });

  it('are answered also if each has a body', async () => {
    const { listener } = await started((path, response) => response.end(path));
    const socket = connected(listener);
    const answers = received(socket);

    for (const path of paths(16)) {
      socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 20000\r\n\r\n${'x'.repeat(20_000)}`);
    }

    await expect.poll(() => bodies(answers.text)).toEqual(paths(16));
  });

  it('close their connection if too many wait, and only the first is started', async () => {
    const { listener, begun } = await started(() => undefined);
    const socket = connected(listener);
    const closed = closeOf(socket);
    socket.resume();

    socket.write(pipeline(5_000));

    await closed;
    expect(begun).toEqual(['/0']);
  });

  it('are dropped when the client disconnects', async () => {
    const ends: (() => void)[] = [];
    const { listener, begun } = await started((path, response) => {
      ends.push(() => response.end(path));
    });
    const socket = connected(listener);
    socket.write(pipeline(10));
    await expect.poll(() => begun).toEqual(['/0']);

    socket.resetAndDestroy();
    await sleep(50);
    ends[0]!();

    // The answer is written to a client that has disconnected.
    const other = connected(listener);
    other.write(head('/other'));
    await expect.poll(() => begun).toContain('/other');
    await sleep(50);
    expect(begun.length).toBeLessThanOrEqual(3);
  });

  it('wait with one answer for a client that does not read', async () => {
    const large = Buffer.alloc(16 * 1024 * 1024);
    const { listener, begun } = await started((_path, response) => response.end(large));
    const socket = connected(listener);
    socket.pause();

    socket.write(pipeline(30));
    await expect.poll(() => begun.length).toBeGreaterThan(0);
    await sleep(300);

    // The kernel's buffers hold some megabytes, so at most a second answer may have begun.
    expect(begun.length).toBeLessThanOrEqual(2);
  });
});

describe('a connection', () => {
  it('is closed if its client reads no byte of an answer for some time', async () => {
    const { listener } = await started((_path, response) => response.end(Buffer.alloc(64 * 1024 * 1024)), {
      maxUnreadMs: 100,
    });
    const socket = connected(listener);
    socket.pause();
    socket.write(head('/'));
    await sleep(1_000);

    const answer = received(socket);
    socket.resume();

    await closeOf(socket);
    expect(answer.text.length).toBeLessThan(64 * 1024 * 1024);
  });

  it('may be silent for longer while it waits for an answer', async () => {
    const { listener } = await started((_path, response) => void setTimeout(() => response.end('late'), 500), {
      maxUnreadMs: 100,
    });
    expect(await (await fetch(listener.url)).text()).toBe('late');
  });

  it('is closed at once above the maximum of a listener', async () => {
    const { listener } = await started((path, response) => response.end(path), { maxConnections: 2 });
    const [first, second] = [connected(listener), connected(listener)];
    await Promise.all([once(first, 'connect'), once(second, 'connect')]);

    const third = connected(listener);
    third.resume();
    await closeOf(third);

    const answers = received(first);
    first.write(head('/1'));
    await expect.poll(() => bodies(answers.text)).toEqual(['/1']);
  });

  it('has a complete answer if the bytes after the request are invalid', async () => {
    const ends: (() => void)[] = [];
    const { listener, begun } = await started((_path, response) => {
      response.write('begun ');
      ends.push(() => response.end('whole'));
    });
    const socket = connected(listener);
    const answers = received(socket);
    socket.write(head('/'));
    await expect.poll(() => begun).toEqual(['/']);

    socket.write('nonsense\r\n\r\n');
    await sleep(50);
    ends[0]!();

    await closeOf(socket);
    expect(answers.text).toContain('whole');
    expect(answers.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('a request', () => {
  it.each([
    ['without a host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['with an expectation that cannot be met', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: magic\r\n\r\n', 417],
  ])('%s is refused with an envelope', async (_what, lines, status) => {
    const { listener, begun } = await started((path, response) => response.end(path));
    const socket = connected(listener);
    const answers = received(socket);

    socket.write(lines);

    await expect.poll(() => answers.text).toMatch(new RegExp(`^HTTP/1.1 ${status} [^{]*{"type":"error"`));
    expect(begun).toEqual([]);
  });
});

/** Sends a request, and returns its response. The connection stays open. */
async function askOn(agent: Agent, { url }: Listener, path: string): Promise<[IncomingMessage, string]> {
  const request = httpRequest(`${url}${path}`, { agent }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return [response, await text(response)];
}

describe('a listener that closes', () => {
  it('completes running answers, and closes each kept-alive connection after its next answer', async () => {
    const ends: (() => void)[] = [];
    const { listener } = await started((path, response) => {
      if (path === '/slow') ends.push(() => response.end('slow'));
      else response.end(path);
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await askOn(agent, listener, '/1'))[0].headers.connection).toBe('keep-alive');
    const slow = fetch(`${listener.url}/slow`);
    await sleep(50);

    let isClosed = false;
    const closed = listener.close().then(() => (isClosed = true));
    const [kept, body] = await askOn(agent, listener, '/2');

    expect([kept.headers.connection, body]).toEqual(['close', '/2']);
    expect(isClosed).toBe(false);
    ends[0]!();
    expect(await (await slow).text()).toBe('slow');
    await closed;
    await expect(fetch(listener.url)).rejects.toThrow();
    agent.destroy();
  });

  it('does not wait for a request that never arrives completely', async () => {
    const { listener } = await started((path, response) => response.end(path));
    const socket = connected(listener);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nx');
    await sleep(50);

    await listener.close();
  });
});

const tooLarge = () => new GatewayError('payload_too_large', 'The body is too large.');

describe('a refusal of a body that has not arrived completely', () => {
  const part = Buffer.alloc(1024 * 1024, 'x');
  const begun = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000\r\n\r\n';

  /** Sends parts of a body until the server has answered. */
  async function answered(socket: Socket): Promise<string> {
    const answer = once(socket, 'data') as Promise<[Buffer]>;
    const isAnswered = answer.then(() => true);
    socket.write(begun);
    while (!(await Promise.race([isAnswered, nextTurn(false)])))
      if (!socket.write(part)) await Promise.race([once(socket, 'drain'), isAnswered]);
    return (await answer)[0].toString();
  }

  it('leaves a connection of another process open, so that a failed write cannot discard the refusal', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-listener-'));
    const path = join(directory, 'gateway.sock');
    open.push(await listen({ path }, () => Promise.reject(tooLarge())));
    const socket = connect(path);
    sockets.push(socket);

    expect(await answered(socket)).toMatch(/^HTTP\/1.1 413 (?:(?!connection: close)[^])*$/i);
    await new Promise<void>((resolve, reject) => socket.write(part, (error) => (error ? reject(error) : resolve())));
    expect(socket.readable).toBe(true);
    rmSync(directory, { recursive: true });
  });
});
