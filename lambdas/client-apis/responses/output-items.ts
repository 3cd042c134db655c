/** Items of the output of a response, made from the blocks of an answer. */

import { append } from '../../platform/append.ts';
import { logprobsOf, type TokenLogprob } from '../../messages/token-logprob.ts';
import type { Block } from '../../messages/types.ts';
import { without } from '../../messages/without.ts';
import { urlAnnotations } from '../citations.ts';
import type { ToolNames } from '../tool-names.ts';
import { customInput } from '../custom-tools.ts';
import { sealedThinking } from './sealed-thinking.ts';

/** An answer has to know this of its request. */
export interface OutputSettings {
  tools: ToolNames;
  showsSources: boolean;
  /** Where no summary was asked for, thinking is only there to be sent back. */
  showsThinking: boolean;
}

export type OutputItem = Record<string, unknown> & { type: string; id: string };

/** Ids of items are those of no other answer: clients keep them for a whole conversation. */
export function itemId(prefix: string, generationId: string, index: number): string {
  return `${prefix}_${generationId.replace(/^gen-/, '').replaceAll('-', '')}${index.toString(16).padStart(4, '0')}`;
}

/** Thinking as an item. */
export function reasoningItem(id: string, block: Block, { showsThinking }: OutputSettings): OutputItem {
  const text = showsThinking ? ((block['thinking'] ?? '') as string) : '';
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return { type: 'reasoning', id, summary, encrypted_content: sealedThinking(block) };
}

export interface OutputText {
  text: string;
  annotations: object[];
  /** Where the client has asked for the probabilities of its tokens. */
  logprobs: TokenLogprob[];
}

/** Several blocks of text that follow each other, as one text with annotations of its places. */
export function joinOutputText(blocks: readonly Block[]): OutputText {
  let text = '';
  const annotations: object[] = [];
  const logprobs: TokenLogprob[] = [];
  for (const block of blocks) {
    const start = text.length;
    append(logprobs, logprobsOf(block));
    text += (block['text'] ?? '') as string;
    append(annotations, flatAnnotations(block['citations'], start, text.length));
  }
  return { text, annotations, logprobs };
}

/** The annotations of this API have their members beside the type. */
export function flatAnnotations(citations: unknown, start: number, end: number): object[] {
  return urlAnnotations(citations, start, end).map(({ type, url_citation: page }) => ({
    type,
    ...without(page, 'content'),
  }));
}

export function textPart({ text, annotations, logprobs }: OutputText): object {
  return { type: 'output_text', text, annotations, logprobs };
}

/** Words with which the model refuses are a part of another type. */
export function shownRefusal({ text }: OutputText): object {
  return { type: 'refusal', refusal: text };
}

export function messageItem(id: string, status: 'in_progress' | 'completed', content: object[]): OutputItem {
  return { type: 'message', id, status, role: 'assistant', content };
}

/** A call of a function, of a tool whose input is a text, or of the client's tool search, by the names that its client has declared. */
export function callItem(id: string, { id: callId, name: sent, input }: Block, { tools }: OutputSettings): OutputItem {
  const { name, namespace, kind } = tools.clientTool(sent as string);
  const call = { id, status: 'completed', call_id: callId };
  const called = { ...call, ...(namespace === undefined ? {} : { namespace }), name };
  switch (kind) {
    case 'custom':
      return { type: 'custom_tool_call', ...called, input: customInput(input) };
    case 'tool_search':
      return { type: 'tool_search_call', ...call, execution: 'client', arguments: input ?? {} };
    case 'function':
      return { type: 'function_call', ...called, arguments: JSON.stringify(input ?? {}) };
  }
}

/** A search of the gateway, with what it has found. */
export function searchItem(
  id: string,
  call: Block,
  found: Block | undefined,
  { showsSources }: OutputSettings,
): OutputItem {
  const { query } = (call['input'] ?? {}) as { query?: unknown };
  const pages = Array.isArray(found?.['content']) ? (found['content'] as { url?: unknown }[]) : [];
  const sources = pages.flatMap(({ url }) => (typeof url === 'string' ? [{ type: 'url', url }] : []));
  return {
    type: 'web_search_call',
    id,
    status: 'completed',
    action: { type: 'search', query: typeof query === 'string' ? query : '', ...(showsSources ? { sources } : {}) },
  };
}
