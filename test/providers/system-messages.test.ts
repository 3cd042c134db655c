import { describe, expect, it } from 'vitest';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { shippedQuirks } from '../support/catalog.ts';
import { sent } from '../support/chat-request.ts';

const text = (words: string): Block[] => [{ type: 'text', text: words }];
const system = (words: string) => ({ role: 'system' as const, content: words });
const user = (words: string) => ({ role: 'user' as const, content: words });
const call = { role: 'assistant' as const, content: [{ type: 'tool_use', id: 'c', name: 'look', input: {} }] };
const result = {
  role: 'user' as const,
  content: [{ type: 'tool_result', tool_use_id: 'c', content: 'Water.' }],
};

const said = (request: Partial<MessagesRequest>, quirks = {}) =>
  (sent(request, quirks)['messages'] as { role: string; content: unknown }[]).map(
    ({ role, content }) => `${role}: ${String(content)}`,
  );

describe('instructions within a conversation on chat completions', () => {
  it('become marked texts of the user, because templates refuse them', () => {
    const messages = [
      user('Hi'),
      { role: 'assistant' as const, content: text('Hello.') },
      system('Be brief.'),
      user('So?'),
    ];

    expect(said({ system: 'Be kind.', messages })).toEqual([
      'system: Be kind.',
      'user: Hi',
      'assistant: Hello.',
      'user: <system>\nBe brief.\n</system>\n\nSo?',
    ]);
  });

  it('join the system prompt if nothing is before them', () => {
    expect(said({ system: 'Be kind.', messages: [system('Be brief.'), user('Hi')] })).toEqual([
      'system: Be kind.\n\nBe brief.',
      'user: Hi',
    ]);
  });

  it('stay behind the results that must follow their calls', () => {
    expect(said({ messages: [user('Hi'), call, system('Be brief.'), result] })).toEqual([
      'user: Hi',
      'assistant: null',
      'tool: Water.',
      'user: <system>\nBe brief.\n</system>',
    ]);
  });

  it('become the message of the user if there is no other message', () => {
    expect(said({ messages: [system('Be brief.')] })).toEqual(['user: <system>\nBe brief.\n</system>']);
  });

  it('become texts of the user at DeepSeek, whose cache would otherwise miss the conversation', () => {
    expect(said({ messages: [user('Hi'), system('Be brief.')] }, shippedQuirks('deepseek'))).toEqual([
      'user: Hi\n\n<system>\nBe brief.\n</system>',
    ]);
  });

  it('keep their role and place at providers that accept them', () => {
    expect(said({ messages: [user('Hi'), system('Be brief.')] }, { later_system_messages: true })).toEqual([
      'user: Hi',
      'system: Be brief.',
    ]);
  });
});
