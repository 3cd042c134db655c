/** Converts requests to chat completions, by the rules of docs/wires/chat-completions.md. */

import { wellFormedJson } from '../../platform/json/well-formed.ts';
import { append } from '../../platform/append.ts';
import { withoutUndefined } from '../../platform/json/records.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import { hasGatewaySignature, mayCallTools, NO_THINKING } from '../../messages/thinking-signatures.ts';
import { DETAIL, type Block, type MessagesRequest } from '../../messages/types.ts';
import type { ChatTarget } from './target.ts';
import { toolCallId } from '../tool-call-id.ts';
import { chatDocumentParts } from './document-part.ts';
import { audioRefusal, inlineAudio } from '../translated/audio.ts';
import { imageUrl } from '../translated/media.ts';
import { outputLimit } from '../translated/output-limit.ts';
import { withSupportedFields, unsupportedBlock } from '../translated/supported-fields.ts';
import { digest, userDigest } from '../translated/user-digest.ts';
import { penaltyFields, rareFields, samplingFields, stopSequences } from '../translated/sampling.ts';
import { thinkingFields } from './thinking.ts';
import { chatFormatField, chatToolFields } from './tools.ts';
import {
  apart,
  BEGINNING_TEXT,
  EMPTY_RESULT,
  HAS_RESULTS,
  placeBlocks,
  turnText,
  systemText,
  blockText,
  toTurns,
  type Placed,
  type Turn,
} from '../translated/turns.ts';

type EncodedChatMessage = { role: string; content: unknown; [field: string]: unknown };

/** @param session the client's name for the conversation */
export function encodeChatRequest(
  requested: MessagesRequest,
  target: ChatTarget,
  session?: string,
): Record<string, unknown> {
  const request = withSupportedFields(requested);
  const { quirks } = target;
  const chatMessages = conversation(toTurns(request.messages), target);
  if (chatMessages.length === 0) throw invalidRequest('messages', 'have no text; write at least one that is not empty');
  const messages = [
    ...systemMessages(request, target),
    ...withUser(withNeededReasoning(chatMessages, request, target)),
  ];
  const body: Record<string, unknown> = {
    model: target.upstreamModel,
    messages,
    stream: true,
  };
  if (quirks.stream_usage !== false) body['stream_options'] = { include_usage: true };
  if (quirks.service_tier) body['service_tier'] = quirks.service_tier;
  const limit = outputLimit(request, target);
  if (limit !== undefined) body[quirks.max_tokens_field ?? 'max_tokens'] = limit;
  const stop = stopSequences(request, target);
  if (stop) body['stop'] = stop;
  const user = userDigest(request);
  if (user && quirks.user_field) body['user'] = user;
  if (quirks.prompt_cache_key && session) body['prompt_cache_key'] = digest(session);
  else if (quirks.prompt_cache_key === true) body['prompt_cache_key'] = user ?? digestOfBeginning(messages);
  const format = chatFormatField(request, target);
  return Object.assign(
    body,
    chatSamplingFields(request, target),
    penaltyFields(request, target),
    rareChatFields(request, target),
    logprobFields(request),
    modalityFields(request),
    chatToolFields(request, target),
    thinkingFields(request, target),
    format,
  );
}

/**
 * Adds a user message if there is none, because prompt templates of Qwen require it
 * (https://github.com/vllm-project/vllm/issues/36432).
 */
function withUser(messages: EncodedChatMessage[]): EncodedChatMessage[] {
  const hasUser = messages.some(({ role }) => role === 'user');
  return hasUser ? messages : [{ role: 'user', content: BEGINNING_TEXT }, ...messages];
}

/**
 * Returns a digest of the messages up to the first user message. It is usually the same in all turns of a conversation.
 */
function digestOfBeginning(messages: EncodedChatMessage[]): string {
  const firstOfUser = messages.findIndex(({ role }) => role === 'user');
  return digest(JSON.stringify(messages.slice(0, firstOfUser + 1)));
}

function chatSamplingFields(request: MessagesRequest, target: ChatTarget): Record<string, unknown> {
  const fields = samplingFields(request, target);
  const isRefused = target.quirks.greedy_needs_top_p_of_1 && fields.temperature === 0 && fields.top_p !== undefined;
  return isRefused ? { ...fields, top_p: 1 } : fields;
}

function rareChatFields(request: MessagesRequest, target: ChatTarget): Record<string, unknown> {
  const { seed, ...others } = rareFields(request, target);
  return seed === undefined ? others : { ...others, [target.quirks.seed_field ?? 'seed']: seed };
}

function logprobFields({ logprobs, top_logprobs: most }: MessagesRequest): Record<string, unknown> {
  return logprobs === true ? { logprobs, ...(most ? { top_logprobs: most } : {}) } : {};
}

