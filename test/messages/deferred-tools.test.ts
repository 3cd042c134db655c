import { describe, expect, it } from 'vitest';
import { withoutDeferral } from '../../lambdas/messages/deferred-tools.ts';
import type { MessagesRequest, Tool } from '../../lambdas/messages/types.ts';

const tool = (name: string, more: object = {}): Tool => ({ name, input_schema: { type: 'object' }, ...more });
const request = (tools: Tool[], content: object[] = []): MessagesRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] }],
  tools,
});
const reference = (name: string) => ({ type: 'tool_reference', tool_name: name });
const named = ({ tools = [] }: MessagesRequest) => tools.map(({ name }) => name);

describe('tools with deferred loading', () => {
  it('are sent from the first result that refers to them on, and not before', () => {
    const tools = [tool('find'), tool('write', { defer_loading: true }), tool('read', { defer_loading: true })];

    expect(named(withoutDeferral(request(tools)))).toEqual(['find']);
    expect(named(withoutDeferral(request(tools, [reference('write')])))).toEqual(['find', 'write']);
  });

  it('are sent like other tools, without the mark, and a reference becomes a text', () => {
    const said = withoutDeferral(request([tool('write', { defer_loading: true })], [reference('write')]));

    expect(said.tools).toEqual([tool('write')]);
    expect(said.messages[0]!.content).toMatchObject([
      { content: [{ type: 'text', text: 'The tool "write" can be called from now on.' }] },
    ]);
  });

  it('do not affect a request without such tools', () => {
    const plain = request([tool('find')], [{ type: 'text', text: 'x' }]);

    expect(withoutDeferral(plain)).toBe(plain);
  });
});
