import { describe, expect, it } from 'vitest';
import { formBody, type FormRules } from '../../lambdas/http/form-body.ts';
import type { HttpRequest } from '../../lambdas/http/request.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { FormFile } from '../../lambdas/platform/form-file.ts';

const RULES: FormRules = {
  files: ['file', 'image'],
  maxFiles: 3,
  lists: ['languages', 'image'],
  numbers: ['temperature'],
  booleans: ['stream'],
  json: ['provider'],
  exactWithin: ['max_price'],
};

async function requestOf(form: FormData): Promise<HttpRequest> {
  const { headers, body } = new Request('http://localhost', { method: 'POST', body: form });
  const bodyBytes = Buffer.concat(await Array.fromAsync(body as unknown as AsyncIterable<Uint8Array>));
  return { headers: { 'content-type': headers.get('content-type')! }, body: '', bodyBytes } as unknown as HttpRequest;
}

function formOf(...parts: [name: string, value: string | Blob][]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  return form;
}

const read = async (...parts: [name: string, value: string | Blob][]) =>
  formBody(RULES)(await requestOf(formOf(...parts)));

const rawRequest = (text: string, contentType = 'multipart/form-data; boundary=x') =>
  ({ headers: { 'content-type': contentType }, body: '', bodyBytes: Buffer.from(text) }) as unknown as HttpRequest;

async function refusalOf(request: HttpRequest): Promise<GatewayError> {
  const failure: unknown = await formBody(RULES)(request).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(GatewayError);
  return failure as GatewayError;
}

