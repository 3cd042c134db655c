/** Turns that agents store and send again, although providers refuse them. */

import { describe, expect, it } from 'vitest';
import type { Block, Message } from '../../lambdas/messages/types.ts';
import { blocksOf, everyWire, sentAs, tools } from '../conformance/pitfalls/pitfall.ts';

const asked: Message = { role: 'user', content: 'Look' };
const call = (id: string): Block => ({ type: 'tool_use', id, name: 'get_time', input: {} });
const result = (id: string, content: string): Block => ({ type: 'tool_result', tool_use_id: id, content });
const user = (...content: Block[]): Message => ({ role: 'user', content });
const assistant = (...content: Block[]): Message => ({ role: 'assistant', content });
const text = (words: string): Block => ({ type: 'text', text: words });

/** Source: https://github.com/router-for-me/CLIProxyAPI/pull/4998 */
describe.each(everyWire)('a call with two results, over %s', (wire) => {
  it.each<[string, Message[]]>([
    ['in one message', [user(result('c1', 'early'), result('c2', 'noon'), result('c1', 'late'))]],
    [
      'in several messages',
      [user(result('c1', 'early')), user(result('c2', 'noon')), user(result('c1', 'late'), text('Go on.'))],
    ],
    [
      'with a message that has nothing else',
      [user(result('c1', 'early'), result('c2', 'noon')), user(result('c1', 'late'))],
    ],
  ])('is sent with its last result, at the place of the first: %s', (_, answers) => {
    const messages = [asked, assistant(call('c1'), call('c2')), ...answers];
    const sent = blocksOf(sentAs(wire, { messages, tools }).messages);
    const results = sent.filter(({ type }) => type === 'tool_result');

    expect(results).toHaveLength(2);
    expect(JSON.stringify(results[0])).toContain('late');
    expect(JSON.stringify(results[1])).toContain('noon');
    expect(JSON.stringify(sent)).not.toContain('early');
  });
});

/** Source: https://github.com/langchain-ai/langgraph/issues/3168 */
describe.each(everyWire)('an answer without content, over %s', (wire) => {
  it.each<[string, Message]>([
    ['as a list', assistant()],
    ['as a text', { role: 'assistant', content: '' }],
  ])('is left out %s', (_, silent) => {
    const { messages } = sentAs(wire, { messages: [asked, silent, user(text('And?'))] });

    expect(messages.map(({ role }) => role)).not.toContain('assistant');
    expect(JSON.stringify(messages)).toMatch(/Look.*And\?/);
  });
});
