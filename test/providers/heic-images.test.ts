/** Photos of iPhones in a conversation: only Gemini reads them (https://github.com/QuantumNous/new-api/issues/3502). */

import { expect, it } from 'vitest';
import type { MessagesWireName } from '../../lambdas/catalog/wires.ts';
import type { Quirks } from '../../lambdas/catalog/quirk-schemas.ts';
import { imageAddress, sentImage } from '../../lambdas/client-apis/media.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { refused } from '../support/refused.ts';

function sentOver(wire: MessagesWireName) {
  const target = {
    providerId: 'acme',
    upstreamModel: 'm',
    maxOutputTokens: 100,
    supportedParameters: [],
    inputModalities: undefined,
    quirks: {} as Quirks,
  };
  const content = [sentImage(imageAddress.parse('data:image/heic;base64,AAAA'))];
  const request = { model: 'a/b', messages: [{ role: 'user' as const, content }], max_tokens: 5 };
  const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
  return messagesWire(wire)!.encode(request, target, client).body;
}

it('reaches Gemini as a photo with its type', () => {
  expect(sentOver('google-gemini')).toContain('"inlineData":{"mimeType":"image/heic","data":"AAAA"}');
});

it.each(['anthropic', 'openai-chat', 'openai-responses', 'bedrock-converse'] as const)(
  'is refused by name over the wire %s',
  (wire) => {
    const { metadata, message } = refused(() => sentOver(wire));

    expect(metadata['field']).toBe('messages.0.content.0.source.media_type');
    expect(message).toMatch(/convert the image|must be image\/png/);
  },
);
