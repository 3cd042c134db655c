/** Messages of the Chat Completions API, and their conversion to the Messages API. */

import * as z from 'zod';
import { anyObject, optionalField } from '../../messages/field-kinds.ts';
import { boundedList, checkedBy } from '../../messages/list-of.ts';
import type { Block, Message } from '../../messages/types.ts';
import { ArgumentReader } from '../call-arguments.ts';
import { cacheMarks, hasMark, marked, withMarkedLast } from '../cache-marks.ts';
import { CUSTOM_ARGUMENT } from '../custom-tools.ts';
import { sentArguments } from '../call-fields.ts';
import { ConversationCallIds, type ForeignCallId } from '../../messages/call-ids.ts';
import { partsInText } from '../parts-as-text.ts';
import type { ClientMessagePosition } from '../field-names.ts';
import type { ToolNames } from '../tool-names.ts';
import { imageAddress, sentImage } from '../media.ts';
import { assistantParts, partBlock, toolResultParts, systemParts, userParts } from './parts.ts';
import { reasoningDetails, thinkingBlocks } from './reasoning-details.ts';
import { inAnswerOrder, type EarlierThinking } from './thinking-places.ts';

const MAX_MESSAGES = 20_000;
const MAX_CALLS = 1_024;
const MAX_EARLIER_IMAGES = 64;

const earlierImage = z.object({
  image_url: z
    .object({ url: imageAddress.meta({ description: 'The data of the image as a data URL, or its address.' }) })
    .meta({ description: 'The image as its answer had it.' }),
});

const names = (parts: readonly { shape: { type: { value: string } } }[]) =>
  parts.map(({ shape }) => shape.type.value).join(', ');

function contentOf<Parts extends readonly [z.ZodObject, ...z.ZodObject[]]>(parts: Parts) {
  const allowed = names(parts as unknown as Parameters<typeof names>[0]);
  const part = z.discriminatedUnion('type', parts as unknown as [z.core.$ZodTypeDiscriminable], {
    error: (issue) => (issue.code === 'invalid_union' ? `must be one of ${allowed}` : undefined),
  }) as unknown as z.ZodType<z.output<Parts[number]>>;
  return z.union([z.string(), boundedList(part)], { error: 'must be a string or an array of parts' });
}

const name = optionalField(z.string()).meta({
  description: 'A name of the author. It is accepted, and not passed on, because most providers take none.',
});

const instructions = {
  content: optionalField(contentOf(systemParts)).meta({
    description: 'The instructions: a text, or a list of text parts.',
  }),
  name,
  ...cacheMarks,
};
const systemMessage = z.object({ role: z.literal('system'), ...instructions });
const developerMessage = z.object({ role: z.literal('developer'), ...instructions });

const userMessage = z.object({
  role: z.literal('user'),
  content: optionalField(contentOf(userParts)).meta({
    description: "The user's message: a text, or a list of parts.",
  }),
  name,
  ...cacheMarks,
});

const calledFunction = z.object({
  name: z.string().min(1).meta({ description: 'The name of the function.' }),
  arguments: sentArguments.meta({ description: 'The arguments of the call, as a text of JSON or as an object.' }),
});
/** Id of a call. A conversation from another server may have numbers as ids, or none. */
const chatCallId = optionalField(z.union([z.string(), z.int()], { error: 'must be a string' }));
const callId = chatCallId.meta({ description: 'The id of the call; the result of the tool refers to it.' });
const functionCall = z.object({
  id: callId,
  type: optionalField(z.literal('function', 'must be "function" or "custom"')).meta({
    description: 'The kind of the call: `function`, or `custom` for a tool whose input is a text.',
  }),
  function: calledFunction.meta({ description: 'The function that was called.' }),
});
const customCall = z.object({
  id: callId,
  type: z.literal('custom'),
  custom: z
    .object({
      name: z.string().min(1).meta({ description: 'The name of the custom tool.' }),
      input: z.string().meta({ description: 'The input of the call, as the model has written it.' }),
    })
    .meta({ description: 'The custom tool that was called.' }),
});
type Call = z.output<typeof functionCall> | z.output<typeof customCall>;
const toolCall = checkedBy<Call>(
  (value) => ((value as { type?: unknown } | null)?.type === 'custom' ? customCall : functionCall),
  [functionCall, customCall],
);

/** Message of the model. Clients may send back other members of the gateway's answers, which have no effect. */
const assistantMessage = z.object({
  role: z.literal('assistant'),
  content: optionalField(contentOf(assistantParts)).meta({
    description: "The model's answer: a text, or a list of text parts.",
  }),
  refusal: optionalField(z.string()).meta({ description: 'The text with which the model has refused.' }),
  tool_calls: optionalField(boundedList(toolCall, { max: MAX_CALLS })).meta({
    description: 'The functions and custom tools that the model has called.',
  }),
  reasoning: optionalField(z.string()).meta({
    description: 'The thinking of the model as text; it is read if `reasoning_details` is absent.',
  }),
  reasoning_content: optionalField(z.string()).meta({ description: 'The same as `reasoning`, under its other name.' }),
  reasoning_details: reasoningDetails.meta({
    description:
      'The thinking of the model as its answer had it. Send it back unchanged, so that the model can go on from it.',
  }),
  images: optionalField(boundedList(earlierImage, { max: MAX_EARLIER_IMAGES })).meta({
    description: 'The images that the model has drawn. They are read if `modalities` includes `image`.',
  }),
  audio: optionalField(
    z.looseObject({
      transcript: optionalField(z.string()).meta({ description: 'The words that the model has spoken.' }),
    }),
  ).meta({
    description:
      'The spoken answer of the model. Its `transcript` is read if `content` is absent; an `id` alone is refused, because this gateway keeps no recordings.',
  }),
  function_call: optionalField(calledFunction).meta({
    description: 'The function that the model has called, in the older form of `tool_calls`.',
  }),
  name,
  ...cacheMarks,
});

