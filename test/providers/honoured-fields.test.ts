/**
 * A field that is added to a request or one of its blocks must change the provider's request, or be refused by name.
 * docs/wires/README.md lists the fields that may be omitted.
 */

import { describe, expect, it } from 'vitest';
import type { MessagesWireName } from '../../lambdas/catalog/wires.ts';
import type { Quirks } from '../../lambdas/catalog/quirk-schemas.ts';
import type { Block, MessagesRequest } from '../../lambdas/messages/types.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

/** With these quirks, each wire expresses the most fields. */
const quirks: Partial<Record<MessagesWireName, object>> = {
  'openai-chat': { reasoning_request: 'reasoning_effort', user_field: true, pdf_files: true },
  'openai-responses': { safety_identifier: true, pdf_files: true },
  'google-gemini': { thinking_budget: { least: 0, most: 20_000 }, media_in_results: true },
  'bedrock-converse': { family: 'claude', pdf_files: true },
};
const translated = Object.keys(quirks) as MessagesWireName[];
const parameters = 'temperature top_p top_k stop tools tool_choice reasoning response_format structured_outputs';

function bodyOf(wire: MessagesWireName, request: Partial<MessagesRequest>): string {
  const target = {
    providerId: 'acme',
    upstreamModel: 'm',
    maxOutputTokens: 20_000,
    supportedParameters: `${parameters} frequency_penalty presence_penalty repetition_penalty`.split(' '),
    quirks: quirks[wire] as Quirks,
  };
  return messagesWire(wire)!.encode(
    { model: 'a/b', messages: usual.messages!, max_tokens: 9_000, ...request },
    target,
    client,
  ).body;
}

/** Whether the body is the same with and without a field; undefined if the request with the field is refused. */
function isSame(wire: MessagesWireName, without: Partial<MessagesRequest>, more: Partial<MessagesRequest>) {
  const body = bodyOf(wire, without);
  try {
    return bodyOf(wire, { ...without, ...more }) === body;
  } catch (error) {
    expect(error).toMatchObject({ kind: 'invalid_request', metadata: { field: expect.any(String) as unknown } });
    return undefined;
  }
}

const look = {
  name: 'look',
  input_schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
};
const usual: Partial<MessagesRequest> = {
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [look],
  tool_choice: { type: 'auto' },
  thinking: { type: 'enabled', budget_tokens: 5_000 },
  output_config: { format: { type: 'json_schema', schema: look.input_schema } },
};
const format = usual.output_config!.format!;
const withTool = (more: object): Partial<MessagesRequest> => ({ tools: [{ ...look, ...more }] });

const fields: [string, Partial<MessagesRequest>][] = [
  ['system', { system: 'Be short' }],
  ['messages.0.name', { messages: [{ role: 'user', content: 'Hi', name: 'Eve' } as MessagesRequest['messages'][0]] }],
  ['max_tokens', { max_tokens: 8_000 }],
  ['stop_sequences', { stop_sequences: ['END'] }],
  ['temperature', { temperature: 0.5 }],
  ['top_p', { top_p: 0.5 }],
  ['top_k', { top_k: 5 }],
  ['frequency_penalty', { frequency_penalty: 0.5 }],
  ['presence_penalty', { presence_penalty: 0.5 }],
  ['repetition_penalty', { repetition_penalty: 1.5 }],
  ['tool_choice any', { tool_choice: { type: 'any' } }],
  ['tool_choice none', { tool_choice: { type: 'none' } }],
  ['tool_choice tool', { tool_choice: { type: 'tool', name: 'look' } }],
  ['tool_choice.newer', { tool_choice: { type: 'auto', newer: true } as MessagesRequest['tool_choice'] & object }],
  ['thinking disabled', { thinking: { type: 'disabled' } }],
  ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 2_000 } }],
  ['thinking.newer', { thinking: { type: 'enabled', budget_tokens: 5_000, newer: true } }],
  ['output_config.newer', { output_config: { newer: true, format } }],
  ['output_config.format.newer', { output_config: { format: { ...format, newer: true } as typeof format } }],
  ['tools.0.description', withTool({ description: 'Looks' })],
  ['tools.0.input_examples', withTool({ input_examples: [{ a: 5 }] })],
  ['tools.0.strict', withTool({ strict: true })],
  ['tools.0.defer_loading', withTool({ defer_loading: true })],
  ['tools.0.newer', withTool({ newer: true })],
];

