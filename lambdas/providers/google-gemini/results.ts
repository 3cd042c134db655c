/** Converts tool results, which name the called tool, and sorts them in the order of the calls. */

import { invalidRequest } from '../../platform/errors.ts';
import type { Block, Message } from '../../messages/types.ts';
import { toolCallId } from '../tool-call-id.ts';
import { placeBlocks, blockText, type Placed } from '../translated/turns.ts';
import type { GeminiPart } from './parts.ts';
import { geminiDocumentParts, imagePart } from './media.ts';
import type { GeminiTarget } from './target.ts';

/** Name of the called tool and position of the call in the conversation, by call id. */
export type PriorCalls = ReadonlyMap<string, { name: string; order: number }>;

export function callsOf(messages: Message[]): PriorCalls {
  const calls = new Map<string, { name: string; order: number }>();
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const { type, id, name } of content) {
      if (type === 'tool_use') calls.set(id as string, { name: name as string, order: calls.size });
    }
  }
  return calls;
}

/**
 * Converts the tool results of a message.
 * @throws {GatewayError} 400 for unsupported content, or for a result without its call, whose name Gemini requires
 */
export function resultParts(results: Placed[], calls: PriorCalls, target: GeminiTarget): GeminiPart[] {
  const read = results.map((placed) => readResult(placed, calls, target));
  read.sort((one, other) => one.order - other.order);
  return [...read.map(({ response }) => response), ...read.flatMap(({ following }) => following)];
}

interface ReadResult {
  order: number;
  response: GeminiPart;
  /** Parts that follow the response: images and documents that the response itself cannot contain. */
  following: GeminiPart[];
}

function readResult({ block, path }: Placed, calls: PriorCalls, { quirks }: GeminiTarget): ReadResult {
  const id = block['tool_use_id'] as string;
  const call = calls.get(id);
  if (!call) throw invalidRequest(`${path}.tool_use_id`, 'has no call with this id before it');
  const texts: string[] = [];
  const inside: GeminiPart[] = [];
  const following: GeminiPart[] = [];
  for (const placed of placeBlocks((block['content'] ?? '') as string | Block[], `${path}.content`)) {
    for (const part of shownParts(placed)) {
      if (part.text !== undefined) {
        texts.push(part.text);
      } else if (quirks.media_in_results && part.inlineData) {
        inside.push(part);
      } else {
        texts.push(`(the ${placed.block.type} of this result follows)`);
        following.push(part);
      }
    }
  }
  const text = texts.join('\n');
  const functionResponse = {
    ...(quirks.call_ids === false ? {} : { id: toolCallId(id, 'anthropic') }),
    name: call.name,
    response: block['is_error'] === true ? { error: text } : { output: text },
    ...(inside.length > 0 ? { parts: inside } : {}),
  };
  return { order: call.order, response: { functionResponse }, following };
}

function shownParts(placed: Placed): GeminiPart[] {
  const { block, path } = placed;
  if (block.type === 'image') return [imagePart(block, path)];
  return block.type === 'document' ? geminiDocumentParts(block, path) : [{ text: blockText(placed) }];
}
