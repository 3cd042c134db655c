import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AnthropicQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { UnsupportedPart } from '../../lambdas/catalog/quirk-values.ts';
import type { Block, Message } from '../../lambdas/messages/types.ts';
import { anthropicWire } from '../../lambdas/providers/anthropic/wire.ts';
import { anthropicFake, bedrockInvokeFake, vertexClaudeFake } from '../strict/anthropic.ts';
import type { StrictFake } from '../strict/rules.ts';
import { shippedQuirks } from '../support/catalog.ts';
import { refused } from '../support/refused.ts';

const target = {
  providerId: 'anthropic',
  upstreamModel: 'claude',
  maxOutputTokens: 10_000,
  supportedParameters: [],
  quirks: { count_tokens: true },
};
const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

const withBudget = (budget_tokens: number, more: object = {}) => ({
  model: 'anthropic/claude',
  messages: [{ role: 'user' as const, content: 'Hi' }],
  thinking: { type: 'enabled' as const, budget_tokens },
  ...more,
});
const sent = (...asked: Parameters<typeof anthropicWire.encode>) =>
  (JSON.parse(anthropicWire.encode(...asked).body) as { thinking: object }).thinking;

it.each([
  ['anthropic', anthropicFake, undefined],
  ['bedrock', bedrockInvokeFake, 'bedrock-invoke' as const],
])('the older output_format becomes output_config.format at %s', (_, fake, envelope) => {
  const format = { type: 'json_schema', schema: { type: 'object', additionalProperties: false } };
  const request = { ...withBudget(2_000), output_format: format, output_config: { effort: 'low' as const } };
  const encoded = anthropicWire.encode(request, { ...target, quirks: envelope ? { envelope } : {} }, client);

  expect(fake.refusals(encoded, 'claude-opus-4-6')).toEqual([]);
  expect(JSON.parse(encoded.body)).toMatchObject({ output_config: { effort: 'low', format } });
});

describe('a thinking budget', () => {
  it.each([undefined, 20_000])('is lowered to the output limit of the model, with max_tokens %s', (max_tokens) => {
    expect(sent(withBudget(12_000, { max_tokens }), target, client)).toMatchObject({ budget_tokens: 9_999 });
  });

  it("is refused if it is not below the client's max_tokens", () => {
    expect(() => sent(withBudget(5_000, { max_tokens: 5_000 }), target, client)).toThrow('thinking.budget_tokens');
  });

  it('may be larger if the model thinks between calls', () => {
    const interleaved = { ...client, anthropicBeta: 'interleaved-thinking-2025-05-14' };
    const request = withBudget(6_000, { max_tokens: 5_000 });
    expect(sent(request, target, interleaved)).toMatchObject({ budget_tokens: 6_000 });
  });
});

const sentAt = (thinking_forms: AnthropicQuirks['thinking_forms'], model: string, thinking: object) => {
  const request = { ...withBudget(2_000), thinking: thinking as { type: 'enabled' } };
  const encoded = anthropicWire.encode(request, { ...target, quirks: { thinking_forms } }, client);
  expect(anthropicFake.refusals(encoded, model)).toEqual([]);
  return (JSON.parse(encoded.body) as { thinking: object }).thinking;
};

describe('a thinking setting', () => {
  const later = ['claude-opus-4-8', ['adaptive', 'disabled']] as const;
  const middle = ['claude-sonnet-4-6', ['adaptive', 'budget', 'disabled']] as const;
  const earlier = ['claude-haiku-4-5', ['budget', 'disabled']] as const;

  it.each([
    [
      ...later,
      { type: 'adaptive', budget_tokens: 2_000, display: 'omitted' },
      { type: 'adaptive', display: 'omitted' },
    ],
    [...middle, { type: 'adaptive', budget_tokens: 2_000 }, { type: 'adaptive' }],
    [...later, { type: 'disabled', budget_tokens: 2_000 }, { type: 'disabled' }],
    [...earlier, { type: 'disabled', display: 'omitted' }, { type: 'disabled' }],
    [...middle, { type: 'enabled' }, { type: 'adaptive' }],
    [...earlier, { type: 'enabled' }, { type: 'enabled', budget_tokens: 5_000 }],
  ])('has for %s with the forms %j only members that its type has: %j', (model, forms, asked, expected) => {
    expect(sentAt([...forms], model, asked)).toEqual(expected);
  });

  it('may lack a budget on a service of another provider', () => {
    const quirks: AnthropicQuirks = { thinking_forms: ['budget', 'disabled'], own_signatures: true };
    const request = { ...withBudget(2_000), thinking: { type: 'enabled' as const } };
    expect(sent(request, { ...target, quirks }, client)).toEqual({ type: 'enabled' });
  });
});

