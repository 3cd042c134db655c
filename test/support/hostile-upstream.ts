import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { answer, bytesOf, dialects, type Dialect } from './dialects.ts';

/**
 * Provider that misbehaves as a test specifies, byte by byte, on the wires of dialects.ts. It writes to the raw socket,
 * because HTTP libraries prevent most of this misbehavior.
 */
export interface HostileUpstream {
  url: string;
  /** Registers a behavior, and returns a text that triggers it in a prompt. */
  behaves: (behavior: Behavior) => string;
  /** Requests to a path that is only reachable by following redirects. */
  trapped: () => number;
  stop: () => Promise<void>;
}

export type Behavior = (exchange: Exchange) => unknown;

/** One request, and functions to respond to it, which resolve to false after the connection is closed. */
export interface Exchange {
  dialect: Dialect;
  path: string;
  body: string;
  isOpen: () => boolean;
  closed: Promise<unknown>;
  /** Writes bytes, or a text of the wire, unchanged, and waits for a slow receiver. */
  write: (bytes: string | Buffer) => Promise<boolean>;
  /** Sends a complete response with a content length; the connection can be reused. */
  respond: (status: string, headers: Record<string, string>, body: string) => Promise<boolean>;
  begin: () => Promise<boolean>;
  send: (text: string | Buffer) => Promise<boolean>;
  /** Sends the regular end of the stream; the connection can be reused. */
  finish: () => Promise<boolean>;
  hangUp: () => void;
  reset: () => void;
}

const SOUND_WORDS = 'All is well.';
/** Every request to this path gets a valid answer. */
export const SOUND_PATH = '/sound';
export const TRAP_PATH = '/internal/secrets';

export async function startHostileUpstream(): Promise<HostileUpstream> {
  const behaviors: Behavior[] = [];
  const sockets = new Set<Socket>();
  let trapped = 0;

  const behaviorFor = ({ path, body }: Exchange): Behavior => {
    if (path.startsWith(TRAP_PATH)) trapped += 1;
    const marker = path.startsWith(SOUND_PATH) ? undefined : /@@(\d+)/.exec(body)?.[1];
    return marker === undefined ? soundly : behaviors[Number(marker)]!;
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    // Every request adds a listener.
    socket.setMaxListeners(0);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    void serve(socket, async (exchange) => {
      await behaviorFor(exchange)(exchange);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behaves: (behavior) => `@@${behaviors.push(behavior) - 1}`,
    trapped: () => trapped,
    async stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

async function soundly(exchange: Exchange): Promise<void> {
  if (exchange.path.endsWith('/count_tokens')) {
    await exchange.respond('200 OK', { 'content-type': 'application/json' }, '{"input_tokens":10}');
    return;
  }
  await exchange.begin();
  await exchange.send(answer(exchange.dialect, SOUND_WORDS));
  await exchange.finish();
}

/** Answers the requests of a connection one after the other. */
async function serve(socket: Socket, respond: (exchange: Exchange) => Promise<void>): Promise<void> {
  let unread = Buffer.alloc(0);
  let busy = false;
  const advance = async () => {
    if (busy) return;
    busy = true;
    for (let request = takeRequest(); request; request = takeRequest()) await respond(exchangeOver(socket, request));
    busy = false;
  };
  const takeRequest = () => {
    const headEnd = unread.indexOf('\r\n\r\n');
    if (headEnd === -1) return undefined;
    const head = unread.subarray(0, headEnd).toString('latin1');
    const bodyEnd = headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (unread.length < bodyEnd) return undefined;
    const body = unread.subarray(headEnd + 4, bodyEnd).toString('utf8');
    unread = unread.subarray(bodyEnd);
    return { path: head.split(' ')[1]!, body };
  };
  socket.on('data', (bytes: Buffer) => {
    unread = Buffer.concat([unread, bytes]);
    void advance();
  });
}

function exchangeOver(socket: Socket, { path, body }: { path: string; body: string }): Exchange {
  const dialect = Object.values(dialects).find((spoken) => path.includes(spoken.path)) ?? dialects.anthropic;
  const encoded = (bytes: string | Buffer) => (typeof bytes === 'string' ? bytesOf(dialect, bytes) : bytes);
  const isOpen = () => !socket.destroyed && socket.writable;
  const write = async (bytes: string | Buffer): Promise<boolean> => {
    if (!isOpen()) return false;
    if (!socket.write(encoded(bytes))) await drained(socket);
    return isOpen();
  };
  return {
    dialect,
    path,
    body,
    isOpen,
    closed: new Promise((resolve) => (socket.destroyed ? resolve(undefined) : socket.once('close', resolve))),
    write,
    respond: (status, headers, text) => {
      const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(text)) });
      const head = `HTTP/1.1 ${status}\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`;
      return write(Buffer.from(head + text));
    },
    begin: () => write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'),
    send: (text) => {
      const bytes = encoded(text);
      return write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]));
    },
    finish: () => write('0\r\n\r\n'),
    hangUp: () => socket.end(),
    reset: () => socket.resetAndDestroy(),
  };
}

/** Resolves when the connection accepts more data, or is closed. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      socket.off('drain', go);
      socket.off('close', go);
      resolve();
    };
    socket.on('drain', go);
    socket.on('close', go);
  });
}
