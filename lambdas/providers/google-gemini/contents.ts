import { append } from '../../platform/append.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';
import { toolCallId } from '../tool-call-id.ts';
import { unsupportedBlock } from '../translated/supported-fields.ts';
import { BEGINNING_TEXT, blockText, toTurns, type Placed, type Turn } from '../translated/turns.ts';
import { audioPart, geminiDocumentParts, imagePart } from './media.ts';
import { callsOf, resultParts, type PriorCalls } from './results.ts';
import type { GeminiContent, GeminiPart } from './parts.ts';
import { openSignature, SIGNATURE_PLACEHOLDER } from './signatures.ts';
import type { GeminiTarget } from './target.ts';

/**
 * Converts a conversation. If it begins with the model, it gets a user turn at its start, because Gemini rejects a
 * function call without an earlier turn (https://github.com/google-gemini/gemini-cli/issues/11814).
 * @throws {GatewayError} 400 for content that the model does not support, or an answer that it does not continue
 */
export function contentsOf({ messages }: MessagesRequest, target: GeminiTarget): GeminiContent[] {
  const calls = callsOf(messages);
  const contents: GeminiContent[] = [];
  for (const turn of toTurns(messages)) {
    const content = geminiContent(turn, calls, target);
    const previous = contents.at(-1);
    if (previous?.role === content.role) append(previous.parts, content.parts);
    else if (content.parts.length > 0) contents.push(content);
  }
  if (contents.at(-1)?.role === 'model' && target.quirks.continues_answers === false) {
    throw invalidRequest(
      `messages.${messages.length - 1}.role`,
      'must be "user" in the last message, because this model does not continue an answer; leave the message out',
    );
  }
  return contents[0]?.role === 'model' ? [{ role: 'user', parts: [{ text: BEGINNING_TEXT }] }, ...contents] : contents;
}

function geminiContent({ role, messages }: Turn, calls: PriorCalls, target: GeminiTarget): GeminiContent {
  const blocks = messages.flat();
  switch (role) {
    // Gemini has no system role inside a conversation, so instructions become texts in <system> tags.
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
  const callSignatures: string[] = [];
  const imageSignatures: string[] = [];
  let remainingCalls = blocks.filter(({ block }) => block.type === 'tool_use').length;
  let hasCalls = false;
  for (const { block, path } of blocks) {
    switch (block.type) {
      case 'text':
        if (!isBlank(block['text'])) parts.push({ text: block['text'] as string });
        break;
      case 'thinking':
        placeSignature(block, { parts, callSignatures, imageSignatures }, target);
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
        // Gemini signs only the first of parallel calls, so only this call may need a placeholder. If there are more
        // signatures than calls, the client has dropped the first calls.
        const dropped = Math.max(0, callSignatures.length - remainingCalls);
        const [signature = hasCalls ? undefined : placeholder] = callSignatures.splice(0, dropped + 1).slice(dropped);
        parts.push(callPart(block, signature, target));
        remainingCalls -= 1;
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
 * Adds the placeholder to the first part that is not a thought, unless it is signed. Models that generate images
 * require a signature on this part (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
function withFirstSigned(parts: GeminiPart[], placeholder: string | undefined): GeminiPart[] {
  const at = parts.findIndex(({ thought }) => thought !== true);
  if (placeholder === undefined || at === -1 || parts[at]!.thoughtSignature) return parts;
  return parts.with(at, { ...parts[at], thoughtSignature: placeholder });
}

interface Signed {
  parts: GeminiPart[];
  callSignatures: string[];
  imageSignatures: string[];
}

/**
 * Reads a thinking block whose signature belongs to a call, an image, a text or a thought. Signatures of calls and
 * images are queued, because the chat API puts all thinking before all calls and images. Signatures of other models are
 * dropped.
 *
 * The visible summary of the thinking before a call, an image or a text is not sent: the signature contains the
 * thinking, and the summary would be billed.
 */
function placeSignature(block: Block, { parts, callSignatures, imageSignatures }: Signed, target: GeminiTarget): void {
  const own = openSignature(block, target);
  if (!own) return;
  const { of, signature } = own;
  const previous = parts.at(-1);
  if (of === 'call') callSignatures.push(signature);
  else if (of === 'image') imageSignatures.push(signature);
  else if (of === 'thought') {
    parts.push({ text: block['thinking'] as string, thought: true, thoughtSignature: signature });
  } else if (previous?.text !== undefined && !previous.thoughtSignature) previous.thoughtSignature = signature;
  else parts.push({ text: '', thoughtSignature: signature });
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

/** Returns tool results first, directly after their calls, and then the rest of the user's content. */
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
