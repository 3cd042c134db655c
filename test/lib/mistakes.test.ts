import { S3Client } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { localCredentials } from '../../lambdas/platform/sdk.ts';
import { publicationsInBucket } from '../../lib/admin/catalog/publications.ts';
import { mistakeIn } from '../../lib/admin/mistakes.ts';
import { startVersionedBucket } from '../support/versioned-bucket.ts';

it('a refusal of S3 is told in a sentence, and not as a fault of ours', async () => {
  const bucket = await startVersionedBucket();
  bucket.outage = { status: 403 };
  const client = new S3Client({
    endpoint: bucket.url,
    region: 'us-east-1',
    credentials: localCredentials,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  try {
    const error: unknown = await publicationsInBucket('any', client)
      .latest()
      .catch((reason: unknown) => reason);
    expect(mistakeIn(error)).toMatch(/^AWS refuses this: .*\(InternalError\)$/);
  } finally {
    await bucket.stop();
  }
});

it.each([
  [new GatewayError('not_found', 'There is none.'), 'There is none.'],
  [Object.assign(new Error('x'), { code: 'ENOENT', path: '/a' }), '/a cannot be used: there is no such file.'],
  [new TypeError('a fault of ours'), undefined],
  ['no error', undefined],
])('what a person can mend is a sentence: %s', (error, sentence) => {
  expect(mistakeIn(error)).toBe(sentence);
});
