/** Rewrites the parts of a request that some services with the Messages API do not accept. */

import { append } from '../../platform/append.ts';
import type { ConvertiblePart } from '../../catalog/quirk-values.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import { asBlocks } from '../../messages/as-blocks.ts';
import { withoutBillingLine } from '../../messages/billing-line.ts';
import { isBlank, withoutBlankBlocks, withoutBlankTexts } from '../../messages/blank-texts.ts';
import { withMarkOnBlock, withPlainMarks } from '../../messages/cache-marks.ts';
import { withoutDeferral } from '../../messages/deferred-tools.ts';
import {
  markedAsSystem,
  withLeadingInstructions,
  withoutExpired,
  withoutSystemMessages,
} from '../../messages/system-messages.ts';
import { withTurnEffort } from '../../messages/turn-effort.ts';
import { without } from '../../messages/without.ts';
import { withTextualSearchResults } from '../translated/search-results.ts';
import { withTextualServerTools } from '../translated/server-tools.ts';
import { withDescribedExamples } from '../translated/tools.ts';
import { envelopeOf } from './envelopes.ts';
import type { Block, Message, MessagesRequest, Tool } from '../../messages/types.ts';

const rewrites: Record<ConvertiblePart, (request: MessagesRequest) => MessagesRequest> = {
  defer_loading: withoutDeferral,
  context_management: (request) => without(request, 'context_management'),
  system_messages(request) {
    // Changes of tools are allowed only in instructions, so that the gateway makes the changes if there are none.
    const changed = request.messages.some(changesTools) ? withoutDeferral(request) : request;
    return { ...changed, messages: withoutSystemMessages(changed.messages) };
  },
  turn_effort: withTurnEffort,
  eager_input_streaming: (request) => withTools(request, (tool) => without(tool, 'eager_input_streaming')),
  // Bedrock rejects the field (https://github.com/anthropics/claude-code/issues/11678).
  input_examples: (request) => withTools(request, withDescribedExamples),
  search_result: withTextualSearchResults,
};

function withTools({ tools, ...rest }: MessagesRequest, change: (tool: Tool) => Tool): MessagesRequest {
  return tools ? { ...rest, tools: tools.map(change) } : rest;
}

/** Whether a block is a call of Anthropic's advisor, or its result. */
function isOfAdvisor({ type, name }: Block): boolean {
  return type === 'advisor_tool_result' || (type === 'server_tool_use' && name === 'advisor');
}

/** Rewrites the parts that the endpoint does not support. */
export function rewritten(requested: MessagesRequest, quirks: AnthropicQuirks): MessagesRequest {
  const request = withLeadingInstructions(requested);
  let result = quirks.own_service
    ? request
    : withMarkOnBlock(withPlainMarks(withoutBlankPrompt(withoutBillingLine(request))));
  const { lacks: always = [] } = envelopeOf(quirks);
  for (const part of new Set([...always, ...(quirks.lacks ?? [])])) {
    if (part in rewrites) result = rewrites[part as ConvertiblePart](result);
  }
  // Services of other providers reject blocks of Anthropic's tools
  // (https://github.com/KarpelesLab/teamclaude/pull/451), so these blocks become texts. Anthropic itself rejects blocks
  // of its advisor in some conversations (https://github.com/anthropics/claude-code/issues/49994), and no request here
  // has the advisor.
  return withTextualServerTools(result, quirks.own_service ? isOfAdvisor : undefined);
}

/**
 * Removes blank texts of the user and of the system prompt. Bedrock rejects them
 * (https://github.com/anomalyco/opencode/pull/46335).
 */
function withoutBlankPrompt(request: MessagesRequest): MessagesRequest {
  const { system = [], messages } = request;
  const kept = typeof system === 'string' ? (isBlank(system) ? [] : system) : withoutBlankBlocks(system);
  return {
    ...(kept.length > 0 ? { ...request, system: kept } : without(request, 'system')),
    messages: messages.flatMap((message) => (message.role === 'user' ? withoutBlankTexts([message]) : [message])),
  };
}

/**
 * Removes blank texts of the model. Anthropic rejects empty texts, and messages with only white space
 * (https://github.com/anthropics/claude-code/issues/23440). Next to thinking of Claude, only empty texts are removed,
 * because the signature of the thinking may cover white space.
 *
 * @param isSignedByClaude whether thinking in the messages has signatures of Claude
 */
export function withoutBlankAnswers(messages: Message[], isSignedByClaude: boolean): Message[] {
  return messages.flatMap((message) => {
    const { role, content } = message;
    if (role !== 'assistant') return [message];
    const thinks = typeof content !== 'string' && content.some(({ type }) => type.endsWith('thinking'));
    if (!isSignedByClaude || !thinks) return withoutBlankTexts([message]);
    return [{ ...message, content: content.filter(({ type, text }) => type !== 'text' || text !== '') }];
  });
}

/**
 * Moves instructions (messages with the role `system`) directly after the adjacent user messages, as Anthropic
 * requires. Without an adjacent user message, an instruction becomes a user message with <system> tags. Messages that
 * only set the effort stay, because Anthropic accepts them at any place.
 */
export function placedInstructions(request: MessagesRequest): MessagesRequest {
  const { messages } = request;
  if (!messages.some(({ role }) => role === 'system')) return request;
  const placed: Message[] = [];
  let run: Message[] = [];
  for (const message of messages) {
    if (message.role !== 'assistant') {
      run.push(message);
      continue;
    }
    append(placed, placedRun(run));
    run = [];
    placed.push(message);
  }
  append(placed, placedRun(run));
  return { ...request, messages: placed };
}

/** Returns messages between two answers, with their instructions after the last message of the user. */
function placedRun(run: Message[]): Message[] {
  const last = run.findLastIndex(({ role }) => role === 'user');
  if (last === -1) return run.map((one) => (isInstruction(one) ? markedAsSystem(one) : one));
  const begun = run.slice(0, last + 1);
  const instructions = [...withoutExpired(begun).filter(isInstruction), ...run.slice(last + 1)];
  return [...begun.filter((one) => !isInstruction(one)), ...merged(instructions)];
}

/**
 * Merges adjacent instructions with the same members, because Anthropic does not allow instructions in sequence
 * (https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages#limitations).
 */
function merged(instructions: Message[]): Message[] {
  const result: Message[] = [];
  let content: Block[] | undefined;
  for (const one of instructions) {
    const last = result.at(-1);
    if (!last || membersOf(last) !== membersOf(one)) {
      result.push(one);
      content = undefined;
      continue;
    }
    content ??= [...asBlocks(last.content)];
    append(content, asBlocks(one.content));
    result[result.length - 1] = { ...last, content };
  }
  return result;
}

function membersOf(message: Message): string {
  return JSON.stringify({ ...message, content: 0 });
}

/** Whether a message has instructions, and does not only set the effort. */
function isInstruction({ role, content }: Message): boolean {
  return role === 'system' && content.length > 0;
}

/** Whether an instruction adds or removes tools. */
function changesTools({ role, content }: Message): boolean {
  return role === 'system' && typeof content !== 'string' && content.some(({ type }) => type.startsWith('tool_'));
}