describe('a form', () => {
  it('becomes the value that a JSON body has', async () => {
    const value = await read(
      ['model', 'a/b'],
      ['temperature', '0.5'],
      ['stream', 'true'],
      ['languages', 'ru'],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['chunking_strategy[type]', 'server_vad'],
      ['provider', '{"max_price":{"prompt":1}}'],
    );

    expect(value).toEqual({
      model: 'a/b',
      temperature: 0.5,
      stream: true,
      languages: ['ru'],
      timestamp_granularities: ['word', 'segment'],
      chunking_strategy: { type: 'server_vad' },
      provider: { max_price: { prompt: 1 } },
    });
  });

  // Browsers and workflow tools also send empty fields.
  it('has no value for a field without text', async () => {
    expect(await read(['temperature', ''], ['stream', ''], ['languages', ''], ['prompt', ''], ['a', 'b'])).toEqual({
      a: 'b',
    });
  });

  it.each<[string, [string, string][]]>([
    ['JSON', [['languages', '["ru", "en"]']]],
    ['JSON with brackets in the name', [['languages[]', '["ru","en"]']]],
    [
      'numbered names',
      [
        ['languages[0]', 'ru'],
        ['languages[1]', 'en'],
      ],
    ],
    [
      'repeated names',
      [
        ['languages', 'ru'],
        ['languages', 'en'],
      ],
    ],
  ])('accepts a list as %s', async (_form, parts) => {
    expect(await read(...parts)).toEqual({ languages: ['ru', 'en'] });
  });

  it('keeps an element in brackets, and accepts 1 and 0 for true and false', async () => {
    expect(await read(['languages', '[ru]'], ['stream', '1'])).toEqual({ languages: ['[ru]'], stream: true });
    expect(await read(['stream', '0'])).toEqual({ stream: false });
  });

  it('accepts brackets after the name of a single file', async () => {
    const file = new File(['1'], 'a.wav', { type: 'audio/wav' });
    const value = { file: new FormFile(Buffer.from('1'), 'a.wav', 'audio/wav') };
    expect(await read(['file[]', file])).toEqual(value);
    await expect(read(['file', file], ['file[]', file])).rejects.toThrow('appears more than once');
  });

  it('keeps the bytes, the name and the media type of its files', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 128]);
    const value = await read(
      ['file', new File([bytes], 'a/b.wav', { type: 'audio/wav' })],
      ['image[]', new File(['1'], '1.png', { type: 'image/png' })],
      ['image[]', new File(['2'], '2.png', { type: 'image/png' })],
    );

    expect(value).toEqual({
      file: new FormFile(bytes, 'b.wav', 'audio/wav'),
      image: [
        new FormFile(Buffer.from('1'), '1.png', 'image/png'),
        new FormFile(Buffer.from('2'), '2.png', 'image/png'),
      ],
    });
  });

  it('identifies its request independently of the boundary, and by the bytes of its files', async () => {
    const [one, again, other] = await Promise.all(
      ['1', '1', '2'].map((text) => requestOf(formOf(['model', 'a/b'], ['file', new File([text], 'a.wav')]))),
    );
    await Promise.all([one, again, other].map((request) => formBody(RULES)(request!)));

    expect(one!.headers['content-type']).not.toBe(again!.headers['content-type']);
    expect(one!.body).toBe(again!.body);
    expect(one!.body).not.toBe(other!.body);
    expect(one!.bodyBytes).toBeUndefined();
  });

  it('keeps a value that is no number as a text, which the schema refuses', async () => {
    expect(await read(['temperature', 'warm'], ['stream', 'yes'], ['temperature2', '1'])).toEqual({
      temperature: 'warm',
      stream: 'yes',
      temperature2: '1',
    });
  });

  it('does not change the prototype of its value', async () => {
    const value = await read(['__proto__[polluted]', 'yes'], ['constructor', 'x']);

    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(value)).toBeNull();
  });

  it.each<[string, [string, string | Blob][], string]>([
    [
      'a field twice',
      [
        ['model', 'a'],
        ['model', 'b'],
      ],
      'more than once',
    ],
    [
      'a field as a text and as an object',
      [
        ['a', 'x'],
        ['a[b]', 'y'],
      ],
      'more than once',
    ],
    [
      'a field as a list and as an object',
      [
        ['a[]', 'x'],
        ['a[b]', 'y'],
      ],
      'more than once',
    ],
    ['a file for a text', [['model', new File(['x'], 'x')]], 'must be a text'],
    ['too many files', [1, 2, 3, 4].map((n) => ['image[]', new File([`${n}`], 'x')]), 'at most 3 files'],
    ['too many fields', Array.from({ length: 201 }, (_, n) => [`f${n}`, '']), 'at most 200 fields'],
    ['a long text', [['prompt', 'x'.repeat(1024 * 1024 + 1)]], 'at most 1 MiB'],
    ['long texts', [1, 2, 3].map((n) => [`f${n}`, 'x'.repeat(900_000)]), 'at most 2 MiB'],
    ['a long name', [['n'.repeat(201), 'x']], 'longer than 200'],
    ['a name without a field', [['[]', 'x']], 'not a field name'],
    ['a deep name', [['a[b][c][d][e]', 'x']], 'at most 3 keys'],
    ['a list of objects', [['a[][b]', 'x']], 'only at its end'],
    ['text that is not JSON', [['provider', '{']], 'JSON'],
  ])('is refused with %s', async (_, parts, message) => {
    const refusal = await refusalOf(await requestOf(formOf(...parts)));

    expect(refusal.status).toBe(400);
    expect(refusal.message).toContain(message);
  });

  it.each([
    ['no boundary', rawRequest('--x--', 'multipart/form-data')],
    ['no parts', rawRequest('')],
    ['no end', rawRequest('--x\r\ncontent-disposition: form-data; name="model"\r\n\r\na/b')],
    ['an unfinished file', rawRequest('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\na/b')],
    ['another boundary', rawRequest('--y\r\ncontent-disposition: form-data; name="model"\r\n\r\na\r\n--y--\r\n')],
  ])('is refused with %s', async (_, request) => {
    expect(await refusalOf(request)).toMatchObject({ status: 400, metadata: { field: 'body' } });
  });
});
