import { gunzipSync } from 'node:zlib';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { compressed, compressedOnce } from '../../lambdas/http/compressed.ts';
import type { HttpResponse } from '../../lambdas/http/response.ts';

const text = JSON.stringify(Array.from({ length: 300 }, (_, index) => ({ index, word: 'тест' })));

async function answerTo(encoding: string | undefined, body = text): Promise<HttpResponse> {
  const response: HttpResponse = { statusCode: 200, headers: {}, body };
  await compressed({ headers: encoding === undefined ? {} : { 'accept-encoding': encoding } }, response);
  return response;
}

async function bytesOf({ body }: HttpResponse): Promise<Buffer> {
  return Buffer.concat((await (body as Readable).toArray()) as Buffer[]);
}

describe('a large answer', () => {
  it.each(['gzip', 'gzip, deflate, br', 'GZIP', 'br;q=1.0, gzip;q=0.8', '*'])(
    'is compressed for %j',
    async (encoding) => {
      const response = await answerTo(encoding);

      expect(response.headers).toEqual({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
      const bytes = await bytesOf(response);
      expect(gunzipSync(bytes).toString()).toBe(text);
      expect(bytes.length).toBeLessThan(text.length / 3);
    },
  );

  it.each([undefined, '', 'identity', 'br', 'gzip;q=0', '*;q=0', 'identity, gzip;q=0.5', '\u0000,;;q=x'])(
    'is not compressed for %j',
    async (encoding) => {
      const response = await answerTo(encoding);

      expect(response).toEqual({ statusCode: 200, headers: { vary: 'accept-encoding' }, body: text });
    },
  );
});

it('a small answer is not compressed', async () => {
  expect(await answerTo('gzip', '{"data":[]}')).toEqual({ statusCode: 200, headers: {}, body: '{"data":[]}' });
});

it('a route with repeated answers compresses a text only if the previous text was different', async () => {
  const compress = compressedOnce();
  const sent: Buffer[] = [];
  for (const body of [text, text, `${text} `, text]) {
    const response: HttpResponse = { statusCode: 200, headers: {}, body };
    await compress({ headers: { 'accept-encoding': 'gzip' } }, response);
    sent.push(...((await (response.body as Readable).toArray()) as Buffer[]));
  }

  expect(sent.map((bytes) => gunzipSync(bytes).toString())).toEqual([text, text, `${text} `, text]);
  expect(sent[1]).toBe(sent[0]);
});
