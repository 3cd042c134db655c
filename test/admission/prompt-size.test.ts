import { describe, expect, it } from 'vitest';
import {
  requestedCacheWrites,
  writesForAnHour,
  countedBound,
  measurePrompt,
  promptBound,
  textBound,
} from '../../lambdas/admission/prompt/prompt-size.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';

/** Tokens that are added to the upper bound of a prompt, unless its provider has counted its tokens. */
const ADDED = 1_024;

const requestOf = (fields: Partial<MessagesRequest> = {}): MessagesRequest => ({
  model: 'acme/big',
  max_tokens: 10,
  messages: [],
  ...fields,
});
const ofBlocks = (...content: Block[]) => requestOf({ messages: [{ role: 'user', content }] });
const image = (data: string, type = 'base64'): Block => ({ type: 'image', source: { type, data } });
const pdf: Block = { type: 'document', source: { type: 'base64', data: 'JVBERi0' } };

function boundOf(request: MessagesRequest, endpoint: Partial<Parameters<typeof promptBound>[2]> = {}): number {
  return promptBound(measurePrompt(request), JSON.stringify(request), { quirks: {}, ...endpoint });
}

const bytesOf = (request: MessagesRequest) => Buffer.byteLength(JSON.stringify(request));

const estimateOf = (request: MessagesRequest) => measurePrompt(request).estimatedTokens;

describe('the upper bound of a prompt', () => {
  it('is its bytes, and the tokens that a provider adds', () => {
    const request = requestOf({ messages: [{ role: 'user', content: 'Привет' }] });

    expect(boundOf(request)).toBe(bytesOf(request) + ADDED);
  });

  it('is at most the context of the model', () => {
    expect(boundOf(requestOf(), { contextLength: 500 })).toBe(500);
  });

  it('includes each image with the maximum for an image, not with the size of its base64', () => {
    const data = 'A'.repeat(100_000);
    const request = ofBlocks(image(data));

    expect(boundOf(request)).toBe(bytesOf(request) - data.length + 6_000 + ADDED);
    expect(boundOf(request, { quirks: { max_image_tokens: 100 } })).toBe(bytesOf(request) - data.length + 100 + ADDED);
  });

  it('includes text in the URL of an image', () => {
    const request = ofBlocks(image('hidden'.repeat(1_000), 'url'));

    expect(boundOf(request)).toBe(bytesOf(request) + 6_000 + ADDED);
  });

  it('includes text in the longer of its Unicode forms, because some providers normalize it', () => {
    const request = requestOf({ messages: [{ role: 'user', content: 'ﷺ'.repeat(100) }] });

    expect(boundOf(request)).toBeGreaterThan(bytesOf(request) + ADDED);
  });

  it('includes JSON with escapes for non-ASCII characters, because some providers serialize it again', () => {
    const plain = ofBlocks({ type: 'text', text: 'я'.repeat(100) });
    const json = ofBlocks({ type: 'tool_use', id: 't', name: 'n', input: { a: 'я'.repeat(100) } });

    expect(boundOf(plain)).toBe(bytesOf(plain) + ADDED);
    // An escape of six bytes replaces each letter of two bytes.
    expect(boundOf(json)).toBe(bytesOf(json) + 4 * 100 + ADDED);
  });

  it('includes the escapes of the JSON that is sent, which may be longer than the JSON of the client', () => {
    const schema = { type: 'object', properties: { a: { description: 'я'.repeat(100) } } };
    const request = {
      ...ofBlocks({ type: 'text', text: 'я'.repeat(100) }),
      tools: [{ name: 'n', input_schema: schema }],
    };
    const content = measurePrompt(request);
    const [sent, longer] = [request, { ...request, tools: [...request.tools, ...request.tools] }].map((one) =>
      JSON.stringify(one),
    );

    expect(promptBound(content, sent!, { quirks: {} })).toBe(Buffer.byteLength(sent!) + 4 * 100 + ADDED);
    expect(promptBound(content, longer!, { quirks: {} })).toBe(Buffer.byteLength(longer!) + 4 * 200 + ADDED);
  });

  it.each([
    [undefined, 0],
    ['custom', 0],
    ['bash_20250124', 1_500],
    ['browser_toolset_20260101', 7_500],
  ])('includes an upper bound for a tool of type %s: %i tokens', (type, tokens) => {
    const request = requestOf({ tools: [{ name: 'n', ...(type ? { type } : {}) }] });

    expect(boundOf(request)).toBe(bytesOf(request) + tokens + ADDED);
  });
});

