/**
 * One provider thinks, signs its thinking and calls a tool; the next turn is sent to any provider. A provider must get
 * its own thinking exactly as it signed it, but not thinking that a provider of another family has signed or encrypted.
 */

import { describe, expect, it } from 'vitest';
import type { MessagesWireName } from '../../lambdas/catalog/wires.ts';
import type { Quirks } from '../../lambdas/catalog/quirk-schemas.ts';
import { MessageAssembler } from '../../lambdas/messages/assemble.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { packFrame } from '../support/event-stream.ts';

interface Provider {
  name: string;
  wire: MessagesWireName;
  quirks?: object;
  providerId?: string;
  upstreamModel?: string;
  /** Providers of a family accept each other's signatures. */
  family?: string;
}

const providers: Provider[] = [
  { name: 'Anthropic', wire: 'anthropic', family: 'claude' },
  { name: 'Claude at Google Cloud', wire: 'anthropic', quirks: { envelope: 'vertex-predict' }, family: 'claude' },
  { name: 'Claude over Converse', wire: 'bedrock-converse', quirks: { family: 'claude' }, family: 'claude' },
  { name: 'Nova over Converse', wire: 'bedrock-converse', quirks: { family: 'nova' }, providerId: 'aws' },
  {
    name: 'another model over Converse',
    wire: 'bedrock-converse',
    quirks: { family: 'other' },
    providerId: 'aws',
    upstreamModel: 'other',
  },
  { name: 'an imitation', wire: 'anthropic', quirks: { own_signatures: true } },
  {
    name: 'an imitation that insists on thinking',
    wire: 'anthropic',
    quirks: { own_signatures: true, thinking_before_calls: true },
  },
  { name: 'OpenAI', wire: 'openai-responses' },
  { name: 'Azure', wire: 'openai-responses' },
  { name: 'Gemini', wire: 'google-gemini', quirks: { thought_signature_placeholder: true }, providerId: 'google' },
  { name: 'another Gemini', wire: 'google-gemini', providerId: 'google', upstreamModel: 'other' },
  { name: 'chat completions', wire: 'openai-chat' },
  {
    name: 'chat completions that insist on thinking',
    wire: 'openai-chat',
    quirks: { reasoning_history: 'reasoning_content' },
  },
];

const idOf = ({ name, providerId = name.toLowerCase().replaceAll(' ', '-') }: Provider) => providerId;
const targetOf = (provider: Provider) => ({
  providerId: idOf(provider),
  upstreamModel: provider.upstreamModel ?? 'm',
  maxOutputTokens: 4_000,
  supportedParameters: ['tools', 'reasoning'],
  quirks: (provider.quirks ?? {}) as Quirks,
});

/** Returns a text that only the provider can read, in base64 as on all wires. */
const secretOf = (provider: Provider, kind: string) =>
  Buffer.from(`${kind} of ${provider.name} ${provider.upstreamModel ?? ''}`.padEnd(60, '.')).toString('base64');

const sse = (event: { type?: string }) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
const frame = (name: string, event: object) => packFrame(name, JSON.stringify(event));
const call = { id: 'call_7', name: 'look' };

/** Returns an answer with thinking, with redacted thinking if the wire has it, and with a call. */
function answerOf(provider: Provider): Buffer[] {
  const signature = secretOf(provider, 'signature');
  const redacted = secretOf(provider, 'redacted');
  switch (provider.wire) {
    case 'anthropic': {
      const block = (index: number, content_block: Block, ...deltas: object[]) => [
        sse({ type: 'content_block_start', index, content_block } as object),
        ...deltas.map((delta) => sse({ type: 'content_block_delta', index, delta } as object)),
        sse({ type: 'content_block_stop', index } as object),
      ];
      const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} };
      return [
        sse({ type: 'message_start', message } as object),
        ...block(
          0,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'Hm' },
          { type: 'signature_delta', signature },
        ),
        ...block(1, { type: 'redacted_thinking', data: redacted }),
        ...block(2, { type: 'tool_use', ...call, input: {} }),
        sse({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } } as object),
        sse({ type: 'message_stop' }),
      ];
    }
    case 'bedrock-converse': {
      const delta = (contentBlockIndex: number, reasoningContent: object) =>
        frame('contentBlockDelta', { contentBlockIndex, delta: { reasoningContent } });
      return [
        delta(0, { text: 'Hm' }),
        delta(0, { signature }),
        delta(1, { redactedContent: redacted }),
        frame('contentBlockStart', {
          contentBlockIndex: 2,
          start: { toolUse: { toolUseId: call.id, name: call.name } },
        }),
        frame('contentBlockStop', { contentBlockIndex: 2 }),
        frame('messageStop', { stopReason: 'tool_use' }),
        frame('metadata', { usage: { inputTokens: 1, outputTokens: 1 } }),
      ];
    }
    case 'openai-responses': {
      const output = [
        { type: 'reasoning', id: 'rs_1', summary: [{ text: 'Hm' }], encrypted_content: signature },
        { type: 'function_call', call_id: call.id, name: call.name, arguments: '{}' },
      ];
      return [sse({ type: 'response.completed', response: { status: 'completed', output } } as object)];
    }
    case 'google-gemini': {
      const parts = [
        { text: 'Hm', thought: true },
        { functionCall: { ...call, args: {} }, thoughtSignature: signature },
      ];
      return [sse({ candidates: [{ content: { parts }, finishReason: 'STOP' }] } as object)];
    }
    case 'openai-chat': {
      const tool_calls = [{ index: 0, id: call.id, function: { name: call.name, arguments: '{}' } }];
      const delta = { reasoning_content: 'Hm', tool_calls };
      return [sse({ choices: [{ delta, finish_reason: 'tool_calls' }] } as object)];
    }
  }
}

