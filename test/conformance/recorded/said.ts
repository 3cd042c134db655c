/** Content of an answer, independent of the wire. */

import type { MessagesEvent } from '../../../lambdas/messages/types.ts';

export interface Said {
  text: string;
  thinking: string;
  tools: { name: string; input: unknown }[];
  /** Stop reason of the Messages API; undefined for an incomplete recording. */
  stop: string | undefined;
  /** Usage as in the Messages API: cached tokens are not part of the input, and reasoning is part of the output. */
  usage: Usage | undefined;
}

interface Usage {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
}

/** Returns the JSON of server-sent events, without `[DONE]`. */
export function eventData(sse: string): Record<string, unknown>[] {
  return sse
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => JSON.parse(data) as Record<string, unknown>);
}

/** Returns the content of the gateway's events. */
export function heard(events: MessagesEvent[]): Said {
  const blocks: { type: string; name: string; words: string; input: unknown }[] = [];
  const said: Said = { text: '', thinking: '', tools: [], stop: undefined, usage: undefined };
  const usage: Record<string, number | null | undefined> = {};
  for (const event of events) {
    if (event.type === 'message_start') Object.assign(usage, withoutNulls(event.message.usage));
    else if (event.type === 'content_block_start') {
      const { type, name, text, thinking, input } = event.content_block as Record<string, string> & { type: string };
      blocks[event.index] = { type, name: name ?? '', words: text ?? thinking ?? '', input };
    } else if (event.type === 'content_block_delta') {
      const { delta } = event;
      if (delta.type === 'text_delta') blocks[event.index]!.words += delta.text;
      if (delta.type === 'thinking_delta') blocks[event.index]!.words += delta.thinking;
      if (delta.type === 'input_json_delta') blocks[event.index]!.words += delta.partial_json;
    } else if (event.type === 'message_delta') {
      said.stop = event.delta.stop_reason ?? said.stop;
      said.usage = usageOf(Object.assign(usage, withoutNulls(event.usage)));
    } else if (event.type === 'error') said.stop = 'error';
  }
  for (const { type, name, words, input } of blocks) {
    if (type === 'text') said.text += words;
    if (type === 'thinking') said.thinking += words;
    if (type === 'tool_use') said.tools.push({ name, input: words === '' ? input : callInput(words) });
  }
  return said;
}

/** Parses the input of a call. Truncated JSON stays text. */
export function callInput(json: string): unknown {
  try {
    return JSON.parse(json === '' ? '{}' : json);
  } catch {
    return json;
  }
}

function withoutNulls(usage: object): object {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null));
}

function usageOf(usage: Record<string, number | null | undefined>): Usage | undefined {
  const { input_tokens: input, output_tokens: output } = usage;
  if (input == null || output == null) return undefined;
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return { input, output, cacheRead: read ?? 0, cacheWrite: written ?? 0 };
}
