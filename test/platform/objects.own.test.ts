import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openBucket } from '../../lambdas/platform/aws/objects.ts';
import { AwsError, NoReplyError } from '../../lambdas/platform/aws/aws-call.ts';
import { variables } from '../../lambdas/platform/environment.ts';
import { objectionToSignature } from '../../lib/local/signed-requests.ts';
import { startStrictBucket, type Fault, type StrictBucket } from '../support/strict-bucket.ts';

const role = { accessKeyId: 'ROLE', secretAccessKey: 'secret', sessionToken: 'TOKEN+/=' };
const KEY = 'videos/acc_1/a key: (1) + ü*';

let s3: StrictBucket;
beforeEach(async () => {
  s3 = await startStrictBucket(role);
  vi.stubEnv('AWS_ACCESS_KEY_ID', role.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', role.secretAccessKey);
  vi.stubEnv('AWS_SESSION_TOKEN', role.sessionToken);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.url);
  vi.stubEnv(variables.bucketName, 'files');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await s3.stop();
});

const PART = 8 * 1024 * 1024;

/** Without these settings, the SDK adds checksums to links. */
const whenRequired = {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;

async function* film(bytes: number) {
  for (let sent = 0; sent < bytes; sent += 1_000_003) yield Buffer.alloc(Math.min(1_000_003, bytes - sent), sent % 251);
}

const fails =
  (status: number, code: string): Fault =>
  (response) =>
    void response.writeHead(status).end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
const lost: Fault = (response) => void response.destroy();

/** Returns all parts of a link except the signature. */
const partsOf = ({ origin, pathname, searchParams }: URL) => {
  const { 'X-Amz-Signature': signature, ...signed } = Object.fromEntries(searchParams);
  return { origin, pathname, signed, digits: signature!.length };
};

describe('a file in S3', () => {
  it('is stored with its media type, read, and deleted', async () => {
    const bucket = openBucket();
    await bucket.put(KEY, Buffer.from('abc'), 'video/mp4');
    expect(s3.files.get(KEY)).toEqual({ bytes: Buffer.from('abc'), mediaType: 'video/mp4' });
    expect(await bucket.get(KEY)).toEqual(Buffer.from('abc'));

    await bucket.delete(KEY);
    expect(await bucket.get(KEY)).toBe(undefined);
    await bucket.delete(KEY);
  });

  it('may be larger than other responses of AWS', async () => {
    const bytes = Buffer.alloc(25_000_000, 1);
    s3.files.set('videos/a', { bytes, mediaType: undefined });

    expect((await openBucket().get('videos/a'))!.equals(bytes)).toBe(true);
  });

  it.each([
    ['throttles', fails(503, 'SlowDown')],
    ['fails', fails(500, 'InternalError')],
    ['waits in vain for bytes', fails(400, 'RequestTimeout')],
    ['sends no response', lost],
  ])('is stored by a retry if S3 %s', async (_, fault) => {
    s3.faults = [fault, fault];
    await openBucket().put(KEY, Buffer.from('abc'), 'video/mp4');

    expect(s3.files.get(KEY)!.bytes).toEqual(Buffer.from('abc'));
    expect(s3.requests).toHaveLength(3);
  });

  it('is not stored by a retry if S3 rejects it', async () => {
    s3.faults = [fails(403, 'AccessDenied')];

    const error = await openBucket()
      .put(KEY, Buffer.from('abc'), 'video/mp4')
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({ name: 'AccessDenied', status: 403, isPassing: false });
    expect(s3.requests).toHaveLength(1);
  });

  it.each([
    ['behind', 3_600_000],
    ['ahead', -3_600_000],
  ])('is stored and read by the clock of S3 if the local clock is %s', async (_, clockAheadMs) => {
    s3.clockAheadMs = clockAheadMs;
    const bucket = openBucket();
    await bucket.put(KEY, Buffer.from('abc'), 'video/mp4');
    expect(s3.requests).toHaveLength(2);

    expect(await bucket.get(KEY)).toEqual(Buffer.from('abc'));
    expect(s3.requests).toHaveLength(3);
    expect((await fetch(await bucket.link(KEY, 600))).status).toBe(200);
  });

  it('is not sent a third time if S3 rejects the corrected clock too', async () => {
    const late: Fault = (response) =>
      void response
        .writeHead(403, { date: new Date(Date.now() + s3.requests.length * 3_600_000).toUTCString() })
        .end('<Error><Code>RequestTimeTooSkewed</Code></Error>');
    s3.faults = [late, late, late];

    await expect(openBucket().get(KEY)).rejects.toMatchObject({ name: 'RequestTimeTooSkewed', status: 403 });
    expect(s3.requests).toHaveLength(2);
  });

  it('is not reported as missing if the bucket is missing', async () => {
    s3.faults = [fails(404, 'NoSuchBucket')];

    await expect(openBucket().get(KEY)).rejects.toMatchObject({ name: 'NoSuchBucket' });
  });
});

describe('an upload in parts', () => {
  it('stores all bytes, with the media type, in parts of one size', async () => {
    expect(await openBucket().putStream(KEY, film(2 * PART + 1), 'video/mp4')).toBe(2 * PART + 1);

    const { bytes, mediaType } = s3.files.get(KEY)!;
    expect([bytes.length, mediaType, s3.uploads.size]).toEqual([2 * PART + 1, 'video/mp4', 0]);
    const lengths = s3.requests
      .filter(({ method }) => method === 'PUT')
      .map(({ headers }) => headers['content-length']);
    expect(lengths).toEqual([PART, PART, 1].map(String));
  });

  it('repeats each request that failed, also if the error has status 200', async () => {
    const late = fails(200, 'InternalError');
    s3.faults = [lost, undefined, fails(503, 'SlowDown'), undefined, undefined, late];
    await openBucket().putStream(KEY, film(PART + 1), 'video/mp4');

    expect(s3.files.get(KEY)!.bytes).toHaveLength(PART + 1);
    expect(s3.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'PUT', 'PUT', 'PUT', 'POST', 'POST']);
  });

  it.each([
    ['rejects a part', fails(403, 'AccessDenied'), { name: 'AccessDenied' }],
    ['names no tag of a part', (response) => void response.writeHead(200).end(), { name: 'NoReplyError' }],
  ] satisfies [string, Fault, object][])('leaves no parts and no file if S3 %s', async (_, fault, error) => {
    s3.faults = [undefined, undefined, fault];

    await expect(openBucket().putStream(KEY, film(PART + 1), 'video/mp4')).rejects.toMatchObject(error);
    expect([s3.files.size, s3.uploads.size]).toEqual([0, 0]);
  });

  it('fails if S3 names no upload', async () => {
    s3.faults = [(response) => void response.writeHead(200).end('<html>')];

    await expect(openBucket().putStream(KEY, film(PART + 1), 'video/mp4')).rejects.toThrow(NoReplyError);
  });
});

