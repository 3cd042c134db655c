/** Converts a conversation to input items of the Responses API. */

import { wellFormedJson } from '../../platform/json/well-formed.ts';
import { append } from '../../platform/append.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import { DETAIL, PHASE, type Block, type MessagesRequest } from '../../messages/types.ts';
import { toolCallId } from '../tool-call-id.ts';
import { unreadableDocument } from '../translated/documents.ts';
import { imageUrl, inlineDocument } from '../translated/media.ts';
import { unsupportedBlock } from '../translated/supported-fields.ts';
import { EMPTY_RESULT, placeBlocks, blockText, toTurns, withoutBlanks, type Placed } from '../translated/turns.ts';
import { endsCache, withBreakpoint } from './cache-breakpoints.ts';
import type { ResponsesItem } from './item.ts';
import { unsealReasoning } from './sealed-reasoning.ts';
import type { ResponsesTarget } from './target.ts';

interface MessageItem extends ResponsesItem {
  type: 'message';
  content: ResponsesItem[];
  phase?: string | undefined;
}

export function inputItems({ messages }: MessagesRequest, target: ResponsesTarget): ResponsesItem[] {
  const items = toTurns(messages).flatMap(({ role, messages: turnMessages }): ResponsesItem[] => {
    switch (role) {
      case 'system': {
        const texts = withoutBlanks(turnMessages.flat());
        return texts.length > 0 ? [systemItem(texts, '\n', target)] : [];
      }
      case 'assistant':
        return assistantTurn(turnMessages, target);
      case 'user':
        return userItems(turnMessages.flat(), target);
    }
  });
  return withoutRepeatedReasoning(items);
}

/** Drops repetitions of reasoning, which OpenAI rejects (https://github.com/HKUDS/nanobot/issues/3633). */
function withoutRepeatedReasoning(items: ResponsesItem[]): ResponsesItem[] {
  const seen = new Set<unknown>();
  return items.filter(({ type, id }) => type !== 'reasoning' || id === undefined || (!seen.has(id) && seen.add(id)));
}

function assistantTurn(messages: Placed[][], target: ResponsesTarget): ResponsesItem[] {
  const items = withoutLooseReasoning(messages.flatMap((blocks) => assistantItems(blocks, target)));
  return target.quirks.message_phase ? withPhases(items) : items;
}

/** Returns the items of one message in order, so that reasoning stays directly before the item that followed it. */
function assistantItems(blocks: Placed[], target: ResponsesTarget): ResponsesItem[] {
  const items: ResponsesItem[] = [];
  for (const placed of blocks) {
    const item = assistantItem(placed, target);
    if (item === undefined) continue;
    const previous = items.at(-1);
    if (isMessage(item) && previous && isMessage(previous) && item.phase === previous.phase)
      append(previous.content, item.content);
    else items.push(item);
  }
  return items;
}

function assistantItem(placed: Placed, target: ResponsesTarget): ResponsesItem | undefined {
  const { block, path } = placed;
  switch (block.type) {
    case 'text': {
      const phase = target.quirks.message_phase ? block[PHASE] : undefined;
      const item = messageItem('assistant', [{ type: 'output_text', text: block['text'] }]);
      return isBlank(block['text']) ? undefined : { ...item, phase };
    }
    case 'thinking':
      return target.supportedParameters.includes('reasoning') ? unsealReasoning(placed, target.providerId) : undefined;
    case 'redacted_thinking':
      return undefined;
    case 'tool_use':
      return {
        type: 'function_call',
        call_id: callId(block['id']),
        name: block['name'],
        arguments: wellFormedJson(block['input']),
      };
    default:
      throw unsupportedBlock(block, path);
  }
}

/** Drops reasoning at the end of a turn, for example of an answer that was cut off. The API would reject it. */
function withoutLooseReasoning(items: ResponsesItem[]): ResponsesItem[] {
  return items.slice(0, items.findLastIndex(({ type }) => type !== 'reasoning') + 1);
}

/**
 * Adds phases to the messages of a turn for which the client sent no phase. Without phases, some models of OpenAI mistake text before a tool call for the
 * final answer, and stop early.
 */
