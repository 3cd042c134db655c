import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UnpackedBody } from '../../lambdas/http/decompressed.ts';
import type { HttpRequest } from '../../lambdas/http/request.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';

const TEXT = '{"model":"sandbox/claude","text":"Привет"}';
const packers = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
  'x-gzip': gzipSync,
};

function requestOf(encoding: string, bodyBytes: Buffer): HttpRequest {
  return { headers: { 'content-encoding': encoding }, body: '', bodyBytes } as unknown as HttpRequest;
}

async function refusalOf(encoding: string, bytes: Buffer): Promise<GatewayError> {
  const failure: unknown = await new UnpackedBody().unpack(requestOf(encoding, bytes)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(GatewayError);
  return failure as GatewayError;
}

describe('a compressed body', () => {
  it.each(Object.entries(packers))('is decompressed: %s', async (encoding, pack) => {
    const request = requestOf(encoding.toUpperCase(), pack(Buffer.from(TEXT)));

    await new UnpackedBody().unpack(request);

    expect(request.body).toBe(TEXT);
    expect(request.bodyBytes).toBeUndefined();
  });

  it('is refused with the list of supported encodings if it has another one', async () => {
    const refusal = await refusalOf('compress', Buffer.from('x'));

    expect(refusal.status).toBe(415);
    expect(refusal.message).toContain('gzip, deflate, br, zstd');
    expect(refusal.headers['accept-encoding']).toBe('gzip, deflate, br, zstd');
  });

  it.each(Object.entries(packers))('is refused if its data is damaged or cut: %s', async (encoding, pack) => {
    const whole = pack(Buffer.from(TEXT.repeat(50)));

    expect((await refusalOf(encoding, whole.subarray(0, whole.length - 9))).status).toBe(400);
    expect((await refusalOf(encoding, Buffer.from('no such data'))).status).toBe(400);
  });

  it.each(Object.entries(packers))('is limited by its decompressed size: %s', async (encoding, pack) => {
    const refusal = await refusalOf(encoding, pack(Buffer.alloc(64 * 1024 * 1024, 'a')));

    expect(refusal.status).toBe(413);
  });

  it.each(['gzip', 'deflate'])('is read as text if API Gateway has decompressed it: %s', async (encoding) => {
    const request = {
      headers: { 'content-encoding': encoding },
      unrouted: false,
      body: TEXT,
    } as unknown as HttpRequest;

    await new UnpackedBody().unpack(request);

    expect(request.body).toBe(TEXT);
  });

  it.each(Object.entries(packers))('keeps the bytes of a form: %s', async (encoding, pack) => {
    const form = Buffer.from([45, 45, 120, 255, 0]);
    const request = requestOf(encoding, pack(form));
    request.headers['content-type'] = 'multipart/form-data; boundary=x';

    await new UnpackedBody().unpack(request);

    expect(request.bodyBytes).toEqual(form);
  });

  it.each(['gzip', 'deflate'])(
    'is unchanged if it is a form that API Gateway has decompressed: %s',
    async (encoding) => {
      const form = Buffer.from('--x--');
      const request = requestOf(encoding, form);
      Object.assign(request, { unrouted: false });
      request.headers['content-type'] = 'multipart/form-data; boundary=x';

      await new UnpackedBody().unpack(request);

      expect(request.bodyBytes).toEqual(form);
    },
  );

  it.each([
    ['br', false],
    ['zstd', false],
    ['gzip', true],
  ])('is refused if it was passed on as text, which loses bytes: %s', async (encoding, unrouted) => {
    const request = { headers: { 'content-encoding': encoding }, unrouted, body: 'x' } as unknown as HttpRequest;

    const refusal = await new UnpackedBody().unpack(request).catch((error: unknown) => error);

    expect(refusal).toMatchObject({ status: 415, headers: { 'accept-encoding': 'gzip, deflate' } });
  });

  it('uses the shared memory limit until it is released', async () => {
    const packed = gzipSync(Buffer.from(randomBytes(2_000_000).toString('hex')));
    const open: UnpackedBody[] = [];
    const unpack = () => {
      const body = new UnpackedBody();
      open.push(body);
      return body.unpack(requestOf('gzip', packed));
    };

    let refusal: unknown;
    for (let count = 0; count < 40 && refusal === undefined; count += 1)
      refusal = await unpack().catch((e: unknown) => e);
    for (const body of open) body.release();

    expect(refusal).toMatchObject({ status: 529 });
    await expect(unpack()).resolves.toBeUndefined();
    open.at(-1)!.release();
  });
});
