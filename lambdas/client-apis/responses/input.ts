/** The input of a response: items, and the conversation of the Messages API that says the same. */

import { append } from '../../platform/append.ts';
import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import { boundedList, checkedBy } from '../../messages/list-of.ts';
import type { Block, Message } from '../../messages/types.ts';
import { ArgumentReader } from '../call-arguments.ts';
import type { ClientMessagePosition } from '../field-names.ts';
import { CUSTOM_ARGUMENT } from './custom-tools.ts';
import { assistantContent, contentBlocks, instructionContent, resultContent, userContent } from './parts.ts';
import { unsealedThinking } from './sealed-thinking.ts';

/** More than the longest sessions of agents have. */
const MAX_ITEMS = 20_000;

const NO_REFERENCES =
  'is not supported: this gateway keeps no answers. Send the items themselves: in the AI SDK set store to false, in other clients send back what the answer had in output';

const messageType = optionalField(z.literal('message')).meta({
  description: 'The type of the item, which messages may leave out.',
});
const said = <Role extends string, Content extends z.ZodType>(role: Role, content: Content) =>
  z.object({ type: messageType, role: z.literal(role), content });

const message = z.discriminatedUnion(
  'role',
  [
    said('user', userContent),
    said('assistant', assistantContent),
    said('system', instructionContent),
    said('developer', instructionContent),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union' ? 'must be one of user, assistant, system, developer' : undefined,
  },
);

const callId = z.string().min(1).meta({ description: 'The id of the call; its output refers to it.' });
const answeredCallId = z.string().min(1).meta({ description: 'The id of the call that this is the output of.' });
const functionCall = z.object({
  type: z.literal('function_call'),
  call_id: callId,
  name: z.string().min(1).meta({ description: 'The name of the function.' }),
  arguments: z.string().meta({ description: 'The arguments of the call, as a text of JSON.' }),
});
const customCall = z.object({
  type: z.literal('custom_tool_call'),
  call_id: callId,
  name: z.string().min(1).meta({ description: 'The name of the tool.' }),
  input: z.string().meta({ description: 'The text that the model has written to the tool.' }),
});
const outputOf = <Type extends string>(type: Type) =>
  z.object({
    type: z.literal(type),
    call_id: answeredCallId,
    output: resultContent.meta({ description: 'The result of the call: a text, or a list of parts.' }),
  });
/** Codex tells its model what it has set itself in outputs that answer no call. */
const functionOutput = z
  .object({
    ...outputOf('function_call_output').shape,
    call_id: optionalField(z.string().min(1)).meta({ description: 'The id of the call that this is the output of.' }),
    name: optionalField(z.string().min(1)).meta({
      description:
        'The heading of an output that answers no call and so has no `call_id`: the model reads the output as a text of the user under this heading.',
    }),
  })
  .refine(({ call_id: id, name }) => id || name, { path: ['call_id'], error: 'is required (expected string)' });
const reasoning = z.object({
  type: z.literal('reasoning'),
  encrypted_content: optionalField(z.string()).meta({
    description:
      'The thinking of the model as its answer had it; send it back unchanged. An item without it, or with that of another service, is left out.',
  }),
});
/** A search that the gateway made: what came of it is in the text of the answer. */
const searchCall = z.object({ type: z.literal('web_search_call') });
const reference = z.object({
  type: z.literal('item_reference').refine(() => false, NO_REFERENCES),
});

const typed = [
  functionCall,
  functionOutput,
  customCall,
  outputOf('custom_tool_call_output'),
  reasoning,
  searchCall,
  reference,
] as const;
const TYPES = `must be one of message, ${typed
  .slice(0, -1)
  .map(({ shape }) => shape.type.value)
  .join(', ')}`;
const typedItem = z.discriminatedUnion('type', typed, {
  error: (issue) => (issue.code === 'invalid_union' ? TYPES : undefined),
});

type SaidItem = z.output<typeof message>;
type TypedItem = Exclude<z.output<typeof typedItem>, { type: 'item_reference' }>;
export type InputItem = SaidItem | TypedItem;

/** Messages may leave out their type. Other items are what their type says, whatever else they have. */
function isSaid(value: unknown): value is SaidItem {
  const { type } = (value ?? {}) as { type?: unknown };
  return type === undefined || type === null || type === 'message';
}

