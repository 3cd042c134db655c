/** Input items of the Responses API, and their conversion to the Messages API. */

import { append } from '../../platform/append.ts';
import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import { boundedList, checkedBy } from '../../messages/list-of.ts';
import { PHASE, type Block, type Message } from '../../messages/types.ts';
import { cacheMarks, marked, withMarkedLast, type Marks } from '../cache-marks.ts';
import { ArgumentReader } from '../call-arguments.ts';
import { numberedCallId, sentArguments } from '../call-fields.ts';
import { ConversationCallIds, type ForeignCallId } from '../../messages/call-ids.ts';
import type { ClientMessagePosition } from '../field-names.ts';
import type { ToolNames } from '../tool-names.ts';
import { CUSTOM_ARGUMENT } from '../custom-tools.ts';
import { reasoningEffort } from '../thinking-request.ts';
import { answerFormat } from './answer-format.ts';
import { foreignItems, foreignPart, refusedItems, type ForeignItem } from './foreign-items.ts';
import {
  assistantContent,
  contentBlocks,
  instructionContent,
  resultBlocks,
  resultContent,
  userContent,
} from './parts.ts';
import { unsealedThinking } from './sealed-thinking.ts';
import { foundToolsText } from './tool-search.ts';
import { responsesTools, TOOL_SEARCH_NAME } from './tools.ts';

const MAX_ITEMS = 20_000;

const messageType = optionalField(z.literal('message')).meta({
  description: 'The type of the item, which messages may leave out.',
});
const messageOf = <Role extends string, Content extends z.ZodType>(role: Role, content: Content) =>
  z.object({ type: messageType, role: z.literal(role), content, ...cacheMarks });
/** Any phase, because Codex and models of OpenAI have more phases than OpenAI documents, such as `partial_answer`. */
const phase = optionalField(z.string().max(100)).meta({
  description: 'The phase of an earlier message, such as `commentary` or `final_answer`. Models of OpenAI get it.',
});

const message = z.discriminatedUnion(
  'role',
  [
    messageOf('user', userContent),
    messageOf('assistant', assistantContent).extend({ phase }),
    messageOf('system', instructionContent),
    messageOf('developer', instructionContent),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'must be one of user, assistant, system, developer' : undefined,
  },
);

const callId = numberedCallId.meta({ description: 'The id of the call; its output refers to it.' });
const answeredCallId = numberedCallId.meta({ description: 'The id of the call that this is the output of.' });
const namespace = optionalField(z.string()).meta({ description: 'The group in which the tool was declared.' });
const functionCall = z.object({
  type: z.literal('function_call'),
  call_id: callId,
  name: z.string().min(1).meta({ description: 'The name of the function.' }),
  namespace,
  arguments: sentArguments.meta({ description: 'The arguments of the call, as a text of JSON or as an object.' }),
});
const customCall = z.object({
  type: z.literal('custom_tool_call'),
  call_id: callId,
  name: z.string().min(1).meta({ description: 'The name of the tool.' }),
  namespace,
  input: z.string().meta({ description: 'The text that the model has written to the tool.' }),
});
const outputOf = <Type extends string>(type: Type) =>
  z.object({
    type: z.literal(type),
    call_id: answeredCallId,
    output: resultContent.meta({ description: 'The result of the call: a text, or a list of parts.' }),
    ...cacheMarks,
  });
/** Output of a function call. Codex also sends its own settings to the model as outputs that belong to no call. */
const functionOutput = z
  .object({
    ...outputOf('function_call_output').shape,
    call_id: optionalField(numberedCallId).meta({ description: 'The id of the call that this is the output of.' }),
    name: optionalField(z.string().min(1)).meta({
      description:
        'The heading of an output that answers no call and so has no `call_id`: the model reads the output as a text of the user under this heading.',
    }),
  })
  .refine(({ call_id: id, name }) => id != null || name, { path: ['call_id'], error: 'is required (expected string)' });
const reasoning = z.object({
  type: z.literal('reasoning'),
  encrypted_content: optionalField(z.string()).meta({
    description:
      'The thinking of the model as its answer had it; send it back unchanged. An item without it, or with that of another service, is left out.',
  }),
});
/** Tools that are declared in the conversation instead of in `tools`. */
const declaredThere = {
  tools: responsesTools.meta({ description: 'Tools that the model may call from here on.' }),
};
const additionalTools = z.object({ type: z.literal('additional_tools'), ...declaredThere });
const searcher = optionalField(z.string()).meta({
  description: 'Who has searched: `client`, or the service that made the item, whose search the model does not read.',
});
const toolSearchCall = z.object({
  type: z.literal('tool_search_call'),
  call_id: optionalField(z.string()).meta({ description: 'The id of the search; its output refers to it.' }),
  execution: searcher,
  arguments: z.unknown().optional().meta({ description: 'The arguments of the search.' }),
});
const toolSearchOutput = z.object({
  type: z.literal('tool_search_output'),
  call_id: optionalField(z.string()).meta({ description: 'The id of the search that this is the output of.' }),
  execution: searcher,
  ...declaredThere,
});
/** Settings that apply from here on, until a later item changes them. The AI SDK and Codex send such items. */
const configurationUpdate = z.object({
  type: z.literal('configuration_update'),
  reasoning: optionalField(
    z.object({ effort: reasoningEffort.meta({ description: 'The effort in place of the effort of the request.' }) }),
  ).meta({ description: 'The settings of the thinking.' }),
  text: optionalField(
    z.object({
      format: optionalField(answerFormat).meta({ description: 'The format in place of the format of the request.' }),
    }),
  ).meta({ description: 'The settings of the text of the answer.' }),
});