describe('a turn that continues after tool results', () => {
  const claude = { ...target, quirks: { thinking_forms: ['budget' as const, 'disabled' as const] } };
  const call = { type: 'tool_use', id: 't1', name: 'look', input: {} };
  const result = { role: 'user' as const, content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Water.' }] };
  const signed = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' };
  const foreign = { type: 'thinking', thinking: 'Hm.', signature: 'gw1.openai-chat' };
  const asked = { role: 'user' as const, content: 'What is there?' };
  const ends = { role: 'user' as const, content: 'And now?' };
  const turn = (...content: object[]) => ({ role: 'assistant' as const, content: content as (typeof call)[] });
  const again = { ...result, content: [{ type: 'tool_result', tool_use_id: 't2', content: 'Ice.' }] };
  const second = { ...call, id: 't2' };

  it.each([
    ['enabled', 'begins with thinking', [asked, turn(signed, call), result]],
    ['enabled', 'began with thinking', [asked, turn(signed, call), result, turn(second), again]],
    ['enabled', 'is over', [asked, turn(call), result, turn({ type: 'text', text: 'Water.' }), ends]],
    ['disabled', 'has no earlier thinking', [asked, turn(call), result]],
    ['disabled', 'has only thinking of another model', [asked, turn(foreign, call), result]],
    ['disabled', 'has thinking only after its first call', [asked, turn(call), result, turn(signed, second), again]],
    ['disabled', 'has text next to its results', [asked, turn(call), result, ends]],
    [
      'disabled',
      'has text after its results',
      [asked, turn(call), { ...result, content: [...result.content, { type: 'text', text: 'On.' }] }],
    ],
  ])('has thinking %s if it %s', (type, _case, messages) => {
    expect(sent(withBudget(2_000, { messages }), claude, client)).toMatchObject({ type });
  });

  it('has adaptive thinking on a model that supports it', () => {
    const quirks = { thinking_forms: ['adaptive' as const, 'budget' as const] };
    const request = withBudget(2_000, { messages: [asked, turn(call), result] });
    expect(sent(request, { ...target, quirks }, client)).toEqual({ type: 'adaptive' });
  });

  it('has thinking on another provider with the Messages API, which does not require earlier thinking', () => {
    const imitation = { ...claude, quirks: { ...claude.quirks, own_signatures: true } };
    expect(sent(withBudget(2_000, { messages: [asked, turn(call), result] }), imitation, client)).toMatchObject({
      type: 'enabled',
    });
  });
});

const begun = (...content: object[]) => ({
  ...withBudget(2_000, { thinking: undefined }),
  messages: [
    { role: 'user' as const, content: 'Hi' },
    { role: 'assistant' as const, content: content as { type: string }[] },
  ],
});

const lastOf = (request: ReturnType<typeof begun>) =>
  (JSON.parse(anthropicWire.encode(request, target, client).body) as { messages: object[] }).messages.at(-1);

describe('a prefilled answer', () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' };

  it('has no thinking on a model that does not think by default', () => {
    const words = { type: 'text', text: 'The' };
    expect(lastOf(begun(thought, words))).toEqual({ role: 'assistant', content: [words] });
  });

  it('is not detected from thinking alone', () => {
    expect(lastOf(begun(thought))).toEqual({ role: 'user', content: 'Hi' });
  });
});

const markSent = (quirks: object) => {
  const cache_control = { type: 'ephemeral', ttl: '1h', scope: 'global' };
  const content = [{ type: 'text', text: 'Hi', cache_control }];
  const request = { ...withBudget(1, { thinking: undefined }), messages: [{ role: 'user' as const, content }] };
  const { body } = anthropicWire.encode(request, { ...target, quirks }, client);
  return (JSON.parse(body) as { messages: { content: { cache_control: object }[] }[] }).messages[0]!.content[0]!
    .cache_control;
};

