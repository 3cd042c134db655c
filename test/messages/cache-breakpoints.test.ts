import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withBreakpoints } from '../../lambdas/messages/cache-breakpoints.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const text = (words: string): Block => ({ type: 'text', text: words });
const request = (more: Partial<MessagesRequest>): MessagesRequest => ({
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
});

describe('a prompt without cache marks is marked', () => {
  it('after its tools, its system prompt, and the last two turns of the user', () => {
    const asked = request({
      tools: [{ name: 'a' }, { name: 'b' }],
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'Yes' },
        { role: 'user', content: [text('Two'), text('more')] },
        { role: 'assistant', content: 'Yes' },
        { role: 'user', content: 'Three' },
      ],
    });

    expect(withBreakpoints(asked)).toEqual({
      model: 'm',
      tools: [{ name: 'a' }, { name: 'b', ...mark }],
      system: [{ ...text('Be brief.'), ...mark }],
      messages: [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'Yes' },
        { role: 'user', content: [text('Two'), { ...text('more'), ...mark }] },
        { role: 'assistant', content: 'Yes' },
        { role: 'user', content: [{ ...text('Three'), ...mark }] },
      ],
    });
  });

  it('after the last tool that is not deferred', () => {
    const tools = [{ name: 'a' }, { name: 'b', defer_loading: true }];

    expect(withBreakpoints(request({ tools })).tools).toEqual([{ name: 'a', ...mark }, tools[1]]);
  });

  it('after the last block that may have a mark', () => {
    const result = { type: 'tool_result', tool_use_id: 't', content: 'done' };
    const messages = [{ role: 'user' as const, content: [result, text('')] }];

    expect(withBreakpoints(request({ messages })).messages[0]!.content).toEqual([{ ...result, ...mark }, text('')]);
  });

  it('nowhere if nothing may have a mark', () => {
    const asked = request({ system: [text('')], tools: [], messages: [{ role: 'user', content: '' }] });

    expect(JSON.stringify(withBreakpoints(asked))).not.toContain('cache_control');
  });

  it('at most at four places, and is otherwise unchanged', () => {
    const blocks = fc.array(fc.constantFrom(text('a'), text(''), { type: 'thinking', thinking: 'x' }), {
      maxLength: 4,
    });
    const content = fc.oneof(fc.constantFrom('', 'words'), blocks);
    const role = fc.constantFrom('user' as const, 'assistant' as const, 'system' as const);
    const requests = fc.record({
      model: fc.constant('m'),
      tools: fc.array(fc.record({ name: fc.constant('t'), defer_loading: fc.boolean() }), { maxLength: 3 }),
      system: content,
      messages: fc.array(fc.record({ role, content }), { minLength: 1, maxLength: 6 }),
    });
    const asBlocks = (said: MessagesRequest['system']) => (typeof said === 'string' ? [text(said)] : said);
    const unmarked = (asked: MessagesRequest) => ({
      ...asked,
      system: asBlocks(asked.system),
      messages: asked.messages.map((message) => ({ ...message, content: asBlocks(message.content) })),
    });

    fc.assert(
      fc.property(requests, (asked) => {
        const json = JSON.stringify(unmarked(withBreakpoints(asked)));
        const marks = json.split(`,"cache_control":{"type":"ephemeral"}`);

        expect(marks.length - 1).toBeLessThanOrEqual(4);
        expect(JSON.parse(marks.join(''))).toEqual(unmarked(asked));
      }),
    );
  });
});

describe('a prompt with cache marks of its client is unchanged', () => {
  it.each<[string, Partial<MessagesRequest>]>([
    ['as a whole', mark],
    ['on a tool', { tools: [{ name: 'a', ...mark }, { name: 'b' }] }],
    ['in its system prompt', { system: [{ ...text('a'), ...mark }] }],
    ['in a message', { messages: [{ role: 'user', content: [{ ...text('a'), ...mark }] }] }],
    [
      'within the result of a tool',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', content: [{ ...text('a'), ...mark }] }] }] },
    ],
  ])('%s', (_where, more) => {
    const asked = request(more);

    expect(withBreakpoints(asked)).toBe(asked);
  });

  it("but is marked if the client's mark is null", () => {
    const asked = request({ cache_control: null, system: [{ ...text('a'), cache_control: null }] });

    expect(withBreakpoints(asked).system).toEqual([{ ...text('a'), ...mark }]);
  });
});