const known = [
  configurationUpdate,
  functionCall,
  functionOutput,
  customCall,
  outputOf('custom_tool_call_output'),
  reasoning,
  additionalTools,
  toolSearchCall,
  toolSearchOutput,
] as const;
const typed = [...known, ...foreignItems, ...refusedItems] as const;
const TYPES = `must be one of message, ${[...known, ...foreignItems].map(({ shape }) => shape.type.value).join(', ')}`;
const typedItem = z.discriminatedUnion('type', typed, {
  error: (issue) => (issue.code === 'invalid_union' ? TYPES : undefined),
});

type MessageItem = z.output<typeof message>;
type KnownItem = z.output<(typeof known)[number]>;
type TypedItem = KnownItem | ForeignItem;
export type InputItem = MessageItem | TypedItem;

/** Returns whether an item is a message. Only messages may omit their type. */
function isMessage(value: unknown): value is MessageItem {
  const { type } = (value ?? {}) as { type?: unknown };
  return type === undefined || type === null || type === 'message';
}

const item = checkedBy<InputItem>((value) => (isMessage(value) ? message : typedItem), [message, typedItem]);
const itemList = boundedList(item, { min: 1, max: MAX_ITEMS });
export const responsesInput = z
  .union([z.string().min(1), itemList], { error: 'must be a text or a list of items' })
  .meta({ description: 'The conversation so far, with the oldest item first; a text is what the user says.' });

interface Conversation {
  system: Block[];
  messages: Message[];
  /** For each message, its position in the client's `input`: the index of the first item from which it was made. */
  origins: ClientMessagePosition[];
}

/** Returns the tools that the conversation declares, in order. */
export function toolsInConversation(input: string | readonly InputItem[]): unknown[] {
  if (typeof input === 'string') return [];
  return input.flatMap((one): unknown[] => {
    const isOfTools = !isMessage(one) && (one.type === 'additional_tools' || one.type === 'tool_search_output');
    return isOfTools ? ((one as z.output<typeof additionalTools>).tools ?? []) : [];
  });
}

interface UpdatedSettings {
  effort?: z.output<typeof reasoningEffort>;
  format?: z.output<typeof answerFormat> | null | undefined;
}

/** Returns the last effort and the last format that the conversation sets. */
export function updatedSettings(input: string | readonly InputItem[]): UpdatedSettings {
  const updates = typeof input === 'string' ? [] : input.filter(isUpdate);
  return updates.reduce<UpdatedSettings>(
    ({ effort, format }, { reasoning: settings, text }) => ({
      effort: settings?.effort ?? effort,
      format: text?.format ?? format,
    }),
    {},
  );
}

function isUpdate(one: InputItem): one is z.output<typeof configurationUpdate> {
  return one.type === 'configuration_update';
}

/** Converts items to messages. Adjacent assistant items, and adjacent results of calls, become one message. */
export function responsesConversation(input: string | readonly InputItem[], names: ToolNames): Conversation {
  if (typeof input === 'string') {
    const origins = [{ at: 0, hasParts: false }];
    return { system: [], messages: [{ role: 'user', content: input }], origins };
  }
  const conversation: Conversation = { system: [], messages: [], origins: [] };
  const reader = new ItemReader(names);
  let open: { kind: string; blocks: Block[] } | undefined;
  for (const [index, one] of input.entries()) {
    const { kind, role, blocks } = reader.read(one);
    // An empty message of the user is kept if it ends the model's turn
    // (https://github.com/can1357/oh-my-pi/issues/10956).
    const endsTurn = isMessage(one) && role === 'user' && conversation.messages.at(-1)?.role === 'assistant';
    if (blocks.length === 0 && !endsTurn) continue;
    if (role === 'system' && conversation.messages.length === 0) {
      append(conversation.system, blocks);
    } else if (open?.kind === kind && kind !== 'message') {
      if (kind === 'results') addResults(open.blocks, blocks);
      else append(open.blocks, blocks);
    } else {
      open = { kind, blocks };
      conversation.messages.push({ role, content: blocks });
      conversation.origins.push({
        at: index,
        hasParts: kind === 'message' && Array.isArray((one as MessageItem).content),
      });
    }
  }
  return conversation.messages.length === 0 ? instructionsAsUser(conversation, input.length - 1) : conversation;
}

/** Makes the last instruction a user message, so that the model can answer a conversation of only instructions. */
function instructionsAsUser({ system, ...rest }: Conversation, at: number): Conversation {
  const last = system.at(-1);
  if (!last) return { system, ...rest };
  return {
    system: system.slice(0, -1),
    messages: [{ role: 'user', content: [last] }],
    origins: [{ at, hasParts: false }],
  };
}

