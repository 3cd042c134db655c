import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { largeRequestProcessOf, type LargeRequestProcess } from '../../lambdas/server/large-request-process.ts';
import { listen, type Listener } from '../../lambdas/server/listener.ts';
import { directly, originOf } from '../../lambdas/server/origin.ts';
import { eventually } from '../support/eventually.ts';

/**
 * The program answers with its process id, refuses a request before it has read the body, or closes its connection
 * without an answer. On the signal to end, it stops listening at once, breaks its answer off, and exits some time
 * later.
 */
const PROGRAM = `
import { createServer } from 'node:http';
import { rmSync } from 'node:fs';
const path = process.argv[3];
rmSync(path, { force: true });
const server = createServer((request, response) => {
  if (request.url === '/fail') return request.socket.destroy();
  if (request.url === '/refuse') return response.writeHead(413).end('too large');
  if (request.url === '/connection') return response.end(request.headers.connection);
  if (request.url === '/others')
    return server.getConnections((_, connections) => response.end(String(connections)));
  if (request.url !== '/end') return response.end(String(process.pid));
  response.flushHeaders();
  server.close();
  setTimeout(() => process.exit(0), 500);
  setTimeout(() => request.socket.destroy(), 10);
});
server.listen(path, () => process.send('ready'));
process.on('disconnect', () => process.exit(0));
`;

let directory: string;
let beside: LargeRequestProcess;
let listener: Listener;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-beside-'));
  const program = join(directory, 'program.mjs');
  writeFileSync(program, PROGRAM);
  beside = largeRequestProcessOf(program, join(directory, 'large.sock'));
  listener = await listen({ host: '127.0.0.1', port: 0 }, (request, response, target) =>
    beside.forward({ request, target, origin: originOf(request, directly) }, Buffer.alloc(0), response),
  );
});
afterAll(async () => {
  await beside.stop();
  await listener.stop();
  rmSync(directory, { recursive: true });
});

/** Sends a body in parts of a mebibyte, and reads the answer only after the whole body. */
async function sendInParts(path: string, parts: number): Promise<string> {
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  const part = Buffer.alloc(1024 * 1024, 'x');
  const { promise: failed, reject } = Promise.withResolvers<never>();
  socket.on('error', reject);
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${part.length * parts}\r\n\r\n`);
  for (let sent = 0; sent < parts; sent += 1) {
    if (!socket.write(part)) await Promise.race([once(socket, 'drain'), failed]);
    await sleep(5);
  }
  const [answer] = (await Promise.race([once(socket, 'data'), failed])) as [Buffer];
  socket.destroy();
  return answer.toString();
}

const ask = (path: string) => fetch(`${listener.url}${path}`, { method: 'POST', body: 'x' });

it('a request that arrives before the end of a large-request process is detected is answered by the next process', async () => {
  const first = await (await ask('/')).text();
  await expect(ask('/end').then((response) => response.text())).rejects.toThrow();

  const answers = await Promise.all([ask('/'), ask('/'), ask('/')]);

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const others = new Set(await Promise.all(answers.map((answer) => answer.text())));
  expect(others.size).toBe(1);
  expect(others).not.toContain(first);
});

it.each([
  ['/refuse', 413],
  ['/fail', 502],
])('a client that still sends its body gets the answer of %s with status %d, and no reset', async (path, status) => {
  expect(await sendInParts(path, 32)).toContain(`HTTP/1.1 ${status} `);
});

it('a large-request process does not close a connection after its answer, because the body may still be written', async () => {
  expect(await (await ask('/connection')).text()).toBe('keep-alive');
});

it('a connection to a large-request process is closed after the answer', async () => {
  await (await ask('/')).text();

  await eventually(async () => expect(await (await ask('/others')).text()).toBe('1'));
});

it('a refusal before the body has arrived is sent at once, and closes the connection', async () => {
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  socket.write('POST /refuse HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n');

  const [answer] = (await once(socket, 'data', { signal: AbortSignal.timeout(2_000) })) as [Buffer];

  expect(answer.toString()).toMatch(/^HTTP\/1.1 413 [^]*^connection: close\r$/im);
  socket.destroy();
});