/**
 * Returns the fields for images and speech. OpenAI streams speech only as PCM
 * (https://platform.openai.com/docs/guides/audio), from which WAV is made later.
 * @throws {GatewayError} 400 for speech without a voice, or as MP3
 */
function modalityFields({ modalities, image_config: image, audio }: MessagesRequest): Record<string, unknown> {
  if (!modalities) return {};
  if (modalities.includes('audio')) {
    if (!audio?.voice) throw invalidRequest('audio', 'needs a voice and a format, because this model speaks');
    if (audio.format === 'mp3') {
      throw invalidRequest('audio.format', 'must be "wav" or "pcm16": providers stream speech in no other format');
    }
  }
  return {
    modalities,
    ...(image ? { image_config: withoutUndefined(image) } : {}),
    ...(audio ? { audio: { voice: audio.voice, format: 'pcm16' } } : {}),
  };
}

function systemMessages(request: MessagesRequest, { quirks }: ChatTarget): EncodedChatMessage[] {
  const text = systemText(request);
  return text === '' ? [] : [{ role: quirks.system_role ?? 'system', content: text }];
}

function conversation(turns: Turn[], target: ChatTarget): EncodedChatMessage[] {
  const { assistant_after_tool: separated, begun_answers: begun } = target.quirks;
  const messages = turnMessages(turns, target);
  const separatedMessages = separated
    ? messages.flatMap((one, index) => apartFromTool(one, messages[index - 1]))
    : messages;
  const last = separatedMessages.at(-1);
  return begun === 'prefix' && last?.role === 'assistant'
    ? [...separatedMessages.slice(0, -1), { ...last, prefix: true }]
    : separatedMessages;
}

function apartFromTool(message: EncodedChatMessage, previous: EncodedChatMessage | undefined): EncodedChatMessage[] {
  const follows = message.role === 'user' && previous?.role === 'tool';
  return follows ? [{ role: 'assistant', content: HAS_RESULTS }, message] : [message];
}

function turnMessages(turns: Turn[], target: ChatTarget): EncodedChatMessage[] {
  return turns.flatMap(({ role, messages }) => {
    switch (role) {
      case 'system':
        return [{ role: target.quirks.system_role ?? 'system', content: turnText(messages.flat()) }];
      case 'assistant':
        return assistantMessages(messages, target);
      case 'user':
        return userMessages(messages.flat(), target);
    }
  });
}

/**
 * Converts an assistant turn to at most one message. Texts within one message of the client are joined directly; texts
 * of different messages are separated by an empty line.
 */
function assistantMessages(messages: Placed[][], { quirks }: ChatTarget): EncodedChatMessage[] {
  const texts: string[] = [];
  const reasonings: string[] = [];
  const toolCalls: unknown[] = [];
  const images: unknown[] = [];
  for (const blocks of messages) {
    let text = '';
    let reasoning = '';
    for (const { block, path } of blocks) {
      switch (block.type) {
        case 'text':
          text += block['text'] as string;
          break;
        case 'thinking':
          // A signature that is not the gateway's is Claude's, and no model on this wire can use Claude's thinking.
          if (hasGatewaySignature(block)) reasoning += block['thinking'] as string;
          break;
        case 'redacted_thinking':
          break;
        case 'tool_use':
          toolCalls.push(toolCall(block, quirks));
          break;
        case 'image':
          if (!quirks.modalities?.includes('image')) throw unsupportedBlock(block, path);
          images.push({ type: 'image_url', image_url: { url: imageUrl(block, path, quirks) } });
          break;
        default:
          throw unsupportedBlock(block, path);
      }
    }
    texts.push(isBlank(text) ? '' : text);
    reasonings.push(reasoning);
  }
  const text = apart(texts);
  if (text === '' && toolCalls.length === 0 && images.length === 0) return [];
  const message: EncodedChatMessage = { role: 'assistant', content: text === '' ? null : text };
  if (toolCalls.length > 0) message['tool_calls'] = toolCalls;
  if (images.length > 0) message['images'] = images;
  // Some providers require the earlier reasoning of a turn that continues after tool calls. They get all reasoning.
  if (quirks.reasoning_history === 'reasoning_content') {
    const reasoning = apart(reasonings);
    if (reasoning !== '') message['reasoning_content'] = reasoning;
  }
  return [message];
}

/**
 * Adds a placeholder to earlier answers without reasoning, for providers that reject these answers if the model may
 * call tools. Answers lack reasoning if another model wrote them, or if the client dropped it.
 */