describe('cache marks', () => {
  it("keep fields of Anthropic's own service only there", () => {
    expect(markSent({ own_service: true })).toEqual({ type: 'ephemeral', ttl: '1h', scope: 'global' });
    expect(markSent({ envelope: 'bedrock-invoke' })).toEqual({ type: 'ephemeral', ttl: '1h' });
  });

  it('move from a deferred tool to the last tool that is not deferred', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const look = { name: 'look', input_schema: { type: 'object' } };
    const later = { name: 'later', input_schema: { type: 'object' }, defer_loading: true };
    const tools = [look, later, { ...later, name: 'last', cache_control }];
    const { body } = anthropicWire.encode({ ...withBudget(1, { thinking: undefined }), tools }, target, client);
    const sent = (JSON.parse(body) as { tools: object[] }).tools;
    expect(sent).toEqual([{ ...look, cache_control }, later, { ...later, name: 'last' }]);
  });
});

describe('the result of a failed tool', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } };
  const call = { type: 'tool_use', id: 't1', name: 'shoot', input: {} };
  const resultSent = (is_error: boolean, part: Block = image) => {
    const content = [
      { type: 'tool_result', tool_use_id: 't1', is_error, content: [{ type: 'text', text: 'No.' }, part] },
    ];
    const messages = [
      { role: 'user' as const, content: 'Hi' },
      { role: 'assistant' as const, content: [call] },
      { role: 'user' as const, content },
    ];
    const { body } = anthropicWire.encode(withBudget(1, { thinking: undefined, messages }), target, client);
    return (JSON.parse(body) as { messages: { content: unknown[] }[] }).messages[2]!.content;
  };

  it('has only texts, with its other parts after it', () => {
    expect(resultSent(true)).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 't1',
        is_error: true,
        content: [
          { type: 'text', text: 'No.' },
          { type: 'text', text: '(the image of this result follows)' },
        ],
      },
      image,
    ]);
  });

  it('has the name of a tool instead of a reference to it', () => {
    expect(resultSent(true, { type: 'tool_reference', tool_name: 'write' })).toMatchObject([
      { content: [{ text: 'No.' }, { type: 'text', text: '(the tool write)' }] },
    ]);
  });

  it('is unchanged if the tool did not fail', () => {
    expect(resultSent(false)).toMatchObject([{ content: [{ type: 'text' }, image] }]);
  });
});

describe('a request for a count of tokens', () => {
  it('has no fields that only affect generation, because the API refuses unknown fields', () => {
    const kept = { messages: [{ role: 'user' as const, content: 'Hi' }], system: 'Be short.', speed: 'standard' };
    const request = {
      model: 'anthropic/claude',
      ...kept,
      max_tokens: 5,
      stop_sequences: ['END'],
      stream: true,
      metadata: { user_id: 'u' },
      temperature: 1,
      top_p: 1,
      top_k: 1,
      service_tier: 'auto',
      inference_geo: 'global',
      diagnostics: { previous_message_id: 'm' },
    };
    expect(JSON.parse(anthropicWire.encodeCount(request, target, client)!.body)).toEqual({ model: 'claude', ...kept });
  });
});

it.each([undefined, 'bedrock-invoke', 'vertex-predict'] as const)(
  'diagnostics that name an answer by the id of the gateway are not sent over the envelope %s',
  (envelope) => {
    const request = {
      model: 'anthropic/claude',
      messages: [{ role: 'user' as const, content: 'Hi' }],
      diagnostics: { previous_message_id: 'gen-1' },
    };
    const { body } = anthropicWire.encode(request, { ...target, quirks: envelope ? { envelope } : {} }, client);
    expect(JSON.parse(body)).not.toHaveProperty('diagnostics');
  },
);

it('a null in a result or in a tool choice is not sent', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: null, is_error: null };
  const request = {
    model: 'anthropic/claude',
    messages: [
      { role: 'assistant' as const, content: [call] },
      { role: 'user' as const, content: [result] },
    ],
    tools: [{ name: 'look', input_schema: {} }],
    tool_choice: { type: 'auto', name: null } as object as { type: 'auto' },
  };

  expect(anthropicWire.encode(request, target, client).body).not.toContain('null');
});

it.each<[AnthropicQuirks, StrictFake]>([
  [{}, anthropicFake],
  [{ envelope: 'bedrock-invoke' }, bedrockInvokeFake],
  [{ lacks: ['disable_parallel_tool_use'] }, anthropicFake],
])('a choice of no tool is sent without the limit to one call: %j', (quirks, fake) => {
  const request = {
    model: 'anthropic/claude',
    messages: [{ role: 'user' as const, content: 'Hi' }],
    tools: [{ name: 'look', input_schema: { type: 'object' } }],
    tool_choice: { type: 'none' as const, disable_parallel_tool_use: true },
  };
  const sent = anthropicWire.encode(request, { ...target, quirks }, client);

  expect(fake.refusals(sent, 'claude-opus-4-8')).toEqual([]);
  expect(JSON.parse(sent.body)).toMatchObject({ tool_choice: { type: 'none' } });
});

