import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { MessageStart, WireUsage } from '../../lambdas/messages/types.ts';
import { listen, type Listening } from './listen.ts';

export async function startUpstream(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<Listening> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => answer(response, request));
  });
  return listen(server);
}

const frame = (data: { type: string; [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Message in the first event of an answer. */
export const messageWith = (usage: WireUsage): MessageStart['message'] => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage,
});

export const frames = {
  start: frame({ type: 'message_start', message: messageWith({ input_tokens: 10, output_tokens: 1 }) }),
  blockStart: frame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  text: (text: string) => frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  end: (outputTokens: number) =>
    frame({ type: 'content_block_stop', index: 0 }) +
    frame({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: outputTokens },
    }) +
    frame({ type: 'message_stop' }),
};

/**
 * Writes a catalog with test/model, and with test/flat, which costs only 1 RUB per request. Both have the given
 * addresses as endpoints, in order.
 */
export function writeCatalog(directory: string, urls: string[]): void {
  mkdirSync(join(directory, 'models'), { recursive: true });
  const providers = urls.map((url, index) => ({
    id: `test-${index}`,
    name: `Test ${index}`,
    wire: 'anthropic',
    base_url: url,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
  }));
  writeFileSync(join(directory, 'providers.json'), JSON.stringify({ providers }));
  const model = (id: string, pricing: (index: number) => object) => ({
    id,
    permaslug: `${id}-1`,
    name: id,
    created: '2026-11-20',
    context_length: 200_000,
    input_modalities: ['text'],
    output_modalities: ['text'],
    endpoints: urls.map((_, index) => ({
      id: `${id}/${index}`,
      provider: `test-${index}`,
      upstream_model: 'm',
      max_output_tokens: 100_000,
      pricing: pricing(index),
    })),
  });
  const models = [
    model('test/model', (index) => ({ prompt: '0.0001', completion: `0.000${index + 2}` })),
    model('test/flat', () => ({ prompt: '0', completion: '0', request: '1' })),
  ];
  writeFileSync(join(directory, 'models', 'test.json'), JSON.stringify({ models }));
}
