/** Converts the conversation to Gemini's form: turns of `user` and `model`, each with a list of parts. */

import { append } from '../../platform/append.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';
import { toolCallId } from '../tool-call-id.ts';
import { unsupportedBlock } from '../translated/supported-fields.ts';
import { blockText, toTurns, type Placed, type Turn } from '../translated/turns.ts';
import { audioPart, geminiDocumentParts, imagePart } from './media.ts';
import { callsOf, resultParts, type PriorCalls } from './results.ts';
import type { GeminiContent, GeminiPart } from './parts.ts';
import { openSignature, SIGNATURE_PLACEHOLDER } from './signatures.ts';
import type { GeminiTarget } from './target.ts';

/** Returns the turns. Adjacent turns of one role are merged, and turns without parts are dropped. */
export function contentsOf({ messages }: MessagesRequest, target: GeminiTarget): GeminiContent[] {
  const calls = callsOf(messages);
  const contents: GeminiContent[] = [];
  for (const turn of toTurns(messages)) {
    const content = geminiContent(turn, calls, target);
    const previous = contents.at(-1);
    if (previous?.role === content.role) append(previous.parts, content.parts);
    else if (content.parts.length > 0) contents.push(content);
  }
  return contents;
}

function geminiContent({ role, messages }: Turn, calls: PriorCalls, target: GeminiTarget): GeminiContent {
  const blocks = messages.flat();
  switch (role) {
    // Gemini has no system role inside a conversation, so the instruction becomes text in <system> tags at its
    // position.
    case 'system':
      return { role: 'user', parts: [{ text: `<system>\n${blocks.map(blockText).join('\n')}\n</system>` }] };
    case 'assistant':
      return { role: 'model', parts: modelParts(blocks, target) };
    case 'user':
      return { role: 'user', parts: geminiUserParts(blocks, calls, target) };
  }
}

function modelParts(blocks: Placed[], target: GeminiTarget): GeminiPart[] {
  const parts: GeminiPart[] = [];
  let callSignature: string | undefined;
  let hasCalls = false;
  for (const { block, path } of blocks) {
    switch (block.type) {
      case 'text':
        if (!isBlank(block['text'])) parts.push({ text: block['text'] as string });
        break;
      case 'thinking':
        callSignature = signedPart(block, parts, target) ?? callSignature;
        break;
      case 'redacted_thinking':
        break;
      case 'tool_use': {
        // If calls are parallel, Gemini signs only the first of them. So only that call gets a placeholder.
        const needed = !hasCalls && target.quirks.thought_signature_placeholder ? SIGNATURE_PLACEHOLDER : undefined;
        parts.push(callPart(block, callSignature ?? needed, target));
        callSignature = undefined;
        hasCalls = true;
        break;
      }
      default:
        throw unsupportedBlock(block, path);
    }
  }
  return parts;
}

/**
 * Handles a thinking block whose signature belongs to a call, a text or a thought. A signature of a thought or text is
 * put back on that part. Signatures of other models are dropped. The visible summary of thinking before a call or a
 * text is not sent: the signature contains the thinking, and the summary would be billed.
 * @returns the signature if it belongs to the next call; otherwise undefined
 */
function signedPart(block: Block, parts: GeminiPart[], target: GeminiTarget): string | undefined {
  const own = openSignature(block, target);
  if (!own) return undefined;
  const { of, signature } = own;
  if (of === 'call') return signature;
  const previous = parts.at(-1);
  if (of === 'thought') parts.push({ text: block['thinking'] as string, thought: true, thoughtSignature: signature });
  else if (previous?.text !== undefined && !previous.thoughtSignature) previous.thoughtSignature = signature;
  else parts.push({ text: '', thoughtSignature: signature });
  return undefined;
}

function callPart(block: Block, signature: string | undefined, { quirks }: GeminiTarget): GeminiPart {
  return {
    functionCall: {
      ...(quirks.call_ids === false ? {} : { id: toolCallId(block['id'] as string, 'anthropic') }),
      name: block['name'] as string,
      args: block['input'],
    },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  };
}

function isResult({ block }: Placed): boolean {
  return block.type === 'tool_result';
}

/** Returns tool results first, directly after their calls, and then the user's other content. */
function geminiUserParts(blocks: Placed[], calls: PriorCalls, target: GeminiTarget): GeminiPart[] {
  const said = blocks.filter((placed) => !isResult(placed)).flatMap((placed) => partsOfUser(placed, target));
  return [...resultParts(blocks.filter(isResult), calls, target), ...said];
}

function partsOfUser({ block, path }: Placed, target: GeminiTarget): GeminiPart[] {
  switch (block.type) {
    case 'text':
      return isBlank(block['text']) ? [] : [{ text: block['text'] as string }];
    case 'image':
      return [imagePart(block, path)];
    case 'document':
      return geminiDocumentParts(block, path);
    case 'audio':
      return [audioPart(block, path, target)];
    default:
      throw unsupportedBlock(block, path);
  }
}
