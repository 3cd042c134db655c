import { append } from '../../platform/append.ts';
import { logprobsOf, type TokenLogprob } from '../../messages/token-logprob.ts';
import { PHASE, WRITTEN, type Block } from '../../messages/types.ts';
import { without } from '../../messages/without.ts';
import type { AnswerFormat } from '../common-fields.ts';
import { urlAnnotations } from '../citations.ts';
import { isRefusal } from '../../messages/refusal-block.ts';
import type { ToolNames } from '../tool-names.ts';
import { customInput } from '../custom-tools.ts';
import { sealedThinking } from './sealed-thinking.ts';

export interface OutputSettings {
  tools: ToolNames;
  showsSources: boolean;
  /** Whether the answer has a summary of the thinking. `encrypted_content` has the thinking in any case. */
  showsThinking: boolean;
  /** Requested format; undefined if the request has none. */
  format?: AnswerFormat | undefined;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

export type OutputItem = Record<string, unknown> & { type: string; id: string };

/** Returns the id of an item. It is unique across all answers, because clients keep ids for a whole conversation. */
export function itemId(prefix: string, generationId: string, index: number): string {
  return `${prefix}_${generationId.replace(/^gen-/, '').replaceAll('-', '')}${index.toString(16).padStart(4, '0')}`;
}

/** Converts a thinking block to an item. */
export function reasoningItem(id: string, block: Block, { showsThinking }: OutputSettings): OutputItem {
  const text = showsThinking ? ((block['thinking'] ?? '') as string) : '';
  const summary = text === '' ? [] : [{ type: 'summary_text', text }];
  return { type: 'reasoning', id, summary, encrypted_content: sealedThinking(block) };
}

export interface OutputText {
  text: string;
  annotations: object[];
  /** Token probabilities; empty unless the client requested them. */
  logprobs: TokenLogprob[];
}

/** Joins adjacent text blocks into one text, and moves their annotations to the positions in the joined text. */
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

/** Returns annotations in the form of the Responses API, in which `url` and `title` are next to `type`. */
export function flatAnnotations(citations: unknown, start: number, end: number): object[] {
  return urlAnnotations(citations, start, end).map(({ type, url_citation: page }) => ({
    type,
    ...without(page, 'content'),
  }));
}

/** Returns the content part of the message that begins with a block. A refusal has its own type. */
export function contentPart(first: Block, { text, annotations, logprobs }: OutputText): object {
  return isRefusal(first) ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations, logprobs };
}

/** Returns the message item that begins with a block. */
export function messageItem(id: string, status: ItemStatus, content: object[], first: Block): OutputItem {
  return { type: 'message', id, status, role: 'assistant', content, phase: first[PHASE] };
}

/** Whether a text block belongs to the message that begins with another block. */
export function continuesMessage(first: Block, block: Block): boolean {
  return block.type === first.type && isRefusal(block) === isRefusal(first) && block[PHASE] === first[PHASE];
}

/** Whether the arguments of a call are certainly complete, even if the answer ends after them at its token limit. */
export function isCompleteCall({ input, [WRITTEN]: written }: Block): boolean {
  return written === undefined && Object.keys(input ?? {}).length > 0;
}

/**
 * Returns the item for a call, with the client's names. Invalid arguments are sent as written, so that clients do not
 * run the call.
 */
export function callItem(id: string, block: Block, { tools }: OutputSettings): OutputItem {
  const { id: callId, name: sent, input, [WRITTEN]: written } = block;
  const { name, namespace, kind, expectsEncrypted } = tools.clientTool(sent as string);
  const call = { id, status: 'completed', call_id: callId };
  const called = { ...call, ...(namespace === undefined ? {} : { namespace }), name };
  switch (kind) {
    case 'custom':
      return { type: 'custom_tool_call', ...called, input: written ?? customInput(input) };
    case 'tool_search':
      return { type: 'tool_search_call', ...call, execution: 'client', arguments: input ?? {} };
    case 'function':
      return {
        type: 'function_call',
        ...called,
        arguments: written ?? JSON.stringify(input ?? {}),
        // Without this list, Codex sends the plain message of an agent on as encrypted content, which OpenAI rejects
        // (https://github.com/openai/codex/pull/35845).
        ...(expectsEncrypted ? { encrypted_function_args: [] } : {}),
      };
  }
}

/** Returns the item of a search that the gateway made, with the found pages if the client requested them. */
export function searchItem(id: string, call: Block, found: Block, { showsSources }: OutputSettings): OutputItem {
  const { query } = (call['input'] ?? {}) as { query?: unknown };
  const pages = Array.isArray(found['content']) ? (found['content'] as { url?: unknown }[]) : [];
  const sources = pages.flatMap(({ url }) => (typeof url === 'string' ? [{ type: 'url', url }] : []));
  return {
    type: 'web_search_call',
    id,
    status: 'completed',
    action: { type: 'search', query: typeof query === 'string' ? query : '', ...(showsSources ? { sources } : {}) },
  };
}