function withPhases(items: ResponsesItem[]): ResponsesItem[] {
  const phase = items.some(({ type }) => type === 'function_call') ? 'commentary' : 'final_answer';
  return items.map((item) => (isMessage(item) ? { ...item, phase: item.phase ?? phase } : item));
}

/** Returns tool results first, so that they are near their calls, and then the rest of the user's content. */
function userItems(blocks: Placed[], target: ResponsesTarget): ResponsesItem[] {
  const results = blocks.filter(({ block }) => block.type === 'tool_result');
  const rest = blocks.filter(({ block }) => block.type !== 'tool_result');
  const content = rest.flatMap((placed) => inputParts(placed, target));
  return [
    ...results.map((placed) => resultItem(placed, target)),
    ...(content.length > 0 ? [messageItem('user', content)] : []),
  ];
}

/** Converts a tool result. Its item has no error field, so the text states that the tool failed. */
function resultItem({ block, path }: Placed, target: ResponsesTarget): ResponsesItem {
  const placed = placeBlocks((block['content'] ?? '') as string | Block[], `${path}.content`);
  const prefix = block['is_error'] === true ? 'Error: ' : '';
  const item = { type: 'function_call_output', call_id: callId(block['tool_use_id']) };
  const isMarked = [block, ...placed.map((inner) => inner.block)].some((one) => endsCache(one, target));
  if (placed.every((inner) => inner.block.type === 'text')) {
    const output = `${prefix}${placed.map(blockText).join('\n') || EMPTY_RESULT}`;
    return { ...item, output: isMarked ? withBreakpoint([inputText(output)], isMarked) : output };
  }
  const parts = placed.flatMap((inner) => unmarkedParts(inner, target));
  return { ...item, output: withBreakpoint(prefix === '' ? parts : [inputText('Error:'), ...parts], isMarked) };
}

function inputParts(placed: Placed, target: ResponsesTarget): ResponsesItem[] {
  return withBreakpoint(unmarkedParts(placed, target), endsCache(placed.block, target));
}

/** Returns the parts for a content block. Blank texts are dropped, because many providers reject them. */
function unmarkedParts({ block, path }: Placed, target: ResponsesTarget): ResponsesItem[] {
  switch (block.type) {
    case 'text':
      return isBlank(block['text']) ? [] : [inputText(block['text'] as string)];
    case 'image':
      return [
        { type: 'input_image', image_url: imageUrl(block, path, target.quirks), detail: block[DETAIL] ?? 'auto' },
      ];
    case 'document':
      return documentParts(block, path, target);
    default:
      throw unsupportedBlock(block, path);
  }
}

function documentParts(block: Block, path: string, { quirks }: ResponsesTarget): ResponsesItem[] {
  const document = inlineDocument(block, path);
  if (document.kind === 'text') return [inputText(document.text)];
  if (!quirks.pdf_files) throw unreadableDocument(document.kind, path);
  const file = {
    type: 'input_file',
    ...(document.kind === 'base64'
      ? { filename: document.filename, file_data: document.dataUrl }
      : { file_url: document.url }),
    ...(block[DETAIL] ? { detail: block[DETAIL] } : {}),
  };
  return document.about === '' ? [file] : [inputText(document.about), file];
}

/**
 * Returns a system message of texts that are not blank. They become one part for each cache mark, and one for the rest.
 */
export function systemItem(blocks: Placed[], separator: string, target: ResponsesTarget): ResponsesItem {
  const parts: ResponsesItem[] = [];
  let text = '';
  for (const [index, placed] of blocks.entries()) {
    text += `${index === 0 ? '' : separator}${blockText(placed)}`;
    const isMarked = endsCache(placed.block, target);
    if (!isMarked && index < blocks.length - 1) continue;
    append(parts, withBreakpoint([inputText(text)], isMarked));
    text = '';
  }
  return messageItem(target.quirks.system_role ?? 'developer', parts);
}

function inputText(text: string): ResponsesItem {
  return { type: 'input_text', text };
}

function messageItem(role: string, content: ResponsesItem[]): MessageItem {
  return { type: 'message', role, content };
}

function isMessage(item: ResponsesItem): item is MessageItem {
  return item.type === 'message';
}

function callId(id: unknown): string {
  return toolCallId(id as string, 'openaiResponses');
}
