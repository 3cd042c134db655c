import { describe, expect, it } from 'vitest';
import type { OpenaiChatQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import type { WireTarget } from '../../lambdas/providers/wire.ts';
import { png, said, sent, sentTo, weather } from '../support/chat-request.ts';

const closed = {
  name: 'closed',
  input_schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
};

describe('an unsupported field is refused by name:', () => {
  it.each<[string, Partial<MessagesRequest>, Partial<WireTarget<OpenaiChatQuirks>>]>([
    ['tools: ', { tools: [weather] }, { supportedParameters: [] }],
    [
      'tool_choice.type: ',
      { tools: [weather, closed], tool_choice: { type: 'any' } },
      { quirks: { tool_choices: ['auto', 'tool', 'none'] } },
    ],
    [
      'tool_choice.type: ',
      { tools: [weather, closed], tool_choice: { type: 'tool', name: 'weather' } },
      { quirks: { tool_choices: ['any', 'none'] } },
    ],
    [
      'tool_choice.type: ',
      { tools: [weather], tool_choice: { type: 'tool', name: 'weather' } },
      { quirks: { tool_choices: ['auto', 'none'] } },
    ],
    [
      'output_config.format: does not work together with tools',
      { tools: [weather], output_config: { format: { type: 'json_schema', schema: {} } } },
      { quirks: { format_excludes_tools: true } },
    ],
    [
      'tools.1.strict: works on this model only if',
      { tools: [weather, { ...closed, strict: true }] },
      { quirks: { limited_strict_mode: true } },
    ],
    ['stop_sequences: must have at most 1', { stop_sequences: ['a', 'b'] }, { quirks: { max_stop_sequences: 1 } }],
    ['top_logprobs: must be at most 5', { logprobs: true, top_logprobs: 6 }, { quirks: { max_top_logprobs: 5 } }],
    ['messages.0.content.0.type: ', { messages: [{ role: 'user', content: [png] }] }, { inputModalities: ['text'] }],
    [
      'messages.2.content.0.content.0.type: ',
      {
        messages: [
          ...said,
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'weather', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [png] }] },
        ],
      },
      { inputModalities: ['text'] },
    ],
  ])('%s', (message, request, target) => {
    expect(() => sentTo(target, request)).toThrow(message);
  });

  it('except strict, which is sent on all tools if all schemas fit', () => {
    const tools = [
      { ...closed, strict: true },
      { ...closed, name: 'other' },
    ];
    const strict = { function: { strict: true } };
    expect(sent({ tools }, { limited_strict_mode: true })).toMatchObject({ tools: [strict, strict] });
  });

  it('except constraints in strict schemas, which the model reads if the provider rejects them', () => {
    const item = { type: 'string', pattern: '^a', format: 'email', description: 'Address.' };
    const properties = { to: { type: ['array', 'null'], items: item, maxItems: 2 }, format: { type: 'string' } };
    const schema = { type: 'object', properties, required: ['to', 'format'], additionalProperties: false };
    const enforced = {
      anyOf: [
        {
          type: 'array',
          items: { type: 'string', description: 'Address.\nConstraints: {"pattern":"^a","format":"email"}' },
          description: 'Constraints: {"maxItems":2}',
        },
        { type: 'null' },
      ],
    };
    const request = {
      output_config: { format: { type: 'json_schema', schema } },
      tools: [{ name: 'mail', input_schema: schema, strict: true }],
    };
    const target = { quirks: { limited_strict_mode: true }, supportedParameters: ['tools', 'structured_outputs'] };

    expect(sentTo(target, request)).toMatchObject({
      response_format: { json_schema: { strict: true, schema: { properties: { to: enforced } } } },
      tools: [{ function: { strict: true, parameters: { properties: { to: enforced, format: { type: 'string' } } } } }],
    });
  });

  it('except stop_sequences, which is sent up to the supported number', () => {
    expect(sent({ stop_sequences: ['a', 'b'] }, { max_stop_sequences: 2 })).toMatchObject({ stop: ['a', 'b'] });
  });
});