describe('the id of an end user', () => {
  it('is sent as a digest, without the other members of metadata', () => {
    const metadata = { user_id: 'ann@example.org', more: 1 };
    const request = { model: 'anthropic/claude', messages: [{ role: 'user' as const, content: 'Hi' }], metadata };
    const digest = createHash('sha256').update('ann@example.org').digest('hex');

    expect(JSON.parse(anthropicWire.encode(request, target, client).body).metadata).toEqual({
      user_id: digest,
    });
  });
});

describe('betas in a body', () => {
  const request = {
    model: 'anthropic/claude',
    messages: [{ role: 'user' as const, content: 'Hi' }],
    max_tokens: 5,
    betas: ['b-2', 'a-1'],
  };
  const withBetas = { ...client, anthropicBeta: 'a-1' };

  it('are sent to Anthropic in the header, with those of the header', () => {
    const { headers, body } = anthropicWire.encode(request, target, withBetas);

    expect(headers).toMatchObject({ 'anthropic-beta': 'a-1,b-2' });
    expect(JSON.parse(body)).not.toHaveProperty('betas');
  });

  it('are sent with a count as well', () => {
    const counting = { ...target, quirks: { count_tokens: true } };
    const { headers, body } = anthropicWire.encodeCount(request, counting, withBetas)!;

    expect(headers).toMatchObject({ 'anthropic-beta': 'a-1,b-2' });
    expect(JSON.parse(body)).not.toHaveProperty('betas');
  });

  it('are sent with a count only if the endpoint accepts them', () => {
    const counting = { ...target, quirks: { count_tokens: true, betas: ['c-3'] } };
    const sent = { ...request, betas: [...request.betas, 'c-3'] };

    expect(anthropicWire.encodeCount(sent, counting, withBetas)!.headers).toMatchObject({ 'anthropic-beta': 'c-3' });
  });

  it('do not appear twice in an envelope, and neither does the version', () => {
    const smuggled = { ...request, betas: [], anthropic_beta: ['fast-mode-2026-02-01'], anthropic_version: 'x' };
    const bodies = (['bedrock-invoke', 'vertex-predict'] as const).map(
      (envelope) =>
        anthropicWire.encode(
          smuggled,
          { ...target, quirks: { envelope, betas: ['z-1'] } },
          { ...client, anthropicBeta: 'z-1' },
        ).body,
    );

    expect(bodies.map((body) => JSON.parse(body) as object)).toMatchObject([
      { anthropic_version: 'bedrock-2023-05-31', anthropic_beta: ['z-1'] },
      { anthropic_version: 'vertex-2023-10-16' },
    ]);
  });
});

