import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { variables } from '../../lambdas/platform/environment.ts';
import { openBucket, type Bucket } from '../../lambdas/platform/aws/objects.ts';
import { createBucket } from '../../lib/local/bucket.ts';
import { startSqs, type LocalSqs } from '../../lib/local/queues.ts';

let s3: LocalSqs;
let bucket: Bucket;
beforeAll(async () => {
  s3 = await startSqs();
  vi.stubEnv(variables.s3Endpoint, s3.endpoint);
  vi.stubEnv(variables.bucketName, await createBucket(s3.endpoint));
  bucket = openBucket();
  await bucket.put('videos/a', Buffer.from('abcdef'), 'video/mp4');
  await bucket.put('videos/b', Buffer.from('ghi'), 'video/mp4');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await s3.stop();
});

const statusOf = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status;

it('a signed link reads its file, also in ranges', async () => {
  const link = await bucket.link('videos/a', 600);

  const [whole, part] = [await fetch(link), await fetch(link, { headers: { range: 'bytes=2-3' } })];

  expect(whole.headers.get('content-type')).toBe('video/mp4');
  expect([await whole.text(), await part.text()]).toEqual(['abcdef', 'cd']);
});

it.each<[string, (link: string) => [string, RequestInit?]]>([
  ['of another file', (link) => [link.replace('videos/a', 'videos/b')]],
  ['with another end', (link) => [link.replace('X-Amz-Expires=600', 'X-Amz-Expires=60000')]],
  ['with a signature that is none', (link) => [link.replace(/Signature=..../, 'Signature=0000')]],
  ['without a signature', (link) => [link.split('?')[0]!]],
  ['for another method', (link) => [link, { method: 'DELETE' }]],
])('a signed link %s is refused', async (_, changed) => {
  expect(await statusOf(...changed(await bucket.link('videos/a', 600)))).toBe(403);
});

const anybody = { authorization: 'AWS4-HMAC-SHA256 x' };
const guessed = {
  authorization: `AWS4-HMAC-SHA256 Credential=local/20261122/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
  'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
  'x-amz-date': '20261122T000000Z',
};

it.each([
  ['without a secret', anybody],
  ['with a guessed signature', guessed],
])('a request %s can neither read nor list nor delete', async (_, headers) => {
  const { [variables.bucketName]: name } = process.env;
  const attempts: [string, RequestInit][] = [
    [`/${name}?list-type=2`, { headers }],
    [`/${name}/videos/a`, { headers }],
    [`/${name}/videos/a`, { headers, method: 'DELETE' }],
    ['/', { headers: { ...headers, 'x-amz-target': 'AmazonSQS.ListQueues' }, method: 'POST', body: '{}' }],
  ];

  for (const [path, init] of attempts) expect(await statusOf(`${s3.endpoint}${path}`, init)).toBe(403);
});

it('the secret of another run is refused', async () => {
  const own = process.env[variables.localSecret];
  vi.stubEnv(variables.localSecret, 'another');

  await expect(openBucket().get('videos/a')).rejects.toThrow();
  vi.stubEnv(variables.localSecret, own);
});

it('a signed link stops working at its expiry', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 601_000 });
  const old = await bucket.link('videos/a', 600);
  vi.useRealTimers();

  expect(await statusOf(old)).toBe(403);
});

const CHUNK = 1_000_003;

async function* film(bytes: number, breaksOff = false) {
  for (let sent = 0; sent < bytes; sent += CHUNK) yield Buffer.alloc(Math.min(CHUNK, bytes - sent), sent % 251);
  if (breaksOff) throw new Error('broken off');
}

it('an interrupted upload leaves the earlier file unchanged', async () => {
  await expect(bucket.putStream('videos/a', film(20_000_000, true), 'video/mp4')).rejects.toThrow('broken off');

  expect(await bucket.get('videos/a')).toEqual(Buffer.from('abcdef'));
});

it.each([0, 1, 8 * 1024 * 1024, 20_000_000])('an upload of %d bytes is stored unchanged', async (bytes) => {
  expect(await bucket.putStream('videos/c', film(bytes), 'video/mp4')).toBe(bytes);

  const sent: Buffer[] = [];
  for await (const chunk of film(bytes)) sent.push(chunk);
  expect((await bucket.get('videos/c'))!.equals(Buffer.concat(sent))).toBe(true);
});
