/**
 * Signed exchanges with services of AWS that speak JSON (DynamoDB, SQS, Secrets Manager): what an SDK client does for a call, without its
 * middleware, its schemas and its serialisers, which take three times as long as everything here. For calls that requests
 * wait for; the SDK makes the others.
 *
 * Guarantee: as the SDK in its standard mode, a call that was throttled, failed in the service, or got no reply in time is
 * made again with the same bytes, four times at most, later each time. So a call may be carried out although its reply was
 * lost: callers make it safe by a token or a condition, and a refusal says whether an attempt before it had no reply
 * (`isUncertain`).
 */

import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignatureV4 } from '@smithy/signature-v4';
import type { AwsIdentity } from './aws-identity.ts';
import { newAwsSigner } from './aws-signer.ts';
import { nowMs } from './clock.ts';
import { ServiceError } from './errors.ts';
import { optionalVariable } from './environment.ts';
import { onceOpen } from './once.ts';
import { localCredentials, requestTimeouts } from './sdk.ts';

export interface AwsService {
  /** Its name in signatures. */
  name: string;
  /** What stands before the operation in `x-amz-target`. */
  target: string;
  /** Of its JSON; 1.0 unless it says otherwise. */
  version?: '1.1';
  /** Its address in a region. */
  endpoint: (region: string) => string;
  /** Where the environment names another one, as for all tools of AWS: one of FIPS, or within a private network. */
  endpointVariable: string;
}

export interface CallOptions {
  /** The whole call is given up after this time, whatever has become of it. */
  timeoutMs?: number;
}

/** Makes a call. @throws {AwsError} what the service answered; an Error of the connection where it did not */
export type AwsCall = <Output>(operation: string, input: object, options?: CallOptions) => Promise<Output>;

/** A service has refused a call; `name` is its code, for example `ThrottlingException`. */
export class AwsError extends ServiceError {
  readonly status: number;
  /** The body of the answer. */
  readonly details: Record<string, unknown>;
  /** An attempt of the same call got no answer that says what became of it: it may have been carried out, or may be yet. */
  isUncertain: boolean;

  constructor(status: number, details: Record<string, unknown>) {
    const { message = details['Message'] } = details;
    super(typeof message === 'string' ? message : `The service answered with status ${status}`);
    this.name = codeOf(details['__type']);
    this.status = status;
    this.details = details;
    this.isUncertain = status >= 500;
  }

  get isPassing(): boolean {
    return isTransient(this);
  }
}

/** Whether a call that failed in this way may have been carried out all the same, or may be yet. */
export function isUncertain(error: unknown): boolean {
  return !(error instanceof AwsError) || error.isUncertain;
}

/** A service gave no answer; `code` is what Node says of the connection, where it was the connection. */
class NoReplyError extends ServiceError {
  override name = 'NoReplyError';
  readonly isPassing = true;
  readonly code: string | undefined;

  constructor(message: string, cause?: NodeJS.ErrnoException) {
    super(message, { cause });
    this.code = cause?.code;
  }
}

const MAX_ATTEMPTS = 4;
const BASE_DELAY_MS = 25;
const MAX_DELAY_MS = 1_000;
/** More than any answer of these services has. */
const MAX_ANSWER_BYTES = 20_000_000;
const MAX_SOCKETS = 128;

/** Codes that say "not now". */
const TRANSIENT = new Set([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'TransactionInProgressException',
  'InternalServerError',
]);
/** Codes that a wrong clock leads to. */
const SKEWED = new Set([
  'InvalidSignatureException',
  'RequestExpired',
  'RequestTimeTooSkewed',
  'SignatureDoesNotMatch',
]);
/** A clock is not put right for less. */
const MAX_SKEW_MS = 60_000;

const agents = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
};

interface Place {
  url: URL;
  signer: SignatureV4;
}

