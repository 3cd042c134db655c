import { describe, expect, it } from 'vitest';
import type { OpenaiChatQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import { bodyOf, said, sent, weather } from '../support/chat-request.ts';

describe('functions instead of tools', () => {
  const functions: OpenaiChatQuirks = { functions: true, stream_usage: false };

  it('are declared and chosen in the older form', () => {
    const body = sent(
      { tools: [weather], tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true } },
      functions,
    );

    expect(body).toMatchObject({
      functions: [{ name: 'weather', parameters: weather.input_schema }],
      function_call: { name: 'weather' },
    });
    expect(Object.keys(body).filter((field) => field.includes('tool'))).toEqual([]);
  });

  it.each([['auto'], ['none']] as const)('may be chosen by the model: %s', (type) => {
    expect(sent({ tools: [weather], tool_choice: { type } }, functions)).toMatchObject({ function_call: type });
  });

  it('have properties in every object of their schemas', () => {
    const place = { type: 'object', additionalProperties: { type: 'string' } };
    const properties = { place, places: { type: 'array', items: { type: 'object' } } };
    expect(sent({ tools: [{ ...weather, input_schema: { type: 'object', properties } }] }, functions)).toMatchObject({
      functions: [
        {
          parameters: {
            properties: { place: { ...place, properties: {} }, places: { items: { type: 'object', properties: {} } } },
          },
        },
      ],
    });
  });

  it('are called one by one, each followed by its result, as objects', () => {
    const { messages } = sent(
      {
        messages: [
          ...said,
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Both.' },
              { type: 'tool_use', id: 'a', name: 'weather', input: { at: 'Omsk' } },
              { type: 'tool_use', id: 'b', name: 'clock', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'b', content: 'noon' },
              { type: 'tool_result', tool_use_id: 'a', content: '{"degrees": -7}' },
              { type: 'text', text: 'Well?' },
            ],
          },
        ],
      },
      functions,
    );

    expect(messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Both.', function_call: { name: 'weather', arguments: { at: 'Omsk' } } },
      { role: 'function', name: 'weather', content: '{"degrees": -7}' },
      { role: 'assistant', content: '', function_call: { name: 'clock', arguments: {} } },
      { role: 'function', name: 'clock', content: '{"result":"noon"}' },
      { role: 'user', content: 'Well?' },
    ]);
  });

  it('keep the digits of numbers beyond a double', () => {
    const input = JSON.parse('{"n": 1}') as Record<string, unknown>;
    input['n'] = JSON.rawJSON('9007199254740993');
    const request: MessagesRequest = {
      model: 'a/b',
      messages: [...said, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'count', input }] }],
    };

    expect(bodyOf(request, functions)).toContain('"n":9007199254740993');
  });

  it('have names that begin with a letter', () => {
    expect(sent({ tools: [{ ...weather, name: '3d_model' }] }, functions)).toMatchObject({
      functions: [{ name: expect.stringMatching(/^t_3d_model_[0-9a-f]{8}$/) as unknown }],
    });
  });

  it('have a system prompt only at the start, and later ones as messages of the user', () => {
    const { messages } = sent(
      { system: 'Be brief.', messages: [...said, { role: 'system', content: 'Briefer.' }] },
      functions,
    );

    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi\n\n<system>\nBriefer.\n</system>' },
    ]);
  });

  it('have a schema of the answer without a name', () => {
    const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };

    expect(sent({ output_config: { format: { type: 'json_schema', schema } } }, functions)).toMatchObject({
      response_format: { type: 'json_schema', schema, strict: true },
    });
  });
});
