/** Encoded requests to a provider of chat completions, and the calls in its answers. */

import type { OpenaiChatQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { openaiChatWire } from '../../lambdas/providers/openai-chat/wire.ts';
import type { WireTarget } from '../../lambdas/providers/wire.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
export const weather = { name: 'weather', input_schema: { type: 'object', properties: { at: { type: 'string' } } } };
export const said = [{ role: 'user' as const, content: 'Hi' }];
export const png: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAA' } };

const targetOf = (more: Partial<WireTarget<OpenaiChatQuirks>> = {}): WireTarget<OpenaiChatQuirks> => ({
  providerId: 'test',
  upstreamModel: 'up',
  maxOutputTokens: 1_000,
  supportedParameters: ['tools', 'tool_choice', 'stop', 'reasoning', 'response_format'],
  quirks: {},
  ...more,
});

export function sentTo(
  target: Partial<WireTarget<OpenaiChatQuirks>>,
  more: Partial<MessagesRequest>,
): Record<string, unknown> {
  const request: MessagesRequest = { model: 'a/b', messages: said, ...more };
  return JSON.parse(openaiChatWire.encode(request, targetOf(target), client).body) as Record<string, unknown>;
}

export const sent = (more: Partial<MessagesRequest>, quirks: OpenaiChatQuirks = {}) => sentTo({ quirks }, more);

/** Returns the id and the name of each call in an answer of one chunk. */
export async function callsIn(request: MessagesRequest, chunk: object): Promise<unknown[]> {
  async function* body(): AsyncGenerator<Buffer> {
    yield await Promise.resolve(Buffer.from(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`));
  }
  const calls: unknown[] = [];
  for await (const { events } of openaiChatWire.decode(body(), {
    target: targetOf(),
    request,
    estimatedInputTokens: 1,
  })) {
    for (const { data } of events) {
      if (data.type === 'content_block_start' && data.content_block.type === 'tool_use') {
        calls.push({ id: data.content_block['id'], name: data.content_block['name'] });
      }
    }
  }
  return calls;
}

/** Returns the body as text, so that tests can check every digit. */
export function bodyOf(request: MessagesRequest, quirks: OpenaiChatQuirks): string {
  return openaiChatWire.encode(request, targetOf({ quirks }), client).body;
}
