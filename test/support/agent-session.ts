/**
 * Session with the fields, headers, order of blocks and cache marks that Claude Code 2.1 was observed to send, and
 * invented texts. The model searches for a tool, gets the tool, and calls it.
 */

import type { MessagesRequest } from '../../lambdas/messages/types.ts';

const SESSION_ID = '0193b2d8-5c4e-7a10-8f3e-6d2b9c1a4e77';

export const agentHeaders = {
  'anthropic-version': '2023-06-01',
  'anthropic-beta': [
    'claude-code-20250219',
    'interleaved-thinking-2025-05-14',
    'context-management-2025-06-27',
    'per-turn-control-2026-07-01',
    'mid-conversation-tool-changes-2026-07-01',
    'thinking-token-count-2026-05-13',
    'advanced-tool-use-2025-11-20',
    'effort-2025-11-24',
  ].join(','),
  'user-agent': 'claude-cli/2.1.330 (external, sdk-cli)',
  'x-app': 'cli',
  'x-claude-code-session-id': SESSION_ID,
};

const mark = { cache_control: { type: 'ephemeral' } };
const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });

const search = {
  name: 'ToolSearch',
  description: 'Finds tools by what they do.',
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { query: { type: 'string' }, max_results: { type: 'number', default: 5 } },
    required: ['query', 'max_results'],
    additionalProperties: false,
  },
};
const placeholder = {
  name: 'DeferredToolPlaceholder',
  description: 'Stands for tools that can be loaded.',
  input_schema: { type: 'object', properties: {} },
  defer_loading: true,
};
const write = {
  name: 'Write',
  description: 'Writes a file.',
  input_schema: {
    type: 'object',
    properties: { path: { type: 'string' }, words: { type: 'string' } },
    required: ['path', 'words'],
    additionalProperties: false,
  },
};

const RULES = 'The folder is /home/dev/demo.\nMore tools can be found: Write.';
const TASK = 'create a file hello.txt with the word hi';

/**
 * Returns the request of a turn.
 * @param turn from 1 to 3
 * @param sum checksum in the billing line, which some versions of the agent change in each request
 */
export function agentTurn(turn: 1 | 2 | 3, { model, sum }: { model: string; sum: string }): MessagesRequest {
  const isFirst = turn === 1;
  const rules = { role: 'system', content: isFirst ? [text(RULES, mark)] : RULES, output_config: { effort: 'medium' } };
  const found = {
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: [{ type: 'tool_reference', tool_name: 'Write' }],
  };
  const written = { type: 'tool_result', tool_use_id: 'toolu_2', content: 'Wrote 2 bytes.' };
  const conversation = [
    { role: 'user', content: [text('Commits are not signed here.'), text(TASK)] },
    rules,
    {
      role: 'assistant',
      content: [
        text('I need a tool for that.'),
        { type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { query: 'write a file', max_results: 5 } },
      ],
    },
    { role: 'user', content: [turn === 2 ? { ...found, ...mark } : found] },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_2', name: 'Write', input: { path: 'hello.txt', words: 'hi' } }],
    },
    { role: 'user', content: [{ ...written, ...mark }] },
  ];
  return {
    model,
    messages: conversation.slice(0, turn * 2),
    system: [
      text(`x-anthropic-billing-header: cc_version=2.1.330.03d; cc_entrypoint=sdk-cli; cch=${sum};`),
      text('You help with code.', mark),
      text('Keep answers short.', mark),
    ],
    tools: turn === 3 ? [search, placeholder, write] : [search, placeholder],
    metadata: { user_id: JSON.stringify({ device_id: 'd'.repeat(64), account_uuid: '', session_id: SESSION_ID }) },
    max_tokens: 32_000,
    thinking: { type: 'adaptive', display: 'omitted' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'medium' },
    stream: true,
  } as unknown as MessagesRequest;
}
