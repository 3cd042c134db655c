import { describe, expect, it } from 'vitest';
import type { OpenaiChatQuirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { MessagesRequest } from '../../lambdas/messages/types.ts';
import type { WireTarget } from '../../lambdas/providers/wire.ts';
import { png, said, sent, sentTo, weather } from '../support/chat-request.ts';

describe('what an endpoint does not take is refused by name', () => {
  it.each<[string, Partial<MessagesRequest>, Partial<WireTarget<OpenaiChatQuirks>>]>([
    ['tools: ', { tools: [weather] }, { supportedParameters: [] }],
    [
      'tool_choice.type: ',
      { tools: [weather], tool_choice: { type: 'any' } },
      { quirks: { tool_choices: ['auto', 'tool', 'none'] } },
    ],
    [
      'tool_choice.type: ',
      { tools: [weather], tool_choice: { type: 'tool', name: 'weather' } },
      { quirks: { tool_choices: ['any', 'none'] } },
    ],
    [
      'tool_choice.disable_parallel_tool_use: ',
      { tools: [weather], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      { quirks: { parallel_tool_calls: false } },
    ],
    ['stop_sequences: may have at most 1', { stop_sequences: ['a', 'b'] }, { quirks: { max_stop_sequences: 1 } }],
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

  it('and only that: as many stop sequences as it takes are sent', () => {
    expect(sent({ stop_sequences: ['a', 'b'] }, { max_stop_sequences: 2 })).toMatchObject({ stop: ['a', 'b'] });
  });
});

describe('a choice that the provider has no word for', () => {
  it('is left out where it happens anyway', () => {
    const body = sent({ tools: [weather], tool_choice: { type: 'auto' } }, { tool_choices: ['any', 'none'] });

    expect(body).toHaveProperty('tools');
    expect(body).not.toHaveProperty('tool_choice');
  });

  it('takes the tools with it where none may be called', () => {
    const body = sent({ tools: [weather], tool_choice: { type: 'none' } }, { tool_choices: ['auto'] });

    expect(Object.keys(body).filter((field) => field.includes('tool'))).toEqual([]);
  });
});
