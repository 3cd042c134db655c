import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { publicationInBucket, publicationInDirectory } from '../../lambdas/catalog/publication-source.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import { localCredentials } from '../../lambdas/platform/aws/sdk.ts';
import { publicationsInBucket, publicationsInDirectory } from '../../lib/admin/catalog/publications.ts';
import { startVersionedBucket } from '../support/versioned-bucket.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const end of ends.splice(0)) await end();
});

async function inBucket() {
  const bucket = await startVersionedBucket();
  ends.push(bucket.stop);
  vi.stubEnv(variables.s3Endpoint, bucket.url);
  const client = new S3Client({
    endpoint: bucket.url,
    region: 'us-east-1',
    credentials: localCredentials,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  return { bucket, operators: publicationsInBucket('books', client), functions: publicationInBucket('books') };
}

async function inDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-publications-'));
  ends.push(() => rmSync(directory, { recursive: true }));
  return { operators: publicationsInDirectory(directory), functions: publicationInDirectory(directory) };
}

describe.each([
  ['a bucket with versions', inBucket],
  ['a directory', inDirectory],
])('catalogs published in %s', (_where, open) => {
  it('do not exist at first, for operators and functions', async () => {
    const { operators, functions } = await open();

    expect([await operators.latest(), await operators.list(5)]).toEqual([undefined, []]);
    expect(await functions.read(undefined)).toBe('missing');
  });

  it('are read unchanged by functions, and again only after a new publication', async () => {
    const { operators, functions } = await open();
    await operators.put('{"first": "цена"}\n', undefined);

    const first = await functions.read(undefined);
    if (typeof first === 'string') throw new Error(first);
    expect(first.text).toBe('{"first": "цена"}\n');
    expect(await functions.read(first.tag)).toBe('unchanged');
    await operators.put('second\n', await operators.latest());
    expect(await functions.read(first.tag)).toMatchObject({ text: 'second\n' });
  });

  it('are all kept, newest first', async () => {
    const { operators } = await open();
    for (const text of ['first', 'second', 'third']) await operators.put(text, await operators.latest());

    expect((await operators.list(2)).map(({ text }) => text)).toEqual(['third', 'second']);
    expect(await operators.latest()).toMatchObject({ text: 'third' });
  });

  it('do not overwrite a concurrent publication', async () => {
    const { operators } = await open();
    const before = await operators.latest();
    expect(await operators.put('first', before)).toBe(true);
    expect(await operators.put('at the same time', before)).toBe(false);

    const seen = await operators.latest();
    expect(await operators.put('second', seen)).toBe(true);
    expect(await operators.put('at the same time', seen)).toBe(false);
    expect((await operators.list(9)).map(({ text }) => text)).toEqual(['second', 'first']);
  });
});

describe('a function that reads a catalog from its bucket', () => {
  it('retries after a brief failure of S3, and fails if S3 refuses the request', async () => {
    const { bucket, functions } = await inBucket();
    bucket.outage = { status: 503, requests: 1 };
    expect(await functions.read(undefined)).toBe('missing');
    expect(bucket.requests).toBe(2);

    bucket.outage = { status: 400 };
    await expect(functions.read(undefined)).rejects.toMatchObject({ status: 400, name: 'InternalError' });
  });
});