const item = checkedBy<InputItem>((value) => (isSaid(value) ? message : typedItem), [message, typedItem]);
const itemList = boundedList(item, { min: 1, max: MAX_ITEMS });
export const responsesInput = z
  .union([z.string().min(1), itemList], { error: 'must be a text or a list of items' })
  .meta({ description: 'The conversation so far, with the oldest item first; a text is what the user says.' });

interface Conversation {
  system: Block[];
  messages: Message[];
  /** The place in the input of the first item of each message. */
  origins: ClientMessagePosition[];
}

/** Neighbouring items of the assistant are one message, with its blocks in their order; so are results of calls. */
export function responsesConversation(input: string | readonly InputItem[]): Conversation {
  if (typeof input === 'string') {
    const origins = [{ at: 0, hasParts: false }];
    return { system: [], messages: [{ role: 'user', content: input }], origins };
  }
  const conversation: Conversation = { system: [], messages: [], origins: [] };
  const reader = new ArgumentReader();
  let open: { kind: string; blocks: Block[] } | undefined;
  for (const [index, one] of input.entries()) {
    const { kind, role, blocks } = spoken(one, reader);
    if (blocks.length === 0) continue;
    if (role === 'system' && conversation.messages.length === 0) {
      append(conversation.system, blocks);
    } else if (open?.kind === kind && kind !== 'said') {
      if (kind === 'results') addResults(open.blocks, blocks);
      else append(open.blocks, blocks);
    } else {
      open = { kind, blocks };
      conversation.messages.push({ role, content: blocks });
      conversation.origins.push({ at: index, hasParts: kind === 'said' && Array.isArray((one as SaidItem).content) });
    }
  }
  return conversation;
}

/** Results stand before texts in a message, whatever their order was: providers refuse it otherwise. */
function addResults(open: Block[], blocks: readonly Block[]): void {
  for (const block of blocks) {
    const firstText = open.findIndex(({ type }) => type === 'text');
    const isResult = block.type === 'tool_result';
    open.splice(isResult && firstText !== -1 ? firstText : open.length, 0, block);
  }
}

interface Spoken {
  /** Items of one kind that follow each other are one message, but what people say stays apart. */
  kind: 'assistant' | 'results' | 'said';
  role: Message['role'];
  blocks: Block[];
}

function spoken(one: InputItem, reader: ArgumentReader): Spoken {
  if (!isSaid(one)) return spokenItem(one, reader);
  const blocks = contentBlocks(one.content);
  switch (one.role) {
    case 'user':
      return { kind: 'said', role: 'user', blocks };
    case 'assistant':
      return { kind: 'assistant', role: 'assistant', blocks };
    case 'system':
    case 'developer':
      return { kind: 'said', role: 'system', blocks };
  }
}

function assistant(...blocks: Block[]): Spoken {
  return { kind: 'assistant', role: 'assistant', blocks };
}

function spokenItem(one: TypedItem, reader: ArgumentReader): Spoken {
  switch (one.type) {
    case 'function_call':
      return assistant({ type: 'tool_use', id: one.call_id, name: one.name, input: reader.read(one.arguments) });
    case 'custom_tool_call':
      return assistant({
        type: 'tool_use',
        id: one.call_id,
        name: one.name,
        input: { [CUSTOM_ARGUMENT]: one.input },
      });
    case 'function_call_output':
      return {
        kind: 'results',
        role: 'user',
        blocks: one.call_id ? [resultBlock(one.call_id, one.output)] : toldBlocks(one),
      };
    case 'custom_tool_call_output':
      return { kind: 'results', role: 'user', blocks: [resultBlock(one.call_id, one.output)] };
    case 'reasoning': {
      const thinking = unsealedThinking(one.encrypted_content ?? '');
      return assistant(...(thinking ? [thinking] : []));
    }
    case 'web_search_call':
      return assistant();
  }
}

type Output = z.output<typeof resultContent>;

function resultBlock(callId: string, output: Output): Block {
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: typeof output === 'string' ? output : contentBlocks(output),
  };
}

/** An agent tells something without having been called: the text stands under the name that it has for it. */
function toldBlocks({ name, output }: { name?: string | null | undefined; output: Output }): Block[] {
  const blocks = typeof output === 'string' ? [{ type: 'text', text: output }] : contentBlocks(output);
  return [{ type: 'text', text: `${name}:` }, ...blocks];
}
