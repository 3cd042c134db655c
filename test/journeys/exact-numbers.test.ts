import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';
import { readEvents } from '../support/sse.ts';
import { frames } from '../support/upstream.ts';

/** JSON.parse would round these numbers: an id, a price, a bound. */
const literals = ['9007199254740993', '0.1000000000000000055', '1e400'];
const input = `{"values":[${literals.join(',')}],"plain":1.5}`;

let directory: string;
let upstream: Listening;
let gateway: RunningGateway;
let received = '';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-exact-'));
  upstream = await listen(createServer((request, response) => void answer(request, response)));
  writeCatalog();
  gateway = await startGateway({ args: ['--ephemeral', '--catalog', directory] });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  received = '';
});

/** Answers with a call of a tool with the input, in the format of the requested wire. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  received = await text(request);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(request.url!.endsWith('/chat/completions') ? chatAnswer() : messagesAnswer());
}

const pieces = input.match(/.{1,7}/g)!;

const event = (data: { type: string; [field: string]: unknown }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

function messagesAnswer(): string {
  const block = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
  return [
    frames.start,
    event({ type: 'content_block_start', index: 0, content_block: block }),
    ...pieces.map((json) =>
      event({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } }),
    ),
    frames.end(20),
  ].join('');
}

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

function chatAnswer(): string {
  const call = (more: object) => chunk({ tool_calls: [{ index: 0, ...more }] });
  return [
    call({ id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } }),
    ...pieces.map((json) => call({ function: { arguments: json } })),
    chunk({}, 'tool_calls'),
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 20 } })}\n\n`,
    'data: [DONE]\n\n',
  ].join('');
}

const model = (wire: string) => ({
  id: `test/${wire}`,
  permaslug: `test/${wire}-1`,
  name: wire,
  created: '2026-11-20',
  context_length: 200_000,
  input_modalities: ['text'],
  output_modalities: ['text'],
  supported_parameters: ['tools', 'structured_outputs'],
  endpoints: [
    {
      id: `test/${wire}`,
      provider: wire,
      upstream_model: 'm',
      max_output_tokens: 1_000,
      pricing: { prompt: '0.0001', completion: '0.0002' },
    },
  ],
});

function writeCatalog(): void {
  mkdirSync(join(directory, 'models'));
  const wires = ['anthropic', 'openai-chat'];
  const providers = wires.map((wire) => ({
    id: wire,
    name: wire,
    wire,
    base_url: upstream.url,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
  }));
  writeFileSync(join(directory, 'providers.json'), JSON.stringify({ providers }));
  writeFileSync(join(directory, 'models', 'test.json'), JSON.stringify({ models: wires.map(model) }));
}

const body = (model: string, stream: boolean) => `{
  "model": "${model}", "stream": ${stream}, "max_tokens": 50,
  "messages": [
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_0", "name": "look", "input": ${input}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_0", "content": "ok"}]}
  ],
  "tools": [{"name": "look", "input_schema": {"type": "object", "properties": {"values": {"enum": [${literals.join(',')}]}}}}],
  "output_config": {"format": {"type": "json_schema", "schema": {"type": "number", "enum": [${literals.join(',')}]}}}
}`;

describe.each(['test/anthropic', 'test/openai-chat'])('numbers beyond a double, with %s', (model) => {
  it.each([true, false])('are sent to the provider with all digits (stream: %s)', async (stream) => {
    const response = await post(gateway, '/messages', body(model, stream));
    await response.text();
    expect(response.status).toBe(200);
    const list = literals.join(',');
    // The list of numbers must occur in the history, in the tool and in the format.
    expect(received.split(list)).toHaveLength(4);
    expect(received).toContain(model === 'test/anthropic' ? input : JSON.stringify(input));
  });

  it('are sent to the client in a stream with all digits', async () => {
    const events = await readEvents(await post(gateway, '/messages', body(model, true)));
    const json = events.map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'input_json_delta' ? event.delta.partial_json : '',
    );
    expect(json.join('')).toBe(input);
  });

  it('are sent to the client in a message with all digits', async () => {
    const response = await post(gateway, '/messages', body(model, false));
    expect(await response.text()).toContain(`"input":${input}`);
  });
});