/** Returns whether a message has neither content, calls nor a refusal, but audio without a transcript. */
function lacksTranscript(message: AssistantMessage): boolean {
  const { audio, content, tool_calls: calls, function_call: called, refusal } = message;
  return Boolean(audio && !audio.transcript && !content?.length && !calls?.length && !called && !refusal);
}

const toolResultContent = contentOf(toolResultParts);
const toolMessage = z.object({
  role: z.literal('tool'),
  tool_call_id: chatCallId.meta({
    description:
      'The id of the call that this is the result of. Without it, this is the result of the oldest open call.',
  }),
  content: optionalField(
    z.union([...toolResultContent.options, anyObject], { error: 'must be a string, an array of parts or an object' }),
  ).meta({
    description:
      'The result of the call: a text, a list of parts, or an object. Without it, the call has returned nothing.',
  }),
  name,
  ...cacheMarks,
});

/** Schema of a result of a call in the older form (`function_call`). */
const functionMessage = z.object({
  role: z.literal('function'),
  name: z.string().min(1).meta({ description: 'The name of the function whose last call this is the result of.' }),
  content: optionalField(z.string()).meta({ description: 'The result of the call, as a text.' }),
});

const chatMessage = z.discriminatedUnion(
  'role',
  [
    systemMessage,
    developerMessage,
    userMessage,
    assistantMessage.refine((message) => !lacksTranscript(message), {
      path: ['audio', 'transcript'],
      message: 'is required, because this gateway keeps no recordings; send the words, or send content',
    }),
    toolMessage,
    functionMessage,
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? ROLE_RULE : undefined) },
);
const ROLE_RULE = 'must be one of system, developer, user, assistant, tool, function';
export type SentChatMessage = z.output<typeof chatMessage>;
type AssistantMessage = z.output<typeof assistantMessage>;
type UserMessage = z.output<typeof userMessage>;
type ToolMessage = z.output<typeof toolMessage>;
type OlderResult = z.output<typeof functionMessage>;

export const chatMessages = boundedList(chatMessage, { min: 1, max: MAX_MESSAGES }).meta({
  description: 'The conversation so far, with the oldest message first.',
});

interface Conversation {
  /** Instructions before the first message of the conversation. */
  system: Block[];
  messages: Message[];
  /** For each converted message, its position in the client's list. */
  origins: ClientMessagePosition[];
}

/**
 * Converts the messages of a request. Instructions at the beginning become the system prompt. If there are only
 * instructions, the last instruction becomes a user message.
 * @param settings.hasImages whether the model gets the images in its earlier answers
 */
export function chatConversation(
  chat: readonly SentChatMessage[],
  settings: { names: ToolNames; hasImages: boolean },
): Conversation {
  const isSystemMessage = ({ role }: SentChatMessage) => role === 'system' || role === 'developer';
  const firstTurn = chat.findIndex((message) => !isSystemMessage(message));
  const begin = firstTurn === -1 ? chat.length - 1 : firstTurn;
  const conversation: Conversation = {
    system: chat.slice(0, begin).flatMap((message) => authoredBlocks(message as AuthoredMessage)),
    messages: [],
    origins: [],
  };
  const reader = new MessageReader(settings);
  let results: Block[] | undefined;
  for (const [offset, message] of chat.slice(begin).entries()) {
    const result = reader.result(message);
    if (result && results) {
      results.push(result);
      continue;
    }
    results = result && [result];
    const converted = results
      ? { role: 'user' as const, content: results }
      : reader.authored(message as AuthoredMessage);
    // An empty message of the user is kept if it ends the model's turn
    // (https://github.com/can1357/oh-my-pi/issues/10956).
    const endsTurn = converted.role === 'user' && conversation.messages.at(-1)?.role === 'assistant';
    if (converted.content.length === 0 && !endsTurn) continue;
    conversation.messages.push(firstTurn === -1 ? { ...converted, role: 'user' } : converted);
    const hasParts = message.role === 'user' && typeof message.content !== 'string';
    conversation.origins.push({ at: begin + offset, hasParts });
  }
  return conversation;
}

type ResultMessage = ToolMessage | OlderResult;
type AuthoredMessage = Exclude<SentChatMessage, ResultMessage>;
type Content = AuthoredMessage['content'];

