/** A whole answer as a completion of the chat API. */

import { append } from '../../platform/append.ts';
import type { Block, MessageBody } from '../../messages/types.ts';
import { createdSeconds } from './chunks.ts';
import { urlAnnotations } from '../citations.ts';
import { finishFields } from './finish-reason.ts';
import { wholeDetail } from './reasoning-details.ts';
import { completionUsage } from './usage.ts';

/** The members that strict clients ask for are there, `null` where they take one, and left out where they do not. */
export function chatCompletion(message: MessageBody, { showsReasoning }: { showsReasoning: boolean }): object {
  const { id, model, content, stop_reason: reason, usage, metadata } = message;
  return {
    id,
    object: 'chat.completion',
    created: createdSeconds(id),
    model,
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        message: chatMessage(content, showsReasoning),
        ...finishFields(reason),
        logprobs: null,
      },
    ],
    usage: completionUsage(usage),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

function chatMessage(blocks: Block[], showsReasoning: boolean): object {
  const { text, annotations } = spokenText(blocks);
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(functionCall);
  return {
    role: 'assistant',
    // A call alone says nothing.
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(showsReasoning ? reasoningFields(blocks) : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(annotations.length > 0 ? { annotations } : {}),
  };
}

function spokenText(blocks: Block[]): { text: string; annotations: object[] } {
  let text = '';
  const annotations: object[] = [];
  for (const block of blocks) {
    if (block.type !== 'text') continue;
    const start = text.length;
    text += block['text'] as string;
    append(annotations, urlAnnotations(block['citations'], start, text.length));
  }
  return { text, annotations };
}

function functionCall({ id, name, input }: Block): object {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } };
}

/** Some clients read the one name, and some the other; the details are what they send back. */
function reasoningFields(blocks: Block[]): object {
  const thinking = blocks.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  if (thinking.length === 0) return {};
  const text = thinking.map((block) => (block['thinking'] ?? '') as string).join('');
  return {
    ...(text === '' ? {} : { reasoning: text, reasoning_content: text }),
    reasoning_details: thinking.map((block, index) => wholeDetail(index, block)),
  };
}
