/**
 * Items of conversations from other services, or of agents that store additional items. Each becomes a call or its
 * result, a text, or nothing, or is refused (docs/client-apis/responses.md).
 */

import * as z from 'zod';
import { optionalField } from '../../messages/field-kinds.ts';
import type { Block } from '../../messages/types.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { imageAddress, sentImage } from '../media.ts';

const COMPACTED =
  'has a shortened conversation that only the service that shortened it can read. Send the original items; Codex shortens conversations by itself if the name of its model_provider is not "OpenAI"';
const COMPACTING =
  'is not supported, because this gateway does not shorten conversations into items. Codex shortens them by itself if the name of its model_provider is not "OpenAI"; truncation "auto" leaves out the middle of a conversation that is too long';
const NO_REFERENCES =
  'is not supported, because this gateway stores no answers. Send back the items of the answer’s output; in the AI SDK, set store to false';

/** Types of items that are dropped: notes of agents, and steps of services. */
const droppedTypes = [
  'web_search_call',
  'ghost_snapshot',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'agent_reasoning',
] as const;
const refused = {
  item_reference: NO_REFERENCES,
  compaction: COMPACTED,
  compaction_summary: COMPACTED,
  context_compaction: COMPACTED,
  compaction_trigger: COMPACTING,
} as const;

const foreignText = optionalField(z.string());
const ownId = foreignText.meta({ description: 'The id of the call; its output refers to it.' });
const standInId = foreignText.meta({
  description: 'The id of the item. If the item has no id of its call, this id is used.',
});

/** Returns the schema of a call of one of OpenAI's built-in tools, which the agent runs on its own machine. */
const ownCall = <Type extends string>(type: Type, ...inputs: string[]) =>
  z.looseObject({
    type: z.literal(type),
    call_id: ownId,
    id: standInId,
    ...Object.fromEntries(
      inputs.map((name) => [name, z.unknown().optional().meta({ description: 'The input of the call.' })]),
    ),
  });
const ownOutput = <Type extends string>(type: Type) =>
  z.looseObject({
    type: z.literal(type),
    call_id: ownId,
    id: standInId,
    output: z.unknown().optional().meta({ description: 'The result of the call.' }),
  });

/** Returns the schema of an item for a call that another service itself ran during its answer. */
const serviceCall = <Type extends string>(type: Type) => z.looseObject({ type: z.literal(type) });

const calls = [
  ownCall('local_shell_call', 'action'),
  ownCall('shell_call', 'action'),
  ownCall('apply_patch_call', 'operation'),
  ownCall('computer_call', 'action', 'actions'),
] as const;
const outputs = [
  ownOutput('local_shell_call_output'),
  ownOutput('shell_call_output'),
  ownOutput('apply_patch_call_output'),
  ownOutput('computer_call_output'),
] as const;
const serviceCalls = [
  serviceCall('file_search_call'),
  serviceCall('code_interpreter_call'),
  serviceCall('mcp_call'),
  serviceCall('image_generation_call'),
  serviceCall('program'),
  serviceCall('program_output'),
] as const;

/**
 * Message of another agent of Codex. The model writes it into the arguments of a call. Codex assumes that this text is
 * encrypted, and sends it as `encrypted_content` (https://github.com/MetaFARS/codex-relay/issues/60).
 */
const agentMessage = z.looseObject({
  type: z.literal('agent_message'),
  content: z.unknown().optional().meta({ description: 'The message: a text, or a list of parts.' }),
});
/** Matches a text that OpenAI has encrypted. */
const ENCRYPTED = /^gAAAA/;

export const foreignItems = [
  agentMessage,
  ...calls,
  ...outputs,
  ...serviceCalls,
  ...droppedTypes.map((type) => z.looseObject({ type: z.literal(type) })),
] as const;
export const refusedItems = Object.entries(refused).map(([type, why]) =>
  z.looseObject({ type: z.literal(type).refine(() => false, why) }),
);

export type ForeignItem = z.output<(typeof foreignItems)[number]>;
type Members = Record<string, unknown>;

/** Part of a conversation that a foreign item becomes. */
export type ForeignPart =
  | { kind: 'call'; id: string; name: string; input: Record<string, unknown> }
  | { kind: 'result'; id: string; content: string | Block[] }
  | { kind: 'text'; text: string }
  | { kind: 'heard'; text: string }
  | { kind: 'nothing' };

const CALL_OUTPUT = /_output$/;

export function foreignPart(item: ForeignItem): ForeignPart {
  const { type, ...members } = item as { type: string } & Members;
  if (type === 'agent_message') return { kind: 'heard', text: agentText(members['content']) };
  if (calls.some(({ shape }) => shape.type.value === type)) {
    const { action, actions, operation } = members;
    return {
      kind: 'call',
      id: ownCallId(members),
      name: type.replace(/_call$/, ''),
      input: ownCallInput(action ?? actions ?? operation),
    };
  }
  if (outputs.some(({ shape }) => shape.type.value === type)) {
    return { kind: 'result', id: ownCallId(members), content: ownCallResult(members['output']) };
  }
  if (serviceCalls.some(({ shape }) => shape.type.value === type))
    return { kind: 'text', text: serviceText(type, members) };
  return { kind: 'nothing' };
}

/** Returns the text of another agent's message, without parts that only OpenAI can read. */
function agentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = (Array.isArray(content) ? content : []).map(recordOrEmpty);
  const texts = parts.map(({ text, encrypted_content: other }) => text ?? other);
  return texts.filter((text) => typeof text === 'string' && !ENCRYPTED.test(text)).join('');
}

function ownCallId({ call_id: callId, id }: Members): string {
  return [callId, id].find((one): one is string => typeof one === 'string' && one !== '') ?? 'call';
}

function ownCallInput(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : { input: value ?? null };
}

/** Returns the result of an agent's call. A screenshot becomes an image; any other object becomes JSON text. */
function ownCallResult(output: unknown): string | Block[] {
  if (typeof output === 'string') return output;
  const { image_url: address } = (output ?? {}) as { image_url?: unknown };
  if (typeof address === 'string' && imageAddress.safeParse(address).success) return [sentImage(address)];
  return output === undefined || output === null ? '' : JSON.stringify(output);
}

/** Returns a text that shows a tool call of another service, without the bytes of generated images. */
function serviceText(type: string, members: Members): string {
  const { id: _id, status: _status, call_id: _call, result, ...others } = members;
  const shown = type === 'image_generation_call' || result === undefined ? others : { ...others, result };
  const name = type.replace(CALL_OUTPUT, '').replace(/_call$/, '');
  return `<tool name="${name}">\n${JSON.stringify(shown)}\n</tool>`;
}
