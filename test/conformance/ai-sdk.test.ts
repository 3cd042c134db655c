import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway, type RunningGateway } from '../support/gateway.ts';

let gateway: RunningGateway;
let anthropic: ReturnType<typeof createAnthropic>;
beforeAll(async () => {
  gateway = await startGateway();
  anthropic = createAnthropic({ baseURL: gateway.baseUrl, apiKey: gateway.key });
});
afterAll(() => gateway.stop());

const weather = tool({
  description: 'Weather of a city',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  }),
  execute: ({ city }) => Promise.resolve(`Sunny in ${city}`),
});
const clock = tool({ inputSchema: jsonSchema<object>({ type: 'object', properties: {} }), execute: () => 'noon' });

/** The strictest client we know: it validates every event and body against a schema. */
describe.each(['sandbox/claude', 'sandbox/gpt', 'sandbox/reasoner'])('the AI SDK with %s', (model) => {
  it('generates text', async () => {
    const { text, usage, finishReason } = await generateText({
      model: anthropic(model),
      prompt: 'Hello there\n@sandbox delay=0',
      maxRetries: 0,
    });
    expect(text).toContain('Hello there');
    expect(finishReason).toBe('stop');
    expect(usage.outputTokens).toBeGreaterThan(5);
  });

  it('streams text and reasoning without a single error part', async () => {
    const result = streamText({
      model: anthropic(model),
      prompt: 'Привет\n@sandbox think delay=0',
      maxRetries: 0,
    });
    const types = new Set<string>();
    let text = '';
    for await (const part of result.fullStream) {
      types.add(part.type);
      if (part.type === 'text-delta') text += part.text;
    }
    expect(types).not.toContain('error');
    expect(types).toContain('reasoning-delta');
    expect(text).toContain('Привет');
    expect(await result.finishReason).toBe('stop');
  });

  it('runs parallel tools', async () => {
    const result = streamText({
      model: anthropic(model),
      prompt: 'Weather and time?\n@sandbox tools=2 delay=0',
      tools: { get_weather: weather, get_time: clock },
      maxRetries: 0,
    });
    const results: unknown[] = [];
    for await (const part of result.fullStream) if (part.type === 'tool-result') results.push(part.output);
    expect(results).toEqual(['Sunny in Москва', 'noon']);
    expect(await result.finishReason).toBe('tool-calls');
  });

  it('is told of an error before the first byte', async () => {
    await expect(
      generateText({ model: anthropic(model), prompt: 'x\n@sandbox error=529', maxRetries: 0 }),
    ).rejects.toMatchObject({ statusCode: 529, isRetryable: true });
  });

  it('is told of an error inside the stream', async () => {
    const result = streamText({
      model: anthropic(model),
      prompt: 'x\n@sandbox fail delay=0',
      maxRetries: 0,
      onError: () => {},
    });
    const errors: unknown[] = [];
    for await (const part of result.fullStream) if (part.type === 'error') errors.push(part.error);
    expect(errors).toHaveLength(1);
  });
});