describe('rarely supported parameters', () => {
  const supportedParameters = ['seed', 'min_p', 'logit_bias', 'verbosity', 'reasoning'];

  it('are sent under the names of chat completions', () => {
    const tuned = { seed: 7, min_p: 0.1, logit_bias: { 5: -100 }, verbosity: 'low' };

    expect(sentTo({ supportedParameters }, tuned)).toMatchObject(tuned);
  });

  it('include the seed under another name for Mistral', () => {
    const body = sentTo({ supportedParameters, quirks: { seed_field: 'random_seed' } }, { seed: 7 });

    expect(body).toMatchObject({ random_seed: 7 });
    expect(body).not.toHaveProperty('seed');
  });

  it.each([
    [7, 7],
    [-1, 2_147_483_647],
    [2_147_483_648, 0],
    [Number.MAX_SAFE_INTEGER, 2_147_483_647],
  ])('include the seed %i as a seed that the endpoint accepts: %i', (seed, taken) => {
    const quirks = { sampling_ranges: { seed: [0, 2_147_483_647] as [number, number] } };

    expect(sentTo({ supportedParameters, quirks }, { seed })).toMatchObject({ seed: taken });
  });

  it.each([
    [-Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [2 ** 63, 0],
    [2 ** 63 - 1_024, 2 ** 53 - 1_024],
    [-(2 ** 62) - 1_024, 2 ** 53 - 1_024],
  ])('include the 64-bit seed %i, which a float rounds, as a seed with exact digits: %i', (seed, taken) => {
    expect(sentTo({ supportedParameters }, { seed })).toMatchObject({ seed: taken });
  });

  it('include different seeds as different ones, also above the range of the endpoint', () => {
    const quirks = { sampling_ranges: { seed: [-2_147_483_648, 2_147_483_647] as [number, number] } };
    const seeds = Array.from({ length: 50 }, (_, index) => 5_000_000_000 + index * 13);

    const taken = seeds.map((seed) => sentTo({ supportedParameters, quirks }, { seed })['seed'] as number);

    expect(new Set(taken).size).toBe(50);
    expect(taken.every((seed) => seed >= -2_147_483_648 && seed <= 2_147_483_647)).toBe(true);
  });

  it('request probabilities, and disable thinking that excludes them', () => {
    const quirks = { reasoning_request: 'thinking_type', logprobs_need_no_thinking: true } as const;
    const asked = { logprobs: true, top_logprobs: 2, thinking: { type: 'enabled', budget_tokens: 2_000 } };

    expect(sentTo({ supportedParameters }, asked)).toMatchObject({ logprobs: true, top_logprobs: 2 });
    expect(sentTo({ supportedParameters, quirks }, asked)).toMatchObject({ thinking: { type: 'disabled' } });
    expect(sentTo({ supportedParameters, quirks }, { ...asked, logprobs: false })).toMatchObject({
      thinking: { type: 'enabled' },
    });
  });
});

describe('a tool choice without a counterpart at the provider', () => {
  it('is left out if it is the default', () => {
    const body = sent({ tools: [weather], tool_choice: { type: 'auto' } }, { tool_choices: ['any', 'none'] });

    expect(body).toHaveProperty('tools');
    expect(body).not.toHaveProperty('tool_choice');
  });

  it('is the same choice in another form if there is only one tool', () => {
    const any = sent({ tools: [weather], tool_choice: { type: 'any' } }, { tool_choices: ['auto', 'tool'] });
    const named = { tools: [weather], tool_choice: { type: 'tool' as const, name: 'weather' } };

    expect(any['tool_choice']).toEqual({ type: 'function', function: { name: 'weather' } });
    expect(sent(named, { tool_choices: ['any', 'none'] })['tool_choice']).toBe('required');
  });

  it('removes the tools if none may be called', () => {
    const body = sent({ tools: [weather], tool_choice: { type: 'none' } }, { tool_choices: ['auto'] });

    expect(Object.keys(body).filter((field) => field.includes('tool'))).toEqual([]);
  });
});