/** Adds blocks to a message. Results go before texts, because some providers reject results after texts. */
function addResults(open: Block[], blocks: readonly Block[]): void {
  for (const block of blocks) {
    const firstText = open.findIndex(({ type }) => type === 'text');
    const isResult = block.type === 'tool_result';
    open.splice(isResult && firstText !== -1 ? firstText : open.length, 0, block);
  }
}

interface AuthoredMessage {
  /** Adjacent items of the kind `assistant`, or of the kind `results`, become one message. Others stay separate. */
  kind: 'assistant' | 'results' | 'message';
  role: Message['role'];
  blocks: Block[];
}

class ItemReader {
  readonly #names: ToolNames;
  readonly #arguments = new ArgumentReader();
  readonly #callIds = new ConversationCallIds();

  constructor(names: ToolNames) {
    this.#names = names;
  }

  read(one: InputItem): AuthoredMessage {
    if (!isMessage(one)) return isKnown(one) ? this.#known(one) : this.#foreign(one);
    const blocks = withMarkedLast(contentBlocks(one.content), one);
    switch (one.role) {
      case 'user':
        return { kind: 'message', role: 'user', blocks };
      case 'assistant':
        return assistant(...blocks.map((block) => (one.phase ? { ...block, [PHASE]: one.phase } : block)));
      case 'system':
      case 'developer':
        return { kind: 'message', role: 'system', blocks };
    }
  }

  #known(one: KnownItem): AuthoredMessage {
    switch (one.type) {
      case 'function_call':
        return this.#call(one.call_id, this.#nameOf(one), this.#arguments.read(one.arguments));
      case 'custom_tool_call':
        return this.#call(one.call_id, this.#nameOf(one), { [CUSTOM_ARGUMENT]: one.input });
      case 'function_call_output':
        return one.call_id != null
          ? this.#result(one.call_id, resultBlocks(one.output), one)
          : results(...withMarkedLast(outputWithoutCall(one), one));
      case 'custom_tool_call_output':
        return this.#result(one.call_id, resultBlocks(one.output), one);
      case 'reasoning': {
        const thinking = unsealedThinking(one.encrypted_content ?? '');
        return assistant(...(thinking ? [thinking] : []));
      }
      case 'configuration_update':
      case 'additional_tools':
        return assistant();
      case 'tool_search_call':
        return isOfClient(one) ? this.#call(one.call_id, TOOL_SEARCH_NAME, this.#searched(one.arguments)) : assistant();
      case 'tool_search_output':
        return isOfClient(one) ? this.#result(one.call_id, foundToolsText(one.tools ?? [], this.#names)) : assistant();
    }
  }

  /** Returns the arguments of a tool search. OpenAI sends them as an object, some other services as JSON text. */
  #searched(value: unknown): Record<string, unknown> {
    return typeof value === 'string' ? this.#arguments.read(value) : { ...(value as object | null | undefined) };
  }

  #foreign(one: ForeignItem): AuthoredMessage {
    const part = foreignPart(one);
    switch (part.kind) {
      case 'call':
        return this.#call(part.id, part.name, part.input);
      case 'result':
        return this.#result(part.id, part.content);
      case 'text':
        return assistant({ type: 'text', text: part.text });
      case 'heard':
        return { kind: 'message', role: 'user', blocks: contentBlocks(part.text) };
      case 'nothing':
        return assistant();
    }
  }

  #nameOf({ name, namespace: group }: { name: string; namespace?: string | null | undefined }): string {
    return this.#names.sentName({ name, namespace: group ?? undefined });
  }

  #call(id: ForeignCallId, name: string, input: Record<string, unknown>): AuthoredMessage {
    return assistant({ type: 'tool_use', id: this.#callIds.ofCall(id), name, input });
  }

  #result(id: ForeignCallId, content: string | Block[], marks: Marks = {}): AuthoredMessage {
    return results(marked({ type: 'tool_result', tool_use_id: this.#callIds.ofResult(id), content }, marks));
  }
}

/** Returns whether the client itself ran the tool search. Other searches are not shown to the model. */
function isOfClient<Item extends { execution?: unknown; call_id?: string | null | undefined }>(
  one: Item,
): one is Item & { call_id: string } {
  return one.execution === 'client' && Boolean(one.call_id);
}

function isKnown(one: TypedItem): one is KnownItem {
  return known.some(({ shape }) => shape.type.value === one.type);
}

function assistant(...blocks: Block[]): AuthoredMessage {
  return { kind: 'assistant', role: 'assistant', blocks };
}

function results(...blocks: Block[]): AuthoredMessage {
  return { kind: 'results', role: 'user', blocks };
}

type OutputWithoutCall = Pick<z.output<typeof functionOutput>, 'name' | 'output'>;

/** Returns the blocks of an output without a call: its name as a heading, then its content. */
function outputWithoutCall({ name, output }: OutputWithoutCall): Block[] {
  const content = resultBlocks(output);
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return [{ type: 'text', text: `${name}:` }, ...blocks];
}
