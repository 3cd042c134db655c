import type { AnswerAudioFormat } from '../../messages/audio.ts';
import { append } from '../../platform/append.ts';
import { isRefusal } from '../../messages/refusal-block.ts';
import { logprobsOf, type TokenLogprob } from '../../messages/token-logprob.ts';
import { PROVIDER, WRITTEN, type Block, type MessageBody } from '../../messages/types.ts';
import type { ToolNames } from '../tool-names.ts';
import { customInput } from '../custom-tools.ts';
import { createdSeconds } from './created-seconds.ts';
import { chatMedia, isMedia } from './media.ts';
import { urlAnnotations } from '../citations.ts';
import { finishFields } from './finish-reason.ts';
import { wholeDetail } from './reasoning-details.ts';
import { completionUsage } from './usage.ts';

/** Settings from the request that determine the form of its answer. */
export interface CompletionSettings {
  showsReasoning: boolean;
  /** Tools that the request declares, by the client's names. */
  tools: ToolNames;
  /** Whether the client uses the older form of calls: a single `function_call`. */
  hasOlderCalls: boolean;
  audioFormat?: AnswerAudioFormat | undefined;
}

/** Returns the non-streaming answer. A missing value is `null` if clients accept null, otherwise absent. */
export function chatCompletion(message: MessageBody, settings: CompletionSettings): object {
  const { id, model, content, stop_reason: reason, usage, metadata, [PROVIDER]: provider } = message;
  return {
    id,
    object: 'chat.completion',
    created: createdSeconds(id),
    model,
    provider,
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: { ...chatMessage(content, settings), ...chatMedia(content, settings, createdSeconds(id)) },
        ...finishFields(reason, { ...settings, hasRefusal: content.some(isRefusal) }),
        logprobs: wholeLogprobs(content),
      },
    ],
    usage: completionUsage(usage),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function wholeLogprobs(blocks: readonly Block[]): object | null {
  const texts = blocks.filter((block) => block.type === 'text' && !isRefusal(block));
  const isAsked = texts.some((block) => block['logprobs'] !== undefined);
  return isAsked ? chatLogprobs(texts.flatMap(logprobsOf)) : null;
}

/** Returns token probabilities in the form for a choice. */
export function chatLogprobs(content: readonly TokenLogprob[]): object {
  return { content, refusal: null };
}

function chatMessage(blocks: Block[], { showsReasoning, tools, hasOlderCalls }: CompletionSettings): object {
  const { text, annotations } = citedTextOf(blocks);
  const refusal = blocks
    .filter(isRefusal)
    .map((block) => block['text'] as string)
    .join('');
  const calls = blocks.filter(({ type }) => type === 'tool_use').map((block) => toolCall(block, tools));
  return {
    role: 'assistant',
    // The content is null if an answer has no text, but a tool call, a refusal, images or speech.
    content: text === '' && (calls.length > 0 || refusal !== '' || blocks.some(isMedia)) ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(showsReasoning ? reasoningFields(blocks) : {}),
    ...callFields(calls, hasOlderCalls),
    ...(annotations.length > 0 ? { annotations } : {}),
  };
}

function callFields(calls: ReturnType<typeof toolCall>[], areOlder: boolean): object {
  const [first] = calls;
  if (!first) return {};
  return areOlder ? { function_call: first.function } : { tool_calls: calls };
}

function citedTextOf(blocks: Block[]): { text: string; annotations: object[] } {
  let text = '';
  const annotations: object[] = [];
  for (const block of blocks) {
    if (block.type !== 'text' || isRefusal(block)) continue;
    const start = text.length;
    text += block['text'] as string;
    append(annotations, urlAnnotations(block['citations'], start, text.length));
  }
  return { text, annotations };
}

/**
 * Converts a tool_use block to a tool call of the Chat Completions API: a function call or a custom tool call. Invalid
 * arguments, for example because max_tokens cut them off, are sent as written, so that clients do not run the call.
 */
function toolCall({ id, name: sent, input, [WRITTEN]: written }: Block, tools: ToolNames) {
  const { name, kind } = tools.clientTool(sent as string);
  return kind === 'custom'
    ? { id, type: 'custom', custom: { name, input: written ?? customInput(input) } }
    : { id, type: 'function', function: { name, arguments: written ?? JSON.stringify(input ?? {}) } };
}

/** Returns the fields with the answer's thinking. Some clients read `reasoning`, others `reasoning_content`. */
function reasoningFields(blocks: Block[]): object {
  let [text, start, calls] = ['', 0, 0];
  const details: object[] = [];
  for (const block of blocks) {
    if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      text += (block['thinking'] ?? '') as string;
      details.push(wholeDetail({ index: details.length, start, calls }, block));
    } else if (block.type === 'tool_use') {
      calls += 1;
    } else if (block.type === 'text' && !isRefusal(block)) {
      start += (block['text'] as string).length;
    }
  }
  if (details.length === 0) return {};
  return { ...(text === '' ? {} : { reasoning: text, reasoning_content: text }), reasoning_details: details };
}