function withNeededReasoning(
  messages: EncodedChatMessage[],
  request: MessagesRequest,
  { quirks }: ChatTarget,
): EncodedChatMessage[] {
  const isNeeded = quirks.reasoning_history === 'reasoning_content' && thinksNow(request, quirks);
  if (!isNeeded || !mayCallTools(request)) return messages;
  return messages.map((message) =>
    message.role === 'assistant' ? { reasoning_content: NO_THINKING, ...message } : message,
  );
}

/** Returns whether the model may think for this request. True if the model's thinking cannot be switched off. */
function thinksNow(
  { thinking }: MessagesRequest,
  { reasoning_request: requested = 'none', reasoning_efforts: efforts }: ChatTarget['quirks'],
): boolean {
  if (thinking?.type !== 'disabled' || requested === 'none') return true;
  return requested === 'reasoning_effort' && !efforts?.includes('none');
}

function toolCall(block: Block, quirks: ChatTarget['quirks']): unknown {
  return {
    id: toolCallId(block['id'] as string, idRule(quirks)),
    type: 'function',
    function: { name: block['name'], arguments: wellFormedJson(block['input']) },
  };
}

/** Returns tool results before the user's other content, because they must directly follow their calls. */
function userMessages(blocks: Placed[], target: ChatTarget): EncodedChatMessage[] {
  const results: EncodedChatMessage[] = [];
  const parts: unknown[] = [];
  for (const placed of blocks) {
    if (placed.block.type === 'tool_result') results.push(chatToolResult(placed, target, parts));
    else append(parts, chatUserParts(placed, target));
  }
  if (parts.length === 0) return results;
  return [...results, { role: 'user', content: simplify(parts) }];
}

function idRule(quirks: ChatTarget['quirks']) {
  switch (quirks.tool_call_ids) {
    case 'nine_alphanumerics':
      return 'nineAlphanumerics';
    case 'name_and_position':
      return 'any';
    default:
      return 'openai';
  }
}

/**
 * Converts a tool result. Most providers accept only text in the `tool` role, so documents, and images unless the
 * endpoint accepts them, move to a user message after the result.
 */
function chatToolResult({ block, path }: Placed, target: ChatTarget, parts: unknown[]): EncodedChatMessage {
  const texts: string[] = [];
  const images: unknown[] = [];
  for (const placed of placeBlocks((block['content'] ?? '') as string | Block[], `${path}.content`)) {
    const { type } = placed.block;
    if (type === 'image' && target.quirks.tool_result_parts) {
      append(images, chatUserParts(placed, target));
    } else if (type === 'image' || type === 'document') {
      texts.push(`(the ${type} of this result follows)`);
      append(parts, chatUserParts(placed, target));
    } else {
      texts.push(blockText(placed));
    }
  }
  const joined = texts.join('\n');
  const text = isBlank(joined) ? (images.length > 0 ? '' : EMPTY_RESULT) : joined;
  const resultText = block['is_error'] === true ? `Error: ${text}` : text;
  return {
    role: 'tool',
    tool_call_id: toolCallId(block['tool_use_id'] as string, idRule(target.quirks)),
    content:
      images.length > 0 ? [...(resultText === '' ? [] : [{ type: 'text', text: resultText }]), ...images] : resultText,
  };
}

function detailOf(block: Block, { quirks }: ChatTarget): object {
  const detail = block[DETAIL];
  return quirks.image_detail && detail ? { detail } : {};
}

function chatUserParts({ block, path }: Placed, target: ChatTarget): unknown[] {
  switch (block.type) {
    case 'text':
      // Blank texts are dropped, because many providers reject them.
      return isBlank(block['text']) ? [] : [{ type: 'text', text: block['text'] }];
    case 'image':
      return [
        { type: 'image_url', image_url: { url: imageUrl(block, path, target.quirks), ...detailOf(block, target) } },
      ];
    case 'document':
      return chatDocumentParts(block, path, target.quirks);
    case 'audio':
      return [chatAudioPart(block, path, target)];
    default:
      throw unsupportedBlock(block, path);
  }
}

function chatAudioPart(block: Block, path: string, target: ChatTarget): unknown {
  if (!target.quirks.audio_files) throw audioRefusal(path);
  const audio = inlineAudio(block, path, target);
  if (audio.format === 'wav' || audio.format === 'mp3') return { type: 'input_audio', input_audio: audio };
  throw invalidRequest(`${path}.source.media_type`, 'must be WAV or MP3 on this model; convert the recording');
}

/** Joins the parts to one string if all of them are texts, because some providers reject lists of parts. */
function simplify(parts: unknown[]): unknown {
  const texts = (parts as { type?: string; text?: string }[]).filter(({ type }) => type === 'text');
  return texts.length === parts.length ? texts.map(({ text }) => text).join('\n\n') : parts;
}