describe('a link to a file', () => {
  it('reads the file', async () => {
    s3.files.set(KEY, { bytes: Buffer.from('abc'), mediaType: undefined });

    expect(await (await fetch(await openBucket().link(KEY, 600))).text()).toBe('abc');
  });

  it.each([
    ['eu-central-1', 'TOKEN+/='],
    ['us-east-1', ''],
    ['cn-north-1', 'TOKEN'],
  ])('in %s is the link of the SDK’s client', async (region, sessionToken) => {
    vi.stubEnv('AWS_ENDPOINT_URL_S3', '');
    vi.stubEnv('AWS_REGION', region);
    vi.stubEnv('AWS_SESSION_TOKEN', sessionToken);
    vi.useFakeTimers({ toFake: ['Date'] });
    const { accessKeyId, secretAccessKey } = role;
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
    const client = new S3Client({ region, credentials, ...whenRequired });
    const command = new GetObjectCommand({ Bucket: 'files', Key: KEY });
    const url = new URL(await openBucket().link(KEY, 600));
    const ofSdk = new URL(await getSignedUrl(client, command, { expiresIn: 600 }));
    const now = Date.now();
    vi.useRealTimers();

    // The SDK adds the name of its operation, which S3 ignores.
    ofSdk.searchParams.delete('x-id');
    expect(partsOf(url)).toEqual(partsOf(ofSdk));
    const sent = { method: 'GET', url: url.pathname + url.search, headers: { host: url.host } };
    expect(objectionToSignature(sent, credentials, now)).toBe(undefined);
  });
});
