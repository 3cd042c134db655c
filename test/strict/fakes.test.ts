/** Each strict fake refuses what its provider was reported to refuse, and takes the usual request: a fake that refuses nothing would make the matrix worthless. */

import { describe, expect, it } from 'vitest';
import { anthropicFake, anthropicRules } from './anthropic.ts';
import type { StrictFake } from './rules.ts';

const headers = { 'anthropic-version': '2023-06-01' };
const refusals = (fake: StrictFake, model: string, body: object) =>
  fake.refusals({ path: '/', headers, body: JSON.stringify(body) }, model);

const hello = { model: 'm', max_tokens: 8_000, stream: true, messages: [{ role: 'user', content: 'Hi' }] };
const look = { name: 'look', input_schema: { type: 'object' } };
const adaptive = { thinking: { type: 'adaptive' } };
const budget = { thinking: { type: 'enabled', budget_tokens: 2_000 } };
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] };
const said = (content: object[]) => ({ messages: [...hello.messages, { role: 'user', content }] });

describe('Claude, as strict as Anthropic', () => {
  it.each<[string, object]>([
    ['claude-haiku-4-5', budget],
    ['claude-opus-4-5', { ...budget, output_config: { effort: 'high' } }],
    ['claude-sonnet-4-6', { ...adaptive, output_config: { effort: 'max' } }],
    ['claude-opus-4-8', { ...adaptive, output_config: { effort: 'xhigh' } }],
    ['claude-sonnet-5-5', { thinking: { type: 'between_tools' }, output_config: { effort: 'high' } }],
    ['claude-fable-5', { tools: [look], tool_choice: { type: 'any' } }],
  ])('lets %s have %j', (model, more) => {
    expect(refusals(anthropicFake, model, { ...hello, ...more })).toEqual([]);
  });

  it.each<[string, object, RegExp]>([
    ['claude-haiku-4-5', adaptive, /thinking.type.adaptive/],
    ['claude-haiku-4-5', { output_config: { effort: 'low' } }, /effort/],
    ['claude-opus-4-8', budget, /thinking.type.enabled/],
    ['claude-sonnet-4-6', { ...adaptive, output_config: { effort: 'xhigh' } }, /effort/],
    ['claude-opus-5', { thinking: { type: 'disabled' }, output_config: { effort: 'max' } }, /effort/],
    ['claude-opus-5-5', { thinking: { type: 'disabled' } }, /thinking.type.disabled/],
    ['claude-sonnet-4-5', { ...budget, tools: [look], tool_choice: { type: 'any' } }, /tool_choice/],
    ['claude-fable-5-1', { tools: [look], tool_choice: { type: 'any' } }, /tool_choice/],
    ['claude-sonnet-4-5', { ...budget, temperature: 0.5 }, /temperature/],
    ['claude-sonnet-4-5', { temperature: 0.5, top_p: 0.5 }, /top_p/],
    ['claude-opus-4-8', { temperature: 1 }, /temperature/],
    ['claude-haiku-4-5', { max_tokens: 65_000 }, /max_tokens/],
    ['claude-haiku-4-5', { ...budget, max_tokens: 2_000 }, /budget_tokens/],
    ['claude-haiku-4-5', { stop_sequences: ['\n'] }, /stop_sequences/],
    ['claude-haiku-4-5', { seed: 1 }, /seed/],
    ['claude-haiku-4-5', said([{ type: 'text', text: ' ' }]), /non-whitespace/],
    ['claude-haiku-4-5', said([]), /non-empty/],
    ['claude-haiku-4-5', said([{ type: 'tool_result', tool_use_id: 'a', content: 'b' }]), /tool_use_id/],
    ['claude-haiku-4-5', { messages: [...hello.messages, call, hello.messages[0]] }, /tool_result/],
    ['claude-opus-4-8', { messages: [...hello.messages, { role: 'assistant', content: 'I' }] }, /prefill/],
    ['claude-haiku-4-5', { messages: [...hello.messages, { role: 'system', content: 'I' }] }, /system/],
    ['claude-haiku-4-5', { tools: [{ ...look, name: 'a.b' }] }, /name/],
    ['claude-haiku-4-5', { tools: [look, look] }, /unique/],
    ['claude-haiku-4-5', { tools: [{ ...look, input_schema: {} }] }, /input_schema/],
    ['claude-haiku-4-5', { tools: [{ ...look, strict: true }] }, /additionalProperties/],
    [
      'claude-haiku-4-5',
      said(Array.from({ length: 5 }, () => ({ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }))),
      /maximum of 4/,
    ],
    ['claude-haiku-4-5', said([{ type: 'text', text: 'a \ud83d' }]), /surrogate/],
  ])('does not let %s have %j', (model, more, reason) => {
    expect(refusals(anthropicFake, model, { ...hello, ...more }).join()).toMatch(reason);
  });
});

it('every rule names its source', () => {
  expect(anthropicRules.filter(({ source }) => !/^https:\/\/\S+$/.test(source))).toEqual([]);
});
