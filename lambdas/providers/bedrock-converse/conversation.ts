/** Converts the conversation for Converse: user and assistant messages alternate, and tool results come first. */

import { append } from '../../platform/append.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import { hasGatewaySignature, signatureOf } from '../../messages/thinking-signatures.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';
import { toolCallId } from '../tool-call-id.ts';
import { searchResultTexts } from '../translated/search-results.ts';
import { unsupportedBlock } from '../translated/supported-fields.ts';
import {
  BEGINNING_TEXT,
  EMPTY_RESULT,
  HAS_RESULTS,
  placeBlocks,
  toTurns,
  type Placed,
  type Turn,
} from '../translated/turns.ts';
import { cachePointAfter, isCachePoint, withAcceptedPoints } from './cache-points.ts';
import { familyOf, signerOf, type ConverseTarget } from './families.ts';
import { DOCUMENT_TEXT, documentBlock, DocumentNames, imageBlock } from './media.ts';

export interface ConverseMessage {
  role: 'user' | 'assistant';
  content: object[];
}

interface Conversation {
  system: object[];
  messages: ConverseMessage[];
}

/**
 * Returns the system prompt and the messages in Converse's form.
 * @throws {GatewayError} 400 for content that the model does not support
 */
export function toConversation(request: MessagesRequest, target: ConverseTarget): Conversation {
  const names = new DocumentNames();
  const turns = toTurns(request.messages);
  // System messages before the first other message belong to the system prompt. Later ones keep their place.
  // If there are only system messages, they stay messages, because the model needs a message to answer.
  const begin = Math.max(
    0,
    turns.findIndex(({ role }) => role !== 'system'),
  );
  const before = turns.slice(0, begin);
  const system = [...placeBlocks(request.system ?? [], 'system'), ...before.flatMap(({ messages }) => messages.flat())];
  const messages: ConverseMessage[] = [];
  for (const turn of turns.slice(begin)) appendMessage(messages, toMessage(turn, target, names));
  return {
    system: withContent(system.flatMap((placed) => textBlocks(placed, 'system', target))),
    messages: withAutomaticPoint(
      target.quirks.separate_tool_turns ? messages.flatMap(apartFromTools) : messages,
      request,
      target,
    ).map(({ role, content }) => ({ role, content: withAcceptedPoints(content, target) })),
  };
}

function toMessage({ role, messages }: Turn, target: ConverseTarget, names: DocumentNames): ConverseMessage {
  const blocks = messages.flat();
  switch (role) {
    case 'assistant':
      return { role, content: blocks.flatMap((placed) => assistantBlocks(placed, target)) };
    case 'user':
      return { role, content: userBlocks(blocks, target, names) };
    case 'system':
      return { role: 'user', content: blocks.flatMap((placed) => systemInTag(placed, target)) };
  }
}

/**
 * Appends a message, or adds its content to the last one: Converse rejects consecutive messages of the same role, and
 * empty messages.
 */
function appendMessage(messages: ConverseMessage[], next: ConverseMessage): void {
  if (next.content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === next.role) append(last.content, next.content);
  else messages.push(next);
}

/**
 * Splits a message with tool calls or results and other content. Llama rejects such messages
 * (https://github.com/strands-agents/harness-sdk/issues/1223).
 */
function apartFromTools({ role, content }: ConverseMessage): ConverseMessage[] {
  const ofTools = { role, content: content.filter(isOfTool) };
  const others = { role, content: content.filter((block) => !isOfTool(block)) };
  if (ofTools.content.length === 0 || others.content.length === 0) return [{ role, content }];
  return role === 'user'
    ? [ofTools, { role: 'assistant', content: [{ text: HAS_RESULTS }] }, others]
    : [others, { role: 'user', content: [{ text: BEGINNING_TEXT }] }, ofTools];
}

const isOfTool = (block: object): boolean => 'toolUse' in block || 'toolResult' in block;

function withContent(blocks: object[]): object[] {
  return blocks.some((block) => !isCachePoint(block)) ? blocks : [];
}

/** Adds a cache point after the last message, if the request itself (not one of its blocks) has a cache mark. */
function withAutomaticPoint(
  messages: ConverseMessage[],
  request: MessagesRequest,
  target: ConverseTarget,
): ConverseMessage[] {
  const last = messages.at(-1);
  if (!last || isCachePoint(last.content.at(-1))) return messages;
  const point = cachePointAfter(request, 'messages', target);
  return [...messages.slice(0, -1), { ...last, content: [...last.content, ...point] }];
}