const question: MessagesRequest = {
  model: 'a/b',
  max_tokens: 2_000,
  messages: [{ role: 'user', content: 'Look' }],
  tools: [{ name: 'look', input_schema: { type: 'object', properties: {} } }],
};

async function thoughtBy(provider: Provider): Promise<Block[]> {
  async function* body() {
    for (const chunk of answerOf(provider)) yield await Promise.resolve(chunk);
  }
  const assembler = new MessageAssembler();
  const context = { target: targetOf(provider), request: question, estimatedInputTokens: 1 };
  for await (const { events } of messagesWire(provider.wire)!.decode(body(), context)) {
    for (const { data } of events) assembler.add(data);
  }
  return assembler.finish()!.content;
}

async function secondTurn(signer: Provider, asked: Provider): Promise<string> {
  const content = await thoughtBy(signer);
  const { id } = content.find(({ type }) => type === 'tool_use')!;
  const messages: MessagesRequest['messages'] = [
    ...question.messages,
    { role: 'assistant', content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'Seen' }] },
  ];
  const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
  return messagesWire(asked.wire)!.encode({ ...question, messages }, targetOf(asked), client).body;
}

const pairs = providers.flatMap((signer) => providers.map((asked) => ({ signer, asked })));
const isForeign = (a: Provider, b: Provider) => a !== b && (a.family === undefined || a.family !== b.family);

describe('thinking before a call', () => {
  it.each(pairs.filter(({ signer, asked }) => isForeign(signer, asked)))(
    'of $signer.name is sent without a seal to $asked.name',
    async ({ signer, asked }) => {
      const body = await secondTurn(signer, asked);
      const sealed = (await thoughtBy(signer)).map(({ signature, data }) => (signature ?? data) as string | undefined);

      expect(body).not.toContain(secretOf(signer, 'signature'));
      expect(body).not.toContain(secretOf(signer, 'redacted'));
      for (const seal of sealed.filter(Boolean)) expect(body).not.toContain(seal);
      expect(body).not.toContain('gw1.');
      expect(body).toContain('Seen');
    },
  );

  it.each(
    pairs
      .filter(({ signer, asked }) => !isForeign(signer, asked))
      .filter(({ signer }) => signer.wire !== 'openai-chat'),
  )('of $signer.name is sent to $asked.name with its signature', async ({ signer, asked }) => {
    const body = await secondTurn(signer, asked);

    expect(body).toContain(secretOf(signer, 'signature'));
    expect(body).not.toContain('gw1.');
    const hasRedacted = (await thoughtBy(signer)).some(({ type }) => type === 'redacted_thinking');
    if (hasRedacted) expect(body).toContain(secretOf(signer, 'redacted'));
  });

  const insisting = providers.filter(({ quirks = {} }) =>
    /reasoning_content|before_calls/.test(JSON.stringify(quirks)),
  );

  it.each(providers.flatMap((signer) => insisting.map((asked) => ({ signer, asked }))))(
    'of $signer.name is sent to $asked.name as text or placeholder, because a call without thinking is refused',
    async ({ signer, asked }) => {
      const { messages } = JSON.parse(await secondTurn(signer, asked)) as {
        messages: { content: Block[] | null; reasoning_content?: string }[];
      };
      const { content, reasoning_content: reasoning } = messages[1]!;
      const thought = reasoning ?? content?.find(({ type }) => type === 'thinking')?.['thinking'];
      const isReadable = signer.family !== 'claude';

      expect(thought).toBe(isReadable ? 'Hm' : ' ');
    },
  );
});
