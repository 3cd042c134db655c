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
  const placeholder = target.quirks.thought_signature_placeholder ? SIGNATURE_PLACEHOLDER : undefined;
  let callSignature: string | undefined;
  const imageSignatures: string[] = [];
  let hasCalls = false;
  for (const { block, path } of blocks) {
    switch (block.type) {
      case 'text':
        if (!isBlank(block['text'])) parts.push({ text: block['text'] as string });
        break;
      case 'thinking':
        callSignature = signedPart(block, { parts, imageSignatures }, target) ?? callSignature;
        break;
      case 'redacted_thinking':
        break;
      case 'image': {
        if (!target.quirks.modalities?.includes('image')) throw unsupportedBlock(block, path);
        const signature = imageSignatures.shift() ?? placeholder;
        parts.push({ ...imagePart(block, path), ...(signature === undefined ? {} : { thoughtSignature: signature }) });
        break;
      }
      case 'tool_use': {
        // If calls are parallel, Gemini signs only the first of them. So only that call gets a placeholder.
        parts.push(callPart(block, callSignature ?? (hasCalls ? undefined : placeholder), target));
        callSignature = undefined;
        hasCalls = true;
        break;
      }
      default:
        throw unsupportedBlock(block, path);
    }
  }
  return target.quirks.modalities?.includes('image') ? withFirstSigned(parts, placeholder) : parts;
}

/**
 * Returns the parts with a signature on the first one. Models that draw require it, whatever the part contains
 * (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
function withFirstSigned(parts: GeminiPart[], placeholder: string | undefined): GeminiPart[] {
  const at = parts.findIndex(({ thought }) => thought !== true);
  if (placeholder === undefined || at === -1 || parts[at]!.thoughtSignature) return parts;
  return parts.with(at, { ...parts[at], thoughtSignature: placeholder });
}

/**
 * Handles a thinking block whose signature belongs to a call, an image, a text or a thought. The signatures of images
 * are in the order of the images, because the chat API puts all thinking before all images. A signature of a thought or text is
 * put back on that part. Signatures of other models are dropped. The visible summary of the thinking before a call or a
 * text is not sent: the signature contains the thinking, and the summary would be billed.
 * @returns the signature if it belongs to the next call; otherwise undefined
 */
function signedPart(
  block: Block,
  { parts, imageSignatures }: { parts: GeminiPart[]; imageSignatures: string[] },
  target: GeminiTarget,
): string | undefined {
  const own = openSignature(block, target);
  if (!own) return undefined;
  const { of, signature } = own;
  if (of === 'call') return signature;
  if (of === 'image') {
    imageSignatures.push(signature);
    return undefined;
  }
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
  const otherParts = blocks.filter((placed) => !isResult(placed)).flatMap((placed) => partsOfUser(placed, target));
  return [...resultParts(blocks.filter(isResult), calls, target), ...otherParts];
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
