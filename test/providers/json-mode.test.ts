import { describe, expect, it } from 'vitest';
import { chatRequestSchema } from '../../lambdas/client-apis/chat/request.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import { loadShippedCatalog } from '../support/catalog.ts';

const { models } = loadShippedCatalog();
const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];

/** Returns the body that an endpoint gets for a request for a JSON object. */
function sentTo(model: string, provider: string, more: object = {}): Record<string, unknown> {
  const { endpoints } = models.find(({ id }) => id === model)!;
  const endpoint = endpoints.find((one) => one.provider.id === provider)!;
  const { wire, quirks, upstreamModel, maxOutputTokens, supportedParameters } = endpoint;
  const messages = [{ role: 'user', content: 'Hi' }];
  const { message } = chatRequestSchema.parse({ model, messages, response_format: { type: 'json_object' }, ...more });
  const target = { providerId: provider, upstreamModel, maxOutputTokens, supportedParameters, quirks };
  return JSON.parse(messagesWire(wire)!.encode(message, target, client).body) as Record<string, unknown>;
}

describe('a request for a JSON object', () => {
  it.each([
    ['openai/gpt-4.1', 'openai', { response_format: { type: 'json_object' } }],
    ['mistralai/mistral-large-2512', 'mistral', { response_format: { type: 'json_object' } }],
    ['moonshotai/kimi-k2.6', 'moonshotai', { response_format: { type: 'json_object' } }],
    ['openai/gpt-5.5', 'openai', { text: { format: { type: 'json_object' } } }],
    ['google/gemini-2.5-flash', 'google', { generationConfig: { responseMimeType: 'application/json' } }],
  ])('uses the JSON mode of %s at %s', (model, provider, expected) => {
    expect(sentTo(model, provider)).toMatchObject(expected);
    expect(JSON.stringify(sentTo(model, provider))).toContain('a single JSON object');
  });

  it.each([
    ['anthropic/claude-sonnet-4.6', 'anthropic'],
    ['amazon/nova-pro-v1', 'amazon-bedrock'],
    // Groq has no JSON mode in streams, Alibaba none next to thinking, DeepSeek returns blanks instead of other text, and nothing
    // is known of Meta.
    ['openai/gpt-oss-120b', 'groq'],
    ['qwen/qwen3.6-27b', 'alibaba'],
    ['deepseek/deepseek-v4-pro', 'deepseek'],
    ['meta/muse-spark-1.3', 'meta'],
  ])('reaches %s at %s only in the prompt', (model, provider) => {
    const sent = sentTo(model, provider);

    expect(JSON.stringify(sent)).toContain('a single JSON object');
    expect(JSON.stringify(sent)).not.toContain('json_object');
    expect(sent).not.toHaveProperty('output_config');
  });

  it.each([
    ['openai/gpt-4.1', 'openai'],
    ['openai/gpt-5.5', 'openai'],
    ['google/gemini-2.5-flash', 'google'],
  ])('reaches %s at %s only in the prompt if there are tools', (model, provider) => {
    const sent = JSON.stringify(sentTo(model, provider, { tools }));

    expect(sent).toContain('a single JSON object');
    expect(sent).not.toMatch(/json_object|application\/json/);
  });

  it('has its instruction in the input of the Responses API, where OpenAI looks for the word JSON', () => {
    const { input, instructions } = sentTo('openai/gpt-5.5', 'openai') as { input: object[]; instructions?: string };

    expect(instructions).toBeUndefined();
    expect(input).toMatchObject([
      { role: 'developer', content: [{ text: expect.stringContaining('JSON') as string }] },
      { role: 'user' },
    ]);
  });
});
