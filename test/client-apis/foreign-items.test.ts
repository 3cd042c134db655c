import { describe, expect, it } from 'vitest';
import { responsesRequestSchema } from '../../lambdas/client-apis/responses/request.ts';
import type { Block } from '../../lambdas/messages/types.ts';
import { parseWith } from '../../lambdas/http/parse.ts';
import { refused } from '../support/refused.ts';

const asked = { role: 'user', content: 'Hello' };
const read = (...input: object[]) =>
  parseWith(responsesRequestSchema, { model: 'sandbox/claude', input: [asked, ...input] });
const said = (...input: object[]) => read(...input).message.messages.slice(1);

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

describe('items of a conversation from another service', () => {
  it.each(['web_search_call', 'tool_search_call', 'ghost_snapshot', 'mcp_list_tools', 'mcp_approval_request'])(
    'are left out: %s',
    (type) => {
      expect(said({ type, id: 'x', status: 'completed', ghost_commit: {} })).toEqual([]);
    },
  );

  it('become a call and its result if an agent made the call, whichever id connects them', () => {
    const action = { type: 'exec', command: ['ls'], env: {} };

    const messages = said(
      { type: 'local_shell_call', id: 'lsh_1', call_id: null, status: 'completed', action },
      { type: 'local_shell_call_output', id: 'lsh_1', output: '{"output":"a.txt"}' },
      { type: 'computer_call', id: 'cu_1', call_id: 'c2', action: { type: 'screenshot' } },
      { type: 'computer_call_output', call_id: 'c2', output: { type: 'computer_screenshot', image_url: PIXEL } },
    );

    expect(messages).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'lsh_1', name: 'local_shell', input: action }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'lsh_1', content: '{"output":"a.txt"}' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c2', name: 'computer' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c2', content: [{ type: 'image' }] }] },
    ]);
  });

  it('become a text if another service made the call', () => {
    const [message] = said(
      { type: 'mcp_call', id: 'mcp_1', server_label: 'docs', name: 'find', arguments: '{"q":"x"}', output: 'Found it' },
      { type: 'code_interpreter_call', id: 'ci_1', code: 'print(1)', outputs: [{ type: 'logs', logs: '1' }] },
      { type: 'image_generation_call', id: 'ig_1', result: 'iVBORw0KGgo', revised_prompt: 'A cat' },
    );

    const texts = (message!.content as Block[]).map(({ text }) => text);
    expect(texts[0]).toContain('<tool name="mcp">');
    expect(texts[0]).toContain('Found it');
    expect(texts[1]).toContain('print(1)');
    expect(texts[2]).toContain('A cat');
    expect(texts[2]).not.toContain('iVBORw0KGgo');
  });

  it.each(['compaction', 'compaction_trigger', 'item_reference'])('are refused with the remedy: %s', (type) => {
    const refusal = refused(() => read({ type, encrypted_content: 'x' }));

    expect(refusal).toMatchObject({ status: 400, metadata: { field: 'input.1.type' } });
    expect(refusal.message).toMatch(/Codex shortens|Send back the items of the answer’s output/);
  });

  it('are refused with the list of known types if their type is unknown', () => {
    expect(refused(() => read({ type: 'hologram' })).message).toContain('ghost_snapshot');
  });
});

describe('the result of a tool call', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'view', arguments: '{}' };
  const contentOf = (output: unknown) => {
    const [, { content }] = said(call, { type: 'function_call_output', call_id: 'a', output }) as [
      unknown,
      { content: { content: unknown }[] },
    ];
    return content[0]!.content;
  };

  it('has its parts if the text is a complete JSON list of them', () => {
    const parts = [
      { type: 'input_image', image_url: PIXEL },
      { type: 'input_text', text: 'A pixel' },
    ];

    expect(contentOf(JSON.stringify(parts))).toMatchObject([{ type: 'image' }, { type: 'text', text: 'A pixel' }]);
    expect(contentOf(JSON.stringify([{ image_url: PIXEL, type: 'input_image' }]))).toMatchObject([{ type: 'image' }]);
  });

  it.each([
    '[{"type":"input_text"',
    '[{"type":"input_text","text":"x"}] and more',
    '[{"type":"log"}]',
    '["input_image"]',
  ])('is unchanged as any other text: %s', (text) => {
    expect(contentOf(text)).toBe(text);
  });

  it('may be an object, as older agents write it', () => {
    expect(contentOf({ content: 'Done', success: true })).toBe('Done');
    expect(contentOf({ code: 1 })).toBe('{"code":1}');
  });
});

describe('a repeated id of a tool call from an earlier turn', () => {
  it('is replaced together with its results, in the same way in every request', () => {
    const turn = [
      { type: 'function_call', call_id: 'call_0', name: 'a', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_0', output: 'x' },
    ];

    const messages = said(...turn, ...turn, ...turn);

    const ids = messages.map(({ content }) => (content as { id?: string; tool_use_id?: string }[])[0]);
    expect(ids.map((block) => block!.id ?? block!.tool_use_id)).toEqual([
      'call_0',
      'call_0',
      'call_0_2',
      'call_0_2',
      'call_0_3',
      'call_0_3',
    ]);
    expect(said(...turn, ...turn, ...turn, ...turn).slice(0, 6)).toEqual(messages);
  });

  it('is replaced within one turn, in the order of the results', () => {
    const call = { type: 'function_call', call_id: 'same', name: 'a', arguments: '{}' };
    const result = { type: 'function_call_output', call_id: 'same', output: 'x' };

    const [calls, results] = said(call, call, result, result).map(({ content }) => content as Record<string, string>[]);

    expect(calls!.map(({ id }) => id)).toEqual(['same', 'same_2']);
    expect(results!.map((block) => block['tool_use_id'])).toEqual(['same', 'same_2']);
  });
});
