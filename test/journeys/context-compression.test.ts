import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textModel } from '../support/catalog.ts';
import { askFor, startScriptedGateway, type ScriptedGateway } from '../support/scripted-gateway.ts';

const MARKER = 'The last question is what remains.';
const CONTEXT_TOKENS = 3_500;

let scripted: ScriptedGateway;
let marker: string;
let sent: string[];
beforeAll(async () => {
  const endpoint = {
    pricing: { prompt: '0.001', completion: '0.002' },
    context_length: CONTEXT_TOKENS,
    max_output_tokens: 500,
  };
  scripted = await startScriptedGateway({
    providers: [{ id: 'chatty', wire: 'openai-chat' }],
    models: [textModel('test/short', [{ provider: 'chatty', ...endpoint }])],
  });
  sent = [];
  marker = scripted.behaves(async ({ dialect, body, begin, send, finish }) => {
    sent.push(body);
    await begin();
    await send(dialect.opening() + dialect.text('Fine.') + dialect.reason() + dialect.stop);
    await finish();
  });
});
afterAll(() => scripted.stop());

/** Returns a conversation of about 4,000 tokens: numbered turns, and the question that the provider recognizes. */
function longTalk() {
  const turns = Array.from({ length: 40 }, (_, turn) => [
    { role: 'user' as const, content: `Turn ${turn}: ${'what do you think of that? '.repeat(8)}` },
    { role: 'assistant' as const, content: `Answer ${turn}: ${'I think that it is fine. '.repeat(8)}` },
  ]);
  return [...turns.flat(), { role: 'user' as const, content: `${MARKER} ${marker}` }];
}

const ask = (more: object) => askFor(scripted.gateway, { model: 'test/short', messages: longTalk(), ...more });

interface Refusal {
  error: { message: string; metadata: { field?: string } };
}

describe('a conversation above the context of its model', () => {
  it.each<[string, object]>([
    ['the plugin', { plugins: [{ id: 'context-compression' }] }],
    ['its older spelling', { transforms: ['middle-out'] }],
  ])('loses its middle with %s', async (_name, asked) => {
    const { status } = await ask(asked);

    expect(status).toBe(200);
    const { messages, ...besides } = JSON.parse(sent.at(-1)!) as { messages: { content: string }[] };
    const words = messages.map(({ content }) => content);
    expect(words[0]).toMatch(/^Turn 0:/);
    expect(words.at(-1)).toContain(MARKER);
    expect(words.length).toBeGreaterThan(10);
    expect(words.length).toBeLessThan(81);
    expect(JSON.stringify(besides)).not.toMatch(/plugins|transforms/);
  });

  it.each<[string, object]>([
    ['compression is not requested', {}],
    ['the plugin is switched off', { plugins: [{ id: 'context-compression', enabled: false }], transforms: [] }],
  ])('is sent completely if %s', async (_name, asked) => {
    await ask(asked);

    expect((JSON.parse(sent.at(-1)!) as { messages: unknown[] }).messages).toHaveLength(81);
  });

  it('is refused if the required parts do not fit', async () => {
    const response = await ask({
      plugins: [{ id: 'context-compression' }],
      system: 'Remember this well. '.repeat(800),
    });
    const { error } = (await response.json()) as Refusal;

    expect([response.status, error.metadata.field]).toEqual([400, 'messages']);
    expect(error.message).toContain('cannot leave out');
  });

  it('is shortened for an SDK client that streams', async () => {
    const client = new Anthropic({ baseURL: scripted.gateway.anthropicUrl, apiKey: scripted.gateway.key });
    const params = { model: 'test/short', max_tokens: 50, messages: longTalk(), transforms: ['middle-out'] };

    const message = await client.messages.stream(params).finalMessage();

    expect(message.content).toEqual([{ type: 'text', text: 'Fine.' }]);
  });
});

describe('a short conversation with context compression', () => {
  it('is sent unchanged', async () => {
    await ask({ messages: [{ role: 'user', content: marker }], plugins: [{ id: 'context-compression' }] });

    expect((JSON.parse(sent.at(-1)!) as { messages: unknown[] }).messages).toHaveLength(1);
  });
});

describe('an unknown plugin', () => {
  it.each<[object, string]>([
    [{ plugins: [{ id: 'file-parser', enabled: false }] }, 'plugins.0.id'],
    [{ plugins: [{ id: 'context-compression', engine: 'inside-out' }] }, 'plugins.0.engine'],
    [{ plugins: [{ id: 'context-compression', keep: 5 }] }, 'plugins.0.keep'],
    [{ transforms: ['upside-down'] }, 'transforms.0'],
  ])('is refused by name: %j', async (asked, field) => {
    const response = await ask(asked);
    const { error } = (await response.json()) as Refusal;

    expect([response.status, error.metadata.field]).toEqual([400, field]);
  });
});
