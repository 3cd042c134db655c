import { describe, expect, it } from 'vitest';
import { withTrueImageTypes } from '../../lambdas/messages/image-types.ts';
import { messagesRequestSchema } from '../../lambdas/messages/schema.ts';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { openaiResponsesWire } from '../../lambdas/providers/openai-responses/wire.ts';

const base64 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');
const heads = {
  'image/png': base64('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'),
  'image/jpeg': base64('\xff\xd8\xff\xe0\0\x10JFIF\0'),
  'image/gif': base64('GIF89a\x01\0\x01\0'),
  'image/webp': base64('RIFF\x24\0\0\0WEBPVP8 '),
};
const image = (media_type: string, data: string) => ({ type: 'image', source: { type: 'base64', media_type, data } });
const asking = (...content: object[]) => ({
  model: 'x/y',
  messages: [{ role: 'user' as const, content: content as { type: string }[] }],
});

const documentWith = (type: string) => ({
  type: 'document',
  source: { type: 'content', content: [image(type, base64('no image')), { type: 'text', text: 'See' }] },
});

describe('an image', () => {
  it.each(Object.entries(heads))('with the bytes of %s has that type, whatever the request declares', (type, data) => {
    const request = asking(image('image/tiff', data));
    expect(withTrueImageTypes(request)).toEqual(asking(image(type, data)));
  });

  it('may have the type image/jpg, whatever its bytes', () => {
    const data = base64('no image');
    const request = { ...asking(image('image/jpg', data)), max_tokens: 9 };

    expect(withTrueImageTypes(messagesRequestSchema.parse(request)).messages).toEqual(
      asking(image('image/jpeg', data)).messages,
    );
  });

  it('in the content of a document may have the type image/jpg, also in a result', () => {
    const asked = (type: string) =>
      asking(documentWith(type), { type: 'tool_result', tool_use_id: 't1', content: [documentWith(type)] });

    const request = messagesRequestSchema.parse({ ...asked('image/jpg'), max_tokens: 9 });
    expect(withTrueImageTypes(request).messages).toEqual(asked('image/jpeg').messages);
    const unchanged = asked('image/png');
    expect(withTrueImageTypes(unchanged)).toBe(unchanged);
    const text = asking({ type: 'document', source: { type: 'content', content: 'See' } });
    expect(withTrueImageTypes(text)).toBe(text);
  });

  it('with the declared type leaves the request unchanged, and so does an unknown type', () => {
    const known = Object.entries(heads).map(([type, data]) => image(type, data));
    const others = [
      image('image/png', base64('no image')),
      { type: 'image', source: { type: 'url', url: 'https://x.y' } },
    ];
    const request = asking(...known, ...others, { type: 'text', text: 'See' });
    expect(withTrueImageTypes(request)).toBe(request);
  });

  it.each([
    ['Claude', anthropicWire, '"media_type":"image/jpeg"'],
    ['OpenAI', openaiResponsesWire, 'data:image/jpeg;base64'],
  ])('in a result is sent to %s with its own type', (_provider, wire, type) => {
    const call = { role: 'assistant' as const, content: [{ type: 'tool_use', id: 't1', name: 'shoot', input: {} }] };
    const result = { type: 'tool_result', tool_use_id: 't1', content: [image('image/png', heads['image/jpeg'])] };
    const { messages } = asking(result);
    const target = { providerId: 'p', upstreamModel: 'm', maxOutputTokens: 10, supportedParameters: [], quirks: {} };
    const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
    const { body } = wire.encode({ model: 'x/y', messages: [call, ...messages] }, target, client);
    expect(body).toContain(type);
  });
});