describe('a cache mark of the whole request', () => {
  const bodyAt = (quirks: AnthropicQuirks, messages: Message[]) =>
    JSON.parse(
      anthropicWire.encode({ model: 'a', messages, cache_control: mark }, { ...target, quirks }, client).body,
    ) as { cache_control?: object; messages: Message[] };
  const mark = { type: 'ephemeral', ttl: '1h' };
  const hi = { role: 'user' as const, content: 'Hi' };

  it('stays at Anthropic', () => {
    expect(bodyAt({ own_service: true }, [hi])).toMatchObject({ cache_control: mark, messages: [hi] });
  });

  it.each<[string, Block[] | string, Block[] | string]>([
    ['text', 'Hi', [{ type: 'text', text: 'Hi', cache_control: mark }]],
    [
      'text without a mark of its own',
      [{ type: 'text', text: 'Hi', cache_control: null }],
      [{ type: 'text', text: 'Hi', cache_control: mark }],
    ],
    [
      'a block with its own mark',
      [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
      [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
    ],
  ])('moves to the last block at other hosts, if the last message is %s', (_, content, expected) => {
    for (const quirks of [{ envelope: 'bedrock-invoke' }, { envelope: 'vertex-predict' }] as const) {
      const body = bodyAt(quirks, [hi, { role: 'assistant', content: 'Yes?' }, { role: 'user', content }]);

      expect(body.messages.at(-1)).toEqual({ role: 'user', content: expected });
      expect(body).not.toHaveProperty('cache_control');
    }
  });
});

describe('a request to another host of Claude', () => {
  const request = {
    model: 'anthropic/claude',
    messages: [{ role: 'user' as const, content: 'Hi' }],
    max_tokens: 5,
    stream: false,
    service_tier: 'auto',
    betas: ['context-management-2025-06-27'],
  };
  const withBetas = {
    ...client,
    anthropicBeta: 'fine-grained-tool-streaming-2025-05-14, context-management-2025-06-27',
  };
  const at = (envelope: 'bedrock-invoke' | 'vertex-predict') => {
    const home = { ...target, upstreamModel: 'global.anthropic.claude-test-v1:0', quirks: { envelope } };
    const { body, ...rest } = anthropicWire.encode(request, home, withBetas);
    return { ...rest, body: JSON.parse(body) as object };
  };

  it('is in the form of Bedrock’s InvokeModel', () => {
    expect(at('bedrock-invoke')).toEqual({
      path: '/model/global.anthropic.claude-test-v1%3A0/invoke-with-response-stream',
      headers: { 'content-type': 'application/json', accept: 'application/vnd.amazon.eventstream' },
      body: {
        anthropic_version: 'bedrock-2023-05-31',
        messages: request.messages,
        max_tokens: 5,
      },
    });
  });

  it('is in the form of Google Cloud', () => {
    expect(at('vertex-predict')).toEqual({
      path: '/publishers/anthropic/models/global.anthropic.claude-test-v1%3A0:streamRawPredict',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'anthropic-beta': 'fine-grained-tool-streaming-2025-05-14,context-management-2025-06-27',
      },
      body: { anthropic_version: 'vertex-2023-10-16', messages: request.messages, max_tokens: 5, stream: true },
    });
  });

  it('has only betas and tool fields that Google Cloud accepts, although Claude Code sends others', () => {
    const home = { ...target, quirks: shippedQuirks('google-vertex-anthropic') as AnthropicQuirks };
    const anthropicBeta =
      'claude-code-20250219,prompt-caching-scope-2026-01-05,effort-2025-11-24,advanced-tool-use-2025-11-20';
    const tools = [{ name: 'look', input_schema: { type: 'object' }, eager_input_streaming: true }];
    const sent = anthropicWire.encode({ ...request, tools }, home, { ...client, anthropicBeta });
    expect(vertexClaudeFake.refusals(sent, 'claude-opus-4-8')).toEqual([]);
    expect(sent.headers['anthropic-beta']).toBe('tool-search-tool-2025-10-19,context-management-2025-06-27');
  });
});

describe('a task budget', () => {
  const task_budget = { type: 'tokens', total: 64_000 };
  const request = { model: 'a', messages: [{ role: 'user' as const, content: 'Hi' }], max_tokens: 5 };
  const withBeta = { ...client, anthropicBeta: 'task-budgets-2026-03-13' };
  const configAt = (quirks: AnthropicQuirks, fake: StrictFake, output_config: Record<string, unknown>) => {
    const sent = anthropicWire.encode({ ...request, output_config }, { ...target, quirks }, withBeta);
    expect(fake.refusals(sent, 'claude-opus-4-8')).toEqual([]);
    return (JSON.parse(sent.body) as { output_config?: object }).output_config;
  };

  it('is sent to an endpoint that accepts its beta', () => {
    expect(configAt({}, anthropicFake, { task_budget, effort: 'high' })).toEqual({ task_budget, effort: 'high' });
  });

  it.each([
    ['Bedrock', { envelope: 'bedrock-invoke' as const }, bedrockInvokeFake],
    ['Google Cloud', shippedQuirks('google-vertex-anthropic') as AnthropicQuirks, vertexClaudeFake],
  ])('is not sent to %s, which does not get its beta', (_name, quirks, fake) => {
    expect(configAt(quirks, fake, { task_budget, effort: 'high' })).toEqual({ effort: 'high' });
    expect(configAt(quirks, fake, { task_budget })).toBeUndefined();
  });
});

describe('a request to a provider without a feature', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } };
  const cases: [UnsupportedPart, string, object][] = [
    ['image', 'messages.0.content.0.type', { messages: [{ role: 'user', content: [image] }] }],
    ['url_source', 'messages.0.content.0.source.type', { messages: [{ role: 'user', content: [image] }] }],
    [
      'file_source',
      'messages.0.content.0.source.type',
      { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] }] },
    ],
    [
      'image',
      'messages.1.content.0.content.0.type',
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [image] }] },
        ],
      },
    ],
    ['document', 'messages.0.content.0.type', { messages: [{ role: 'user', content: [{ type: 'document' }] }] }],
    [
      'citations',
      'messages.0.content.0.citations.enabled',
      { messages: [{ role: 'user', content: [{ type: 'document', citations: { enabled: true } }] }] },
    ],
    ['temperature', 'temperature', { temperature: 0.5 }],
    ['top_k', 'top_k', { top_k: 5 }],
    [
      'assistant_prefill',
      'messages.1.role',
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: 'b' },
        ],
      },
    ],
    ['stop_sequences', 'stop_sequences', { stop_sequences: ['END'] }],
    ['output_format', 'output_config.format', { output_config: { format: { type: 'json_schema', schema: {} } } }],
    ['strict', 'tools.1.strict', { tools: [{ name: 'a' }, { name: 'b', strict: true }] }],
    ['typed_tools', 'tools.0.type', { tools: [{ name: 'bash', type: 'bash_20250124' }] }],
    [
      'disable_parallel_tool_use',
      'tool_choice.disable_parallel_tool_use',
      { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    ],
  ];

  it.each(cases)('is refused if it has %s', (part, field, more) => {
    const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }], ...more };
    const listing = { ...target, supportedParameters: ['temperature', 'top_k'] };
    const lacking = { ...listing, quirks: { lacks: [part] } };

    expect(refused(() => anthropicWire.encode(request, lacking, client)).metadata['field']).toBe(field);
    expect(() => anthropicWire.encode(request, listing, client)).not.toThrow();
  });
});

