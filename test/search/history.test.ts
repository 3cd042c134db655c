import { describe, expect, it } from 'vitest';
import type { Block, Message } from '../../lambdas/messages/types.ts';
import { readHistory } from '../../lambdas/search/history.ts';
import { sealsOf } from '../../lambdas/search/seals.ts';
import { openCalls, searchCalls } from '../../lambdas/search/turns.ts';
import { lowestThreadCpuMs } from '../support/thread-cost.ts';

const seals = sealsOf('secret', 'account');
const encrypted_content = seals.sealHit({
  query: 'tea',
  title: 'Tea',
  url: 'https://a.example/',
  text: 'T',
  age: null,
});
const found: Block = { type: 'web_search_result', url: 'https://a.example/', title: 'Tea', encrypted_content };

const call = (id: number): Block => ({ type: 'server_tool_use', id: `srvtoolu_${id}`, name: 'web_search', input: {} });
const result = (id: number, content: unknown = [found]): Block => ({
  type: 'web_search_tool_result',
  tool_use_id: `srvtoolu_${id}`,
  content,
});
const failure = { type: 'web_search_tool_result_error', error_code: 'unavailable' };
const turn = (...content: Block[]): Message[] => [
  { role: 'user', content: 'Tea?' },
  { role: 'assistant', content },
];

/** Maximum CPU time in ms. A time that grows with the square of the number of calls would be far higher. */
const MAX_CPU_MS = 3_000;

describe('a conversation with searches', () => {
  it('has no empty message if only blanks follow a result', () => {
    const { messages } = readHistory(turn(call(1), result(1), { type: 'text', text: ' \n' }), seals, true);

    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('makes the searches of the last turn only, if an earlier turn has a search without a result', () => {
    const [question, first] = turn(call(1));
    const [, second] = turn(call(2), call(3));
    const { messages, pending, origins } = readHistory([question!, first!, second!], seals, true);

    expect(pending).toEqual(['srvtoolu_2', 'srvtoolu_3']);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(JSON.stringify(messages).match(/This search was not made/g)).toHaveLength(1);
    expect(origins).toEqual([0, 1, 1, 2]);
  });

  it('keeps results of the client first if the request no longer declares the search', () => {
    const toolResult: Block = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'Green' };
    const messages = turn(call(1), { type: 'tool_use', id: 'toolu_1', name: 'color', input: {} });
    const read = readHistory([...messages, { role: 'user', content: [toolResult] }], seals, false);

    expect(read.messages.at(-1)?.content).toEqual([toolResult, expect.objectContaining({ type: 'text' })]);
  });

  it('has no second search if a provider has searched itself', () => {
    expect(searchCalls([call(1), result(1), call(2)])).toMatchObject([{ id: 'srvtoolu_2' }]);
  });

  // A body has room for about this number of calls.
  const ids = Array.from({ length: 9_000 }, (_, index) => index);
  it.each([
    ['open calls', turn(...ids.map(call))],
    [
      'results after their calls',
      turn(...ids.map(call), ...ids.map((id) => result(id, id < 7_000 ? failure : [found]))),
    ],
  ])('is read in linear time: %s', async (_, messages) => {
    const read = () => {
      const history = readHistory(messages, seals, true);
      openCalls({ model: 'm', messages: history.messages }, history.pending);
    };

    expect(await lowestThreadCpuMs(read, MAX_CPU_MS)).toBeLessThan(MAX_CPU_MS);
  });
});
