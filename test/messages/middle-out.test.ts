import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { middleOut } from '../../lambdas/messages/middle-out.ts';
import type { Block, Message } from '../../lambdas/messages/types.ts';

/** Counts ten tokens for each message. */
const tokensOf = (messages: Message[]) => 10 * messages.length;

const user = (content: Message['content']): Message => ({ role: 'user', content });
const assistant = (content: Message['content']): Message => ({ role: 'assistant', content });
const system = (content: string): Message => ({ role: 'system', content });
const call = (id: string): Block => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (id: string): Block => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });

/** Returns the conversation Q0, A1, Q2, A3, … */
const talk = (length: number) =>
  Array.from({ length }, (_, index) => (index % 2 === 0 ? user(`Q${index}`) : assistant(`A${index}`)));
const left = (messages: Message[], maxTokens: number) => middleOut(messages, maxTokens, tokensOf).messages;

describe('a shortened conversation', () => {
  it('is complete if it fits', () => {
    expect(left(talk(5), 50)).toEqual(talk(5));
  });

  it('has its beginning and its end', () => {
    const [q0, a1, , , , a5, q6] = talk(7);

    expect(left(talk(7), 40)).toEqual([q0, a1, a5, q6]);
  });

  it('has only its last message if no more fits, with the size of that message', () => {
    expect(middleOut(talk(7), 5, tokensOf)).toEqual({ messages: [user('Q6')], tokens: 10 });
  });

  it('begins with a message of the user', () => {
    const messages = [user('Q0'), assistant('A1'), assistant('A2'), user('Q3')];

    expect(left(messages, 20)).toEqual([user('Q0'), user('Q3')]);
    expect(left(messages, 15)).toEqual([user('Q3')]);
  });

  it('has a call and its results, or neither', () => {
    const messages = [
      user('Q0'),
      assistant([call('1')]),
      system('Be brief.'),
      user([result('1')]),
      assistant('A4'),
      user('Q5'),
    ];

    expect(left(messages, 59)).toEqual([user('Q0'), ...messages.slice(1, 4), user('Q5')]);
  });

  it('keeps a call with pending results', () => {
    const messages = [user('Q0'), assistant([call('1')]), user('Q2')];

    expect(left(messages, 15)).toEqual(messages.slice(1));
  });

  it('ends with the most recently answered calls', () => {
    const messages = [...talk(6), assistant([call('1')]), user([result('1')])];

    expect(left(messages, 20)).toEqual(messages.slice(-2));
  });

  it.each<[string, Message]>([
    ['a system message', system('Be brief.')],
    ['a block of an unknown type', user([{ type: 'tool_addition', tool: { name: 'x' } }])],
  ])('keeps %s at any place', (_what, kept) => {
    const messages = [user('Q0'), assistant('A1'), kept, assistant('A3'), user('Q4')];

    expect(left(messages, 10)).toContainEqual(kept);
  });

  it('is in order, keeps pairs complete, and is whole if it fits', () => {
    const turn = fc.oneof(
      fc.uuid().map((words) => [user(words)]),
      fc.uuid().map((words) => [assistant(words)]),
      fc.uuid().map((words) => [system(words)]),
      fc.uuid().map((id) => [assistant([call(id)]), user([result(id)])]),
    );
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 12 }), fc.nat(260), (turns, maxTokens) => {
        const messages = turns.flat();
        const { messages: rest, tokens } = middleOut(messages, maxTokens, tokensOf);

        expect(messages.filter((message) => rest.includes(message))).toEqual(rest);
        expect(rest.at(-1)).toBe(messages.at(-1));
        expect(tokens).toBe(tokensOf(rest));
        const ids = (type: string, field: string) =>
          rest.flatMap(({ content }) =>
            typeof content === 'string'
              ? []
              : content.filter((block) => block.type === type).map((block) => block[field]),
          );
        expect(ids('tool_use', 'id')).toEqual(ids('tool_result', 'tool_use_id'));
        if (tokensOf(messages) <= maxTokens) expect(rest).toEqual(messages);
      }),
    );
  });
});
