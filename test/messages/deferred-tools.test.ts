import { describe, expect, it } from 'vitest';
import { withoutDeferral } from '../../lambdas/messages/deferred-tools.ts';
import type { Block, MessagesRequest, Tool } from '../../lambdas/messages/types.ts';

const tool = (name: string, more: object = {}): Tool => ({ name, input_schema: { type: 'object' }, ...more });
const request = (tools: Tool[], content: object[] = []): MessagesRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] }],
  tools,
});
const reference = (name: string) => ({ type: 'tool_reference', tool_name: name });
const addition = (more: object) => ({ type: 'tool_addition', tool: more });
const removal = (name: string) => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } });
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

/** Claude Code and LangChain send such instructions (https://github.com/KarpelesLab/teamclaude/pull/451). */
describe('instructions that change the tools', () => {
  const later = tool('later', { defer_loading: true });
  const changed = (...contents: object[][]): MessagesRequest => ({
    model: 'm',
    messages: contents.map((content) => ({ role: 'system', content: content as Block[] })),
    tools: [tool('find'), later],
  });

  it.each<[string, object[][], Tool[] | undefined]>([
    ['add a deferred tool', [[addition({ type: 'tool_reference', name: 'later' })]], [tool('find'), tool('later')]],
    ['declare a tool', [[addition({ type: 'tool_definition', definition: tool('new') })]], [tool('find'), tool('new')]],
    [
      'declare a tool again',
      [[addition({ type: 'tool_definition', definition: tool('find', { description: 'Finds.' }) })]],
      [tool('find', { description: 'Finds.' })],
    ],
    ['remove a tool', [[removal('find')]], undefined],
    [
      'remove a tool and add it again',
      [[removal('find')], [addition({ type: 'tool_reference', name: 'find' })]],
      [tool('find')],
    ],
    ['name a tool that nobody has declared', [[addition({ type: 'tool_reference', name: 'none' })]], [tool('find')]],
  ])('%s', (_, contents, tools) => {
    expect(withoutDeferral(changed(...contents)).tools).toEqual(tools);
  });

  it('become texts', () => {
    const { messages } = withoutDeferral(
      changed([{ type: 'text', text: 'Note.' }, removal('find'), addition({ type: 'tool_reference', name: 'later' })]),
    );

    expect(messages[0]!.content).toEqual([
      { type: 'text', text: 'Note.' },
      { type: 'text', text: 'The tool "find" can no longer be called.' },
      { type: 'text', text: 'The tool "later" can be called from now on.' },
    ]);
  });
});
