/**
 * Sends signed requests for files of an S3 bucket. AWS's client for S3 would be half of a Lambda function's bundle.
 *
 * Guarantee: `callBucket` retries a request that fails temporarily, with the same bytes.
 */

import type { Writable } from 'node:stream';
import { escapeUriPath } from '@smithy/core/protocols';
import { AwsError, retryTransient } from './aws-call.ts';
import { objectEndpointOf } from './aws-endpoint.ts';
import { exchange, timeOfService, type AwsPlace, type ExchangeLimits, type ServiceReply } from './aws-exchange.ts';
import type { AwsIdentity } from './aws-identity.ts';
import { newAwsSigner } from './aws-signer.ts';
import { onceOpen } from '../concurrency/once.ts';
import { localCredentials } from './sdk.ts';

export interface BucketPlace {
  bucket: string;
  /** URL of an emulator. */
  endpoint?: string | undefined;
  identity: AwsIdentity;
}

/** Returns the URL of a bucket, which ends with a slash, and the signer of its requests. */
export type OpenBucket = () => Promise<AwsPlace>;

export interface BucketRequest extends ExchangeLimits {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Writes a body that is not in memory, at each attempt. Its length and SHA-256 are in the headers. */
  write?: (outgoing: Writable) => void;
}

/** Returns the function that opens a bucket. */
export function bucketAt({ bucket, endpoint, identity }: BucketPlace): OpenBucket {
  return onceOpen(async () => {
    const region = endpoint === undefined ? await identity.region() : 'us-east-1';
    const credentials = endpoint === undefined ? identity.credentials : localCredentials;
    return {
      url:
        endpoint === undefined
          ? await objectEndpointOf({ bucket, key: '' }, { region, identity })
          : new URL(`${endpoint}/${bucket}/`),
      signer: newAwsSigner({ credentials, region, service: 's3' }),
    };
  });
}

/**
 * Sends a request, and repeats it up to three times if a retry may succeed. Status 304 is not an error.
 * @throws {AwsError | NoReplyError} if S3 rejects the request, or does not respond. The name of an `AwsError` is the
 *   code of S3, if the response has one.
 */
export function callBucket(open: OpenBucket, request: BucketRequest): Promise<ServiceReply> {
  return retryTransient(() => callBucketOnce(open, request));
}

/**
 * Sends a request, and does not repeat it after a temporary failure.
 * @throws {AwsError | NoReplyError} as `callBucket` does
 */
export async function callBucketOnce(open: OpenBucket, request: BucketRequest): Promise<ServiceReply> {
  const { url: root, signer } = await open();
  const url = new URL(escapeUriPath(request.key), root);
  url.search = String(new URLSearchParams(request.query));
  const reply = await exchange({ url, signer }, request);
  const { status, body } = reply;
  if (status < 300 || status === 304) return reply;
  throw bucketError(status, body);
}

/** Returns the error for a rejected request, with the error code from the response of S3. */
export function bucketError(status: number, body: Buffer): AwsError {
  return new AwsError(status, { __type: /<Code>(\w{1,64})<\/Code>/.exec(String(body))?.[1] });
}

/**
 * Reads a file; undefined if it does not exist.
 * @throws {AwsError | NoReplyError} as `callBucket` does
 */
export async function readFromBucket(
  open: OpenBucket,
  key: string,
  limits: ExchangeLimits,
): Promise<Buffer | undefined> {
  try {
    return (await callBucket(open, { method: 'GET', key, ...limits })).body;
  } catch (error) {
    if (error instanceof AwsError && error.name === 'NoSuchKey') return undefined;
    throw error;
  }
}

/**
 * Returns a URL at which anyone can read a file, or a range of its bytes, for the given time, unless the credentials
 * expire earlier.
 */
export async function signedLink(open: OpenBucket, key: string, expiresInSeconds: number): Promise<string> {
  const place = await open();
  const url = new URL(escapeUriPath(key), place.url);
  const { protocol, hostname, host, pathname: path } = url;
  const headers = { host, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' };
  const unsigned = { method: 'GET', protocol, hostname, path, headers };
  const { query } = await place.signer.presign(unsigned, {
    expiresIn: expiresInSeconds,
    signingDate: timeOfService(place),
  });
  url.search = String(new URLSearchParams(query as Record<string, string>));
  return url.href;
}
