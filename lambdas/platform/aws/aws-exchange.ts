/** Sends signed requests to AWS services, over connections that are kept open. */

import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { NoReplyError } from './aws-call.ts';
import { requestTimeouts } from './sdk.ts';

/** Maximum size of a response in bytes. The services that the gateway calls send smaller responses. */
const MAX_SERVICE_ANSWER_BYTES = 20_000_000;
const MAX_SOCKETS = 128;

const awsAgents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
};

interface SignedRequest {
  method: 'GET' | 'POST';
  /** Headers, including the signature. */
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
}

export interface ServiceReply {
  status: number;
  text: string;
  headers: IncomingHttpHeaders;
}

/**
 * Sends a request, and reads the whole response.
 * @throws {NoReplyError} if no complete response arrives in time, or if it is too long
 */
export function exchangeSigned(url: URL, { method, headers, body = '', signal }: SignedRequest): Promise<ServiceReply> {
  const { protocol, hostname, port, pathname: path } = url;
  const isSecure = protocol === 'https:';
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? https : http).request({
      method,
      hostname,
      port,
      path,
      agent: awsAgents[isSecure ? 'https:' : 'http:'],
      headers: method === 'GET' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
      // Maximum time in ms without data. While data arrives, a response may take longer.
      timeout: requestTimeouts.requestTimeout,
      ...(signal ? { signal } : {}),
    });
    outgoing.on('response', (incoming) => void read(incoming).then(resolve, reject));
    outgoing.on('timeout', () => outgoing.destroy(new NoReplyError('No reply in time')));
    outgoing.on('error', (error) => reject(noReply(error)));
    outgoing.on('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(
        () => outgoing.destroy(new NoReplyError('No connection in time')),
        requestTimeouts.connectionTimeout,
      );
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
    });
    outgoing.end(body);
  });
}

function noReply(error: Error): NoReplyError {
  return error instanceof NoReplyError ? error : new NoReplyError(error.message, error);
}

function read(incoming: IncomingMessage): Promise<ServiceReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_SERVICE_ANSWER_BYTES) incoming.destroy(new Error('The answer of the service is too long'));
      else chunks.push(chunk);
    });
    incoming.on('error', (error) => reject(noReply(error)));
    incoming.on('end', () => {
      const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
      resolve({ status: incoming.statusCode!, text, headers: incoming.headers });
    });
  });
}
