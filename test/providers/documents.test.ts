import { describe, expect, it } from 'vitest';
import type { Endpoint, Model } from '../../lambdas/catalog/catalog.ts';
import type { OpenaiChatQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import { encodeChatRequest } from '../../lambdas/providers/openai-chat/encode.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const pdf = {
  type: 'document',
  title: 'Terms',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
};
const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const request = (model: string) => ({ model, max_tokens: 10, messages: [{ role: 'user' as const, content: [pdf] }] });
const target = (quirks: OpenaiChatQuirks, upstreamModel = 'm', supportedParameters: string[] = []) => ({
  providerId: 'test',
  upstreamModel,
  maxOutputTokens: 100,
  supportedParameters,
  quirks,
});

const encodeFor = ({ data }: Model, { wire, quirks, upstreamModel }: Endpoint) =>
  messagesWire(wire)!.encode(request(data.id), target(quirks, upstreamModel, data.supported_parameters), client);

const part = (quirks: OpenaiChatQuirks) => {
  const { messages } = encodeChatRequest(request('a/b'), target(quirks)) as { messages: { content: unknown }[] };
  return messages[0]!.content;
};

describe('a PDF document', () => {
  const models = loadShippedCatalog().models.filter(
    ({ data }) => data.output_modalities.includes('text') && data.input_modalities.includes('file'),
  );

  it.each(models)('can be sent to $id, which lists files as its input', (model) => {
    const taking = model.endpoints.filter(({ inputModalities }) => inputModalities.includes('file'));
    expect(taking.length).toBeGreaterThan(0);
    for (const endpoint of taking) expect(encodeFor(model, endpoint).body).toContain('JVBERi0=');
  });

  it('is sent as a file', () => {
    expect(part({ pdf_files: true })).toEqual([
      { type: 'file', file: { filename: 'Terms.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ]);
  });

  it.each([
    ['openai-chat', { pdf_files: true }],
    ['openai-responses', { pdf_files: true }],
    ['google-gemini', {}],
  ] as const)('has its title and context before it, over %s', (wire, quirks) => {
    const messages = [{ role: 'user' as const, content: [{ ...pdf, context: 'Signed in May' }] }];
    const { body } = messagesWire(wire)!.encode({ model: 'm', messages }, target(quirks), client);

    expect(body).toMatch(/Terms[^]*Signed in May[^]*JVBERi0=/);
  });

  it('has its context also in a tool result', () => {
    const result = { type: 'tool_result', tool_use_id: 't', content: [{ ...pdf, context: 'Signed in May' }] };
    const messages = [
      { role: 'assistant' as const, content: [{ type: 'tool_use', id: 't', name: 'find', input: {} }] },
      { role: 'user' as const, content: [result] },
    ];
    for (const wire of ['openai-chat', 'openai-responses', 'google-gemini'] as const) {
      const { body } = messagesWire(wire)!.encode({ model: 'm', messages }, target({ pdf_files: true }), client);
      expect(body).toContain('Signed in May');
    }
  });

  it('is refused by name if the provider does not support files', () => {
    expect(() => part({})).toThrow('messages.0.content.0.source.type');
  });
});