/** @param options.endpoint of an emulator, which takes any signature */
export function openAwsJson(
  service: AwsService,
  options: { endpoint?: string | undefined; identity: AwsIdentity },
): AwsCall {
  const opening = onceOpen(() => open(service, options));
  let clockSkewMs = 0;

  async function attempt(place: Place, operation: string, body: string, signal?: AbortSignal): Promise<unknown> {
    const { url, signer } = place;
    const unsigned = {
      method: 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      headers: {
        host: url.host,
        'content-type': `application/x-amz-json-${service.version ?? '1.0'}`,
        'x-amz-target': `${service.target}.${operation}`,
      },
      body,
    };
    const { headers } = await signer.sign(unsigned, { signingDate: new Date(nowMs() + clockSkewMs) });
    const { status, text, date } = await post(url, headers, body, signal);
    const answer = readAnswer(text);
    if (status === 200) return answer;
    const error = new AwsError(status, answer);
    const skewMs = Date.parse(date ?? '') - nowMs();
    if (SKEWED.has(error.name) && Math.abs(skewMs - clockSkewMs) > MAX_SKEW_MS) {
      clockSkewMs = skewMs;
      throw new NoReplyError('The clock of this machine is wrong', error);
    }
    throw error;
  }

  return async <Output>(operation: string, input: object, { timeoutMs }: CallOptions = {}): Promise<Output> => {
    const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const body = JSON.stringify(input);
    const place = await opening();
    let wasUncertain = false;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return (await attempt(place, operation, body, signal)) as Output;
      } catch (error) {
        wasUncertain ||= isUncertain(error);
        if (error instanceof AwsError) error.isUncertain = wasUncertain;
        if (attempts >= MAX_ATTEMPTS || signal?.aborted || !isTransient(error)) throw error;
      }
      await sleep(Math.random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempts), undefined, { signal });
    }
  };
}

async function open(
  service: AwsService,
  { endpoint, identity }: { endpoint?: string | undefined; identity: AwsIdentity },
): Promise<Place> {
  const region = endpoint === undefined ? await identity.region() : 'local';
  return {
    url: new URL(endpoint ?? optionalVariable(service.endpointVariable) ?? service.endpoint(region)),
    signer: newAwsSigner({
      credentials: endpoint === undefined ? identity.credentials : localCredentials,
      region,
      service: service.name,
    }),
  };
}

/** The suffix of a region's addresses, as AWS lists them by partition. */
export function domainOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

interface Reply {
  status: number;
  text: string;
  /** Of the service's clock. */
  date: string | undefined;
}

function post(url: URL, headers: Record<string, string>, body: string, signal?: AbortSignal): Promise<Reply> {
  const { protocol, hostname, port, pathname: path } = url;
  const isSecure = protocol === 'https:';
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? https : http).request({
      method: 'POST',
      hostname,
      port,
      path,
      agent: agents[isSecure ? 'https:' : 'http:'],
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      // Of silence.
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

/** @throws {NoReplyError} for what is not JSON: something else than the service has answered */
function readAnswer(text: string): Record<string, unknown> {
  try {
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  } catch (error) {
    throw new NoReplyError('The answer is not JSON', error as Error);
  }
}

function read(incoming: IncomingMessage): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) incoming.destroy(new Error('The answer of the service is too long'));
      else chunks.push(chunk);
    });
    incoming.on('error', (error) => reject(noReply(error)));
    incoming.on('end', () => {
      const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');
      resolve({ status: incoming.statusCode!, text, date: incoming.headers.date });
    });
  });
}

/** Whether the same call may succeed a moment later: the service says so, is out of order, or said nothing at all. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof AwsError)) return true;
  return error.status >= 500 || error.status === 429 || TRANSIENT.has(error.name);
}

/** `com.amazonaws.dynamodb.v20120810#ThrottlingException`. */
function codeOf(type: unknown): string {
  return typeof type === 'string' ? type.slice(type.lastIndexOf('#') + 1) : 'AwsError';
}