describe('a conversation that ends with a call', () => {
  it.each([
    [{ lacks: ['assistant_prefill' as const] }],
    [{ thinking_forms: ['adaptive' as const], thinks_by_default: true }],
  ])('is no begun answer, because the call gets a result: %j', (quirks) => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
    const messages: Message[] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [call] },
    ];
    const encoded = anthropicWire.encode({ model: 'm', messages }, { ...target, quirks }, client);

    const [, , results] = (JSON.parse(encoded.body) as { messages: Message[] }).messages;
    expect(results).toMatchObject({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] });
  });
});

const bodyOf = (more: object) =>
  JSON.parse(
    anthropicWire.encode({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more }, target, client).body,
  ) as Record<string, unknown>;

describe('tools of a request', () => {
  it.each([undefined, []])('have no tool_choice if there are none: %j', (tools) => {
    expect(bodyOf({ tools, tool_choice: { type: 'auto' } })).not.toHaveProperty('tool_choice');
    expect(bodyOf({ tools, tool_choice: { type: 'none' } })).not.toHaveProperty('tool_choice');
    expect(() => bodyOf({ tools, tool_choice: { type: 'any' } })).toThrow('tool_choice.type: ');
  });

  it('have no nulls, which the API accepts in few of their fields', () => {
    const look = {
      name: 'look',
      description: null,
      input_schema: { type: 'object' },
      strict: null,
      cache_control: null,
    };

    expect(bodyOf({ tools: [look] })['tools']).toEqual([{ name: 'look', input_schema: { type: 'object' } }]);
  });

  it('have no argument names that Claude refuses: the description has them', () => {
    const properties = { id: { type: 'integer' }, 'filter[id]': { type: 'string' } };
    const input_schema = { type: 'object', properties, required: ['id', 'filter[id]'], additionalProperties: false };
    expect(bodyOf({ tools: [{ name: 'look', input_schema }] })['tools']).toMatchObject([
      {
        input_schema: {
          type: 'object',
          description: 'Constraints: {"properties":{"filter[id]":{"type":"string"}},"required":["filter[id]"]}',
          properties: { id: { type: 'integer' } },
          required: ['id'],
        },
      },
    ]);
    expect(() => bodyOf({ tools: [{ name: 'look', input_schema, strict: true }] })).toThrow('tools.0.strict');
  });

  it('have all argument names on another model with the Messages API', () => {
    const minimax = { ...target, providerId: 'minimax', quirks: { own_signatures: true } };
    const properties = { город: { type: 'string' } };
    const input_schema = { type: 'object', properties, required: ['город'], additionalProperties: false };
    const tools = [
      { name: 'look', input_schema },
      { name: 'find', input_schema, strict: true },
    ];

    const request = { model: 'minimax/m3', messages: [{ role: 'user' as const, content: 'Hi' }], tools };
    expect(JSON.parse(anthropicWire.encode(request, minimax, client).body)).toMatchObject({
      tools: [{ input_schema }, { input_schema }],
    });
  });
});