const hints: [string, Partial<MessagesRequest>][] = [
  ['stream', { stream: true }],
  ['cache_control', { cache_control: { type: 'ephemeral' } }],
  ['context_management', { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } }],
  ['betas', { betas: ['some-beta'] }],
  ['diagnostics', { diagnostics: { previous_message_id: 'm' } }],
  ['service_tier', { service_tier: 'auto' }],
  ['speed', { speed: 'standard' }],
  ['inference_geo', { inference_geo: 'global' }],
  ['metadata', { metadata: { user_id: 'u', session: 's' } }],
  ['tools.0.cache_control', withTool({ cache_control: { type: 'ephemeral' } })],
  ['tools.0.eager_input_streaming', withTool({ eager_input_streaming: true })],
];

/** Gemini and Converse have no field for a single call, so the gateway passes on only the first call. */
const byTheAnswer = new Set(
  ['google-gemini', 'bedrock-converse'].map((wire) => `${wire} tool_choice.disable_parallel_tool_use`),
);

const asked = (content: Block[]): Partial<MessagesRequest> => ({ messages: [{ role: 'user', content }] });
const text: Block = { type: 'text', text: 'Hi' };
const txt: Block = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Once' } };
const pdf: Block = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } };
const png: Block = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } };
const answered = (result: object): Partial<MessagesRequest> => ({
  tools: [look],
  messages: [
    { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'look', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'Seen', ...result }] },
  ],
});

const parts: [string, Partial<MessagesRequest>, Partial<MessagesRequest>][] = [
  ['an effort', { thinking: { type: 'adaptive' } }, { output_config: { effort: 'low' } }],
  ['an image', asked([text]), asked([text, png])],
  ['a text document', asked([text]), asked([text, txt])],
  ['a PDF', asked([text]), asked([text, pdf])],
  [
    'a search result',
    asked([text]),
    asked([text, { type: 'search_result', source: 's', title: 't', content: [text] }]),
  ],
  ['a block of a newer type', asked([text]), asked([text, { type: 'newer' }])],
  ['the title of a text document', asked([text, txt]), asked([text, { ...txt, title: 'T' }])],
  ['the context of a text document', asked([text, txt]), asked([text, { ...txt, context: 'C' }])],
  ['the citations of a text document', asked([text, txt]), asked([text, { ...txt, citations: { enabled: true } }])],
  ['the title of a PDF', asked([text, pdf]), asked([text, { ...pdf, title: 'T' }])],
  ['the context of a PDF', asked([text, pdf]), asked([text, { ...pdf, context: 'C' }])],
  ['the citations of a PDF', asked([text, pdf]), asked([text, { ...pdf, citations: { enabled: true } }])],
  ['an error of a tool', answered({}), answered({ is_error: true })],
  ['an image in a result', answered({ content: [text] }), answered({ content: [text, png] })],
  ['a PDF in a result', answered({ content: [text] }), answered({ content: [text, pdf] })],
  ['the title of a PDF in a result', answered({ content: [pdf] }), answered({ content: [{ ...pdf, title: 'T' }] })],
  ['the context of a PDF in a result', answered({ content: [pdf] }), answered({ content: [{ ...pdf, context: 'C' }] })],
  ['a newer block in a result', answered({ content: [text] }), answered({ content: [text, { type: 'newer' }] })],
];

describe.each(translated)('an encoded request over %s', (wire) => {
  it.each([
    ...fields,
    ['tool_choice.disable_parallel_tool_use', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
  ] as typeof fields)('contains %s or is refused, unless the gateway applies the field to the answer', (name, more) => {
    expect(isSame(wire, usual, more) ?? false).toBe(byTheAnswer.has(`${wire} ${name}`));
  });

  it.each(hints)('is not refused for the hint %s', (_name, more) => {
    expect(isSame(wire, usual, more)).not.toBe(undefined);
  });

  it.each(parts)('contains %s, or is refused', (_name, without, more) => {
    expect(isSame(wire, without, more) ?? false).toBe(false);
  });
});