/** Converts a text block. Models on Converse reject blank texts, so they are dropped. */
function textBlocks({ block, path }: Placed, place: 'system' | 'messages', target: ConverseTarget): object[] {
  if (block.type !== 'text') throw unsupportedBlock(block, path);
  if (isBlank(block['text'])) return [];
  return [{ text: block['text'] }, ...cachePointAfter(block, place, target)];
}

function systemInTag(placed: Placed, target: ConverseTarget): object[] {
  const [first, ...rest] = textBlocks(placed, 'messages', target) as { text?: string }[];
  return first ? [{ text: `<system>\n${first.text}\n</system>` }, ...rest] : [];
}

function assistantBlocks(placed: Placed, target: ConverseTarget): object[] {
  const { block, path } = placed;
  switch (block.type) {
    case 'text':
      return textBlocks(placed, 'messages', target);
    case 'thinking': {
      const signature = signatureFor(target, block);
      return signature === undefined
        ? []
        : [{ reasoningContent: { reasoningText: { text: block['thinking'], signature } } }];
    }
    case 'redacted_thinking': {
      const data = signatureFor(target, block);
      return data === undefined ? [] : [{ reasoningContent: { redactedContent: data } }];
    }
    case 'tool_use':
      return [
        { toolUse: { toolUseId: converseCallId(block['id']), name: block['name'], input: block['input'] ?? {} } },
        ...cachePointAfter(block, 'messages', target),
      ];
    default:
      throw unsupportedBlock(block, path);
  }
}

/**
 * Returns the signature of a thinking block; undefined if this model cannot read the block, which is then dropped.
 * Claude models accept each other's signatures, any other model only its own.
 */
function signatureFor(target: ConverseTarget, block: Block): string | undefined {
  if (!familyOf(target).hasAnthropicSignatures) return signatureOf(signerOf(target), block);
  if (hasGatewaySignature(block)) return undefined;
  return block[block.type === 'thinking' ? 'signature' : 'data'] as string;
}

function userBlocks(blocks: Placed[], target: ConverseTarget, names: DocumentNames): object[] {
  const results: object[] = [];
  const rest: object[] = [];
  for (const placed of blocks) {
    const isResult = placed.block.type === 'tool_result';
    (isResult ? results : rest).push(
      ...(isResult ? converseToolResult(placed, target, names) : shown(placed, target, names)),
    );
  }
  const lacksText = rest.some((block) => 'document' in block) && !rest.some((block) => 'text' in block);
  return [...results, ...rest, ...(lacksText ? [{ text: DOCUMENT_TEXT }] : [])];
}

function converseToolResult({ block, path }: Placed, target: ConverseTarget, names: DocumentNames): object[] {
  const parts = placeBlocks((block['content'] ?? '') as string | Block[], `${path}.content`);
  // Converse has no cache points within a tool result, so the cache point follows the whole result.
  const content = parts.flatMap((part) => shown(part, target, names));
  const marked = [...parts.map((part) => part.block), block].findLast(({ cache_control: control }) => control);
  const failed = block['is_error'] === true;
  const { hasResultStatus } = familyOf(target);
  const ownParts = content.filter((part) => !isCachePoint(part));
  if (ownParts.length === 0) ownParts.push({ text: EMPTY_RESULT });
  if (failed && !hasResultStatus) ownParts.unshift({ text: 'Error:' });
  return [
    {
      toolResult: {
        toolUseId: converseCallId(block['tool_use_id']),
        content: ownParts,
        ...(hasResultStatus ? { status: failed ? 'error' : 'success' } : {}),
      },
    },
    ...(marked ? cachePointAfter(marked, 'messages', target) : []),
  ];
}

function shown(placed: Placed, target: ConverseTarget, names: DocumentNames): object[] {
  const { block, path } = placed;
  switch (block.type) {
    case 'text':
      return textBlocks(placed, 'messages', target);
    case 'image':
      return [imageBlock(block, path), ...cachePointAfter(block, 'messages', target)];
    case 'document':
      return [documentBlock(block, path, target, names), ...cachePointAfter(block, 'messages', target)];
    case 'search_result':
      return [searchResult(block), ...cachePointAfter(block, 'messages', target)];
    default:
      throw unsupportedBlock(block, path);
  }
}

function searchResult(block: Block): object {
  const { source, title, citations } = block as Block & { citations?: { enabled?: boolean } };
  const texts = searchResultTexts(block).map((text) => ({ text }));
  return { searchResult: { source, title, content: texts, citations: { enabled: citations?.enabled === true } } };
}

function converseCallId(id: unknown): string {
  return toolCallId(id as string, 'anthropic');
}
