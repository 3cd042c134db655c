/** Compares two requests of the Messages API by their meaning for a model. */

import { isDeepStrictEqual } from 'node:util';
import type { OpenaiChatQuirks, Quirks } from '../../../lambdas/catalog/quirk-schemas.ts';

type Json = Record<string, unknown>;

/** Describes each part in which the second request differs from the first. */
export function differingParts(said: Json, heard: Json, quirks: Quirks): string[] {
  const [one, other] = [meaningOf(said, quirks), meaningOf(heard, quirks)];
  return (Object.keys(one) as (keyof typeof one)[])
    .filter((part) => !isDeepStrictEqual(one[part], other[part]))
    .map((part) => `${part} became ${excerpt(other[part])} instead of ${excerpt(one[part])}`);
}

function excerpt(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}

function meaningOf(request: Json, quirks: Quirks) {
  const calls: string[] = [];
  const {
    system,
    messages,
    tools,
    tool_choice: choice,
    output_config: output,
  } = request as {
    system?: string | Json[];
    messages: { role: string; content: string | Json[] }[];
    tools?: Json[];
    tool_choice?: Json;
    output_config?: { format?: { schema: unknown } };
  };
  return {
    system: blocksOf(system ?? '', calls, quirks),
    messages: turnsOf(messages).map(({ role, content }) => ({ role, content: blocksOf(content, calls, quirks) })),
    tools: tools?.map(({ name, description, input_schema: schema }) => ({
      name,
      description: description || undefined,
      schema,
    })),
    choice: choice && { ...choice },
    format: output?.format?.schema,
    sampling: ['temperature', 'top_p', 'top_k', 'stop_sequences', 'max_tokens'].map((field) => request[field]),
  };
}

/** Merges adjacent messages of one role. */
function turnsOf(messages: { role: string; content: string | Json[] }[]) {
  const turns: { role: string; content: Json[] }[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (turns.at(-1)?.role === role) turns.at(-1)!.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  }
  return turns;
}

/**
 * Removes parts that a wire may omit, such as empty texts and cache marks, and thinking if the provider does not accept
 * it in requests.
 */
function blocksOf(content: string | Json[], calls: string[], quirks: Quirks): Json[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const takesThinking = (quirks as OpenaiChatQuirks).reasoning_history === 'reasoning_content';
  return joined(blocks).flatMap((block): Json[] => {
    switch (block['type']) {
      case 'text':
        return block['text'] === '' ? [] : [{ text: block['text'] }];
      case 'thinking':
        return takesThinking
          ? [{ thinking: String(block['thinking']).trim() }].filter(({ thinking }) => thinking !== '')
          : [];
      case 'tool_use':
        calls.push(block['id'] as string);
        return [{ call: calls.length, name: block['name'], input: block['input'] }];
      case 'tool_result':
        return [
          {
            result: calls.indexOf(block['tool_use_id'] as string),
            content: blocksOf(block['content'] as string, [], quirks),
          },
        ];
      default:
        return [{ type: block['type'], source: block['source'] }];
    }
  });
}

function joined(blocks: Json[]): Json[] {
  const all: Json[] = [];
  for (const block of blocks) {
    const last = all.at(-1);
    if (last?.['type'] === 'text' && block['type'] === 'text' && last['text'] !== '' && block['text'] !== '') {
      last['text'] = `${String(last['text'])}\n\n${String(block['text'])}`;
    } else all.push({ ...block });
  }
  return all;
}