describe('a prompt without a byte bound', () => {
  it.each<[string, Block]>([
    ['a PDF', pdf],
    ['a document by its address', { type: 'document', source: { type: 'url', url: 'https://x' } }],
    ['a block of an unknown type', { type: 'video', text: 'x' }],
    ['a recording', { type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: 'UklGRg==' } }],
    ['a PDF in a result', { type: 'tool_result', tool_use_id: 't', content: [pdf] }],
  ])('counts as the whole context because of %s', (_what, block) => {
    const content = measurePrompt(ofBlocks(block));

    expect(content.unbounded).toBe(true);
    expect(promptBound(content, '{}', { quirks: {}, contextLength: 200_000 })).toBe(200_000);
    expect(promptBound(content, '{}', { quirks: {} })).toBe(Infinity);
  });

  it.each<[string, Block]>([
    ['a text', { type: 'text', text: 'x' }],
    ['a text as a document', { type: 'document', source: { type: 'text', data: 'x' } }],
    ['a document of blocks', { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'x' }] } }],
    ['an image', image('AAAA')],
    ['a call and its result', { type: 'tool_result', tool_use_id: 't', content: 'x' }],
  ])('is not assumed because of %s', (_what, block) => {
    expect(measurePrompt(ofBlocks(block)).unbounded).toBe(false);
  });
});

describe('the estimated size of a prompt', () => {
  it('has 32 tokens per second of a recording, at the usual bit rate of MP3', () => {
    const minute = Buffer.alloc(60 * 16_000).toString('base64');
    const source = { type: 'base64', media_type: 'audio/mpeg', data: minute };

    const tokens = estimateOf(ofBlocks({ type: 'audio', source }));

    expect(tokens).toBeGreaterThan(1_900);
    expect(tokens).toBeLessThan(1_940);
  });

  it('includes system, messages, tools and the schema of the answer', () => {
    const text = 'x'.repeat(400);
    const input_schema = { description: text };

    expect(estimateOf(requestOf({ system: text }))).toBe(100);
    expect(estimateOf(requestOf({ messages: [{ role: 'user', content: text }] }))).toBe(100);
    expect(estimateOf(requestOf({ tools: [{ name: 'n', input_schema }] }))).toBeGreaterThan(100);
    expect(
      estimateOf(requestOf({ output_config: { format: { type: 'json_schema', schema: input_schema } } })),
    ).toBeGreaterThan(100);
  });

  it('includes images and documents at a typical size', () => {
    expect(estimateOf(ofBlocks(image('A'.repeat(10_000)), image('B')))).toBe(3_000);
    expect(estimateOf(ofBlocks(pdf))).toBe(3_000);
  });

  it('includes text in results at any depth, and no text in unknown fields', () => {
    const nested = {
      type: 'search_result',
      source: 'x'.repeat(100),
      title: 'x'.repeat(100),
      content: [{ type: 'text', text: 'x'.repeat(200) }],
    };

    expect(estimateOf(ofBlocks({ type: 'tool_result', content: [nested] }))).toBe(100);
    expect(estimateOf(ofBlocks({ type: 'text', text: '', content: [nested] }))).toBe(0);
  });

  it('includes nothing for null in a field of a source', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'x'.repeat(400), content: [null] };

    expect(estimateOf(ofBlocks({ type: 'document', source }))).toBe(100);
  });
});

describe('the bound from a token count', () => {
  const thought = measurePrompt(
    ofBlocks(
      { type: 'thinking', thinking: 'x'.repeat(30), signature: 'y'.repeat(20) },
      { type: 'redacted_thinking', data: 'z'.repeat(50) },
      image('AAAA'),
    ),
  );

  it("is slightly above a provider's count, and includes all earlier thinking", () => {
    expect(countedBound(10_000, thought, {})).toBe(10_000 + 200 + 64 + 100);
    expect(countedBound(1, thought, {})).toBe(2 + 64 + 100);
  });

  it('includes the tokens around the texts for a local count', () => {
    expect(textBound(10_000, thought, { quirks: { max_image_tokens: 300 } })).toBe(10_000 + 300 + 100 + ADDED);
  });

  it('is at most the context of the model', () => {
    expect(countedBound(10_000, thought, { contextLength: 9_000 })).toBe(9_000);
    expect(textBound(10_000, thought, { quirks: {}, contextLength: 9_000 })).toBe(9_000);
  });
});

describe('requested cache writes', () => {
  it.each([
    ['{"messages":[]}', 'none'],
    ['{"cache_control":{"type":"ephemeral"}}', '5m'],
    ['{"cache_control":{"type":"ephemeral","ttl":"1h"}}', '1h'],
    ['{"text":"\\"cache_control\\" 1h"}', 'none'],
    // Amazon uses another field for cache marks.
    ['[{"cachePoint":{"type":"default"}}]', '5m'],
    ['[{"cachePoint":{"type":"default","ttl":"1h"}}]', '1h'],
  ])('are, in %s: %s', (body, writes) => {
    expect(requestedCacheWrites(body)).toBe(writes);
  });

  it.each([
    ['{"cache_control":{"type":"ephemeral"}}', false],
    ['{"cache_control":{"type":"ephemeral","ttl":"1h"}}', true],
    ['[{"cachePoint":{"type":"default","ttl":"1h"}},{"cachePoint":{"type":"default"}}]', false],
    ['[{"cachePoint":{"type":"default","ttl":"1h"}},{"cachePoint":{"type":"default","ttl":"1h"}}]', true],
    ['{"text":"\\"cache_control\\":{\\"ttl\\":\\"1h\\"}"}', false],
    ['{"input":{"ttl":"1h"}}', false],
  ])('are all for an hour, in %s: %s', (body, isHourly) => {
    expect(writesForAnHour(body)).toBe(isHourly);
  });
});
