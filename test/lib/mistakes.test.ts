import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { requireVariable } from '../../lambdas/platform/environment.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { NoReplyError } from '../../lambdas/platform/aws/aws-call.ts';
import { localCredentials } from '../../lambdas/platform/aws/sdk.ts';
import { findExports } from '../../lib/admin/books/manifests.ts';
import { publicationsInBucket } from '../../lib/admin/catalog/publications.ts';
import { mistakeIn } from '../../lib/admin/command-line/mistakes.ts';
import { startVersionedBucket } from '../support/versioned-bucket.ts';

/**
 * Returns the SDK's error for a request to a bucket at this URL.
 * @param addresses of the URL's host name; default: those that the system finds
 */
async function bucketError(endpoint: string, addresses?: readonly string[]): Promise<unknown> {
  const lookup: LookupFunction = (_name, _options, done) =>
    done(
      null,
      addresses!.map((address) => ({ address, family: 4 })),
    );
  const client = new S3Client({
    endpoint,
    ...(addresses ? { requestHandler: { httpAgent: new Agent({ lookup }) } } : {}),
    region: 'us-east-1',
    credentials: localCredentials,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  return publicationsInBucket('any', client)
    .latest()
    .catch((reason: unknown) => reason);
}

it('an error of S3 becomes a message for the operator, without a stack trace', async () => {
  const bucket = await startVersionedBucket();
  bucket.outage = { status: 403 };
  try {
    expect(mistakeIn(await bucketError(bucket.url))).toMatch(/^AWS refused the request: .*\(InternalError\)$/);
  } finally {
    await bucket.stop();
  }
});

it('a failed connection to AWS is reported as a missing response', async () => {
  const bucket = await startVersionedBucket();
  await bucket.stop();
  const error = await bucketError(bucket.url);

  expect(error).toHaveProperty('$metadata');
  expect(mistakeIn(error)).toMatch(/^AWS did not respond: .*ECONNREFUSED/);
  const several = await bucketError(bucket.url.replace('127.0.0.1', 'bucket.invalid'), ['127.0.0.1', '127.0.0.2']);
  expect(several).toBeInstanceOf(AggregateError);
  expect(mistakeIn(several)).toMatch(/^AWS did not respond: ECONNREFUSED/);
  expect(mistakeIn(new NoReplyError('No reply in time'))).toMatch(/^AWS did not respond: No reply in time/);
});

it.each([
  [new GatewayError('not_found', 'There is none.'), 'There is none.'],
  [Object.assign(new Error('x'), { code: 'ENOENT', path: '/a' }), '/a cannot be used: it does not exist.'],
  [new TypeError('a fault of ours'), undefined],
  [new AggregateError([new GatewayError('conflict', 'One.'), new GatewayError('conflict', 'Two.')]), 'One.\nTwo.'],
  [new AggregateError([new GatewayError('conflict', 'One.'), new TypeError('a fault of ours')]), undefined],
  ['no error', undefined],
])('only errors that an operator can repair become messages: %s', (error, sentence) => {
  expect(mistakeIn(error)).toBe(sentence);
});

describe('a mistake in an operator’s files or environment', () => {
  it.each([
    ['a summary that is no JSON', { 'manifest-summary.json': '{bad' }, /manifest-summary\.json is not JSON/],
    ['a summary without a count', { 'manifest-summary.json': '{"version":"1"}' }, /manifest-summary\.json is invalid/],
    [
      'a list of files that is no JSON',
      {
        'manifest-summary.json': `{"version":"1","itemCount":0,"outputFormat":"DYNAMODB_JSON","exportTime":"2026-11-01T00:00:00Z"}`,
        'manifest-files.json': '{bad',
      },
      /manifest-files\.json is not JSON/,
    ],
  ])('is reported as a message: an export with %s', (_, files, sentence) => {
    const directory = mkdtempSync(join(tmpdir(), 'gateway-mistakes-'));
    const root = join(directory, 'AWSDynamoDB', '1');
    mkdirSync(root, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    try {
      expect(mistakeOf(() => findExports(directory))).toMatch(sentence);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('is reported as a message: an environment variable that is missing', () => {
    expect(mistakeOf(() => requireVariable('NO_SUCH_VARIABLE'))).toBe(
      'The environment variable NO_SUCH_VARIABLE is not set',
    );
  });
});

function mistakeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return mistakeIn(error);
  }
  return undefined;
}