class MessageReader {
  readonly #names: ToolNames;
  readonly #hasImages: boolean;
  readonly #arguments = new ArgumentReader();
  readonly #callIds = new ConversationCallIds();

  constructor({ names, hasImages }: { names: ToolNames; hasImages: boolean }) {
    this.#names = names;
    this.#hasImages = hasImages;
  }

  /** Returns the result of a tool call; undefined for other messages. */
  result(message: SentChatMessage): Block | undefined {
    if (message.role === 'function') {
      // Calls of the older form have no ids, so a result belongs to the oldest call of its function without a result.
      const id = this.#callIds.ofResult(functionCallId(message.name));
      return { type: 'tool_result', tool_use_id: id, content: message.content ?? '' };
    }
    if (message.role !== 'tool') return undefined;
    const { tool_call_id: id, content } = message;
    const block = {
      type: 'tool_result',
      tool_use_id: this.#callIds.ofResult(id),
      content: toolResultOf(content),
    };
    return marked(block, message);
  }

  authored(message: AuthoredMessage): Message {
    switch (message.role) {
      case 'system':
      case 'developer':
        return { role: 'system', content: authoredBlocks(message) };
      case 'user':
        return {
          role: 'user',
          content: isPlain(message) ? message.content : authoredBlocks(message).map((block) => this.#withOwnId(block)),
        };
      case 'assistant':
        return { role: 'assistant', content: this.#assistantBlocks(message) };
    }
  }

  /** Returns the blocks of an assistant message in the order content, images, calls, with thinking at its place. */
  #assistantBlocks(message: AssistantMessage): Block[] {
    const { refusal, tool_calls: calls, function_call: called, images, audio } = message;
    const authored = authoredBlocks(message);
    const written = authored.map((block) => this.#withOwnId(block));
    // LangChain sends a call as a block and as a call (https://github.com/langchain-ai/langchainjs/pull/9636).
    const others = (calls ?? []).filter(({ id }) => !id || authored.every((block) => block['id'] !== id));
    const texts = written.length === 0 && audio?.transcript ? [{ type: 'text', text: audio.transcript }] : written;
    const thinking = written.some(({ type }) => type === 'thinking') ? [] : thinkingOf(message);
    const shown = [
      ...(texts.length === 0 && refusal ? [{ type: 'text', text: refusal }] : texts),
      ...(this.#hasImages ? (images ?? []).map((image) => sentImage(image.image_url.url)) : []),
    ];
    const made = [
      ...others.map((call) =>
        call.type === 'custom'
          ? this.#call(call.id, call.custom.name, { [CUSTOM_ARGUMENT]: call.custom.input })
          : this.#functionCall(call.id, call.function),
      ),
      ...(called ? [this.#functionCall(functionCallId(called.name), called)] : []),
    ];
    const blocks = inAnswerOrder(thinking, shown, made);
    return written.length === 0 ? withMarkedLast(blocks, message) : blocks;
  }

  /** Returns the block of a call or of its result with the id and the name as sent to the provider. */
  #withOwnId(block: Block): Block {
    switch (block.type) {
      case 'tool_use': {
        const { id, name } = block as Block & { id: string; name: string };
        return { ...block, id: this.#callIds.ofCall(id), name: this.#names.sentName({ name }) };
      }
      case 'tool_result':
        return { ...block, tool_use_id: this.#callIds.ofResult(block['tool_use_id'] as string) };
      default:
        return block;
    }
  }

  #functionCall(id: ForeignCallId, { name: called, arguments: text }: z.output<typeof calledFunction>): Block {
    return this.#call(id, called, this.#arguments.read(text));
  }

  #call(id: ForeignCallId, called: string, input: Record<string, unknown>): Block {
    return { type: 'tool_use', id: this.#callIds.ofCall(id), name: this.#names.sentName({ name: called }), input };
  }
}

/** Returns the result of a call. A text that is a list of parts with an image becomes these parts. */
function toolResultOf(content: ToolMessage['content']): string | Block[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') {
    const parts = partsInText(content, toolResultContent, { text: 'text', image: 'image_url' });
    const hasImage = Array.isArray(parts) && parts.some(({ type }) => type === 'image_url' || type === 'image');
    return hasImage ? parts.map(partBlock) : content;
  }
  return Array.isArray(content) ? content.map(partBlock) : toolResultOf(JSON.stringify(content));
}

/** Returns whether the content is a string and the message has no cache mark. */
function isPlain(message: UserMessage): message is UserMessage & { content: string } {
  return typeof message.content === 'string' && !hasMark(message);
}

function authoredBlocks(message: AuthoredMessage): Block[] {
  return withMarkedLast(blocksOf(message.content), message);
}

function functionCallId(name: string): string {
  return `call_${name}`;
}

function blocksOf(content: Content): Block[] {
  if (content === null || content === undefined || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(partBlock);
}

function thinkingOf(message: AssistantMessage): EarlierThinking[] {
  const { reasoning_details: details, reasoning, reasoning_content: content } = message;
  if (details?.length) return thinkingBlocks(details);
  const text = reasoning || content;
  return text ? [{ block: { type: 'thinking', thinking: text, signature: '' }, id: undefined }] : [];
}
