import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Writable } from 'node:stream';
import type { SignatureV4 } from '@smithy/signature-v4';
import { nowMs } from '../clock.ts';
import { NoReplyError } from './aws-call.ts';
import { requestTimeouts } from './sdk.ts';

const MAX_SERVICE_ANSWER_BYTES = 20_000_000;
const MAX_SOCKETS = 128;
/** Error codes with which a service may reject a request because the local clock is wrong. */
const SKEWED = /InvalidSignatureException|RequestExpired|RequestTimeTooSkewed|SignatureDoesNotMatch/;
/** Maximum difference in ms between the local clock and a service's clock that is not corrected. */
const MAX_SKEW_MS = 60_000;
/**
 * Time in ms by which the clock of a service is ahead of the local clock, for each signer. Absent while the local clock
 * is assumed right.
 */
const clockSkewsMs = new WeakMap<SignatureV4, number>();

const awsAgents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
};

/** Limits of a request. */
export interface ExchangeLimits {
  /** Maximum time in ms without data. While data arrives, a response may take longer. */
  maxSilenceMs?: number;
  maxAnswerBytes?: number;
}

export interface AwsPlace {
  url: URL;
  signer: SignatureV4;
}

interface AwsRequest extends ExchangeLimits {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string> | undefined;
  body?: string | Buffer | undefined;
  /** Writes a body that is not in memory, and ends the request. */
  write?: ((outgoing: Writable) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface ServiceReply {
  status: number;
  body: Buffer;
  headers: IncomingHttpHeaders;
}

/**
 * Signs and sends a request, and reads the whole response. If the service rejects the signature because the local clock
 * is wrong, signs the request with the time of the service, and sends it once more. The signer keeps the corrected
 * time.
 * @throws {NoReplyError} if no complete response arrives in time, or if it is too long
 */
export async function exchange(place: AwsPlace, request: AwsRequest): Promise<ServiceReply> {
  const signedAt = timeOfService(place);
  const reply = await sendSigned(place, request, signedAt);
  const skewMs = Date.parse(reply.headers.date ?? '') - signedAt.getTime();
  if (reply.status < 400 || !(Math.abs(skewMs) > MAX_SKEW_MS) || !SKEWED.test(String(reply.body))) return reply;
  clockSkewsMs.set(place.signer, Date.parse(reply.headers.date!) - nowMs());
  return sendSigned(place, request, timeOfService(place));
}

/**
 * Returns the time for signatures: the local time, corrected if a service has rejected a signature for a wrong clock.
 */
export function timeOfService({ signer }: AwsPlace): Date {
  return new Date(nowMs() + (clockSkewsMs.get(signer) ?? 0));
}

async function sendSigned({ url, signer }: AwsPlace, request: AwsRequest, signingDate: Date): Promise<ServiceReply> {
  const { method, body } = request;
  const { protocol, hostname, host, pathname: path, searchParams } = url;
  const { headers } = await signer.sign(
    {
      method,
      protocol,
      hostname,
      path,
      query: Object.fromEntries(searchParams),
      headers: { host, ...request.headers },
      body,
    },
    { signingDate },
  );
  return send(url, { ...request, headers });
}

function send(url: URL, request: AwsRequest & { headers: Record<string, string> }): Promise<ServiceReply> {
  const { method, headers, body = '', write, signal, maxSilenceMs, maxAnswerBytes } = request;
  const { protocol, hostname, port, pathname, search } = url;
  const isSecure = protocol === 'https:';
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? https : http).request({
      method,
      hostname,
      port,
      path: pathname + search,
      agent: awsAgents[isSecure ? 'https:' : 'http:'],
      headers: method === 'GET' ? headers : { 'content-length': Buffer.byteLength(body), ...headers },
      timeout: maxSilenceMs ?? requestTimeouts.requestTimeout,
      ...(signal ? { signal } : {}),
    });
    outgoing.on('response', (incoming) => void read(incoming, maxAnswerBytes).then(resolve, reject));
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
    if (write) write(outgoing);
    else outgoing.end(body);
  });
}

function noReply(error: Error): NoReplyError {
  return error instanceof NoReplyError ? error : new NoReplyError(error.message, error);
}

function read(incoming: IncomingMessage, maxBytes = MAX_SERVICE_ANSWER_BYTES): Promise<ServiceReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) incoming.destroy(new Error('The answer of the service is too long'));
      else chunks.push(chunk);
    });
    incoming.on('error', (error) => reject(noReply(error)));
    incoming.on('end', () => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      resolve({ status: incoming.statusCode!, body, headers: incoming.headers });
    });
  });
}
