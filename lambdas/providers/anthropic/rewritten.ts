/**
 * Rewrites the parts of a request that some services with the Messages API do not accept. A part is dropped if it only
 * makes the prompt shorter, or only changes how the answer is sent. Any other part is replaced with an equivalent.
 */

import { append } from '../../platform/append.ts';
import type { ConvertiblePart } from '../../catalog/quirk-values.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import { withoutBillingLine } from '../../messages/billing-line.ts';
import { withMarkOnBlock, withPlainMarks } from '../../messages/cache-marks.ts';
import { withoutDeferral } from '../../messages/deferred-tools.ts';
import { markedAsSystem, withoutSystemMessages } from '../../messages/system-messages.ts';
import { withTurnEffort } from '../../messages/turn-effort.ts';
import { without } from '../../messages/without.ts';
import { withTextualSearchResults } from '../translated/search-results.ts';
import { envelopeOf } from './envelopes.ts';
import type { Message, MessagesRequest } from '../../messages/types.ts';

const rewrites: Record<ConvertiblePart, (request: MessagesRequest) => MessagesRequest> = {
  defer_loading: withoutDeferral,
  context_management: (request) => without(request, 'context_management'),
  system_messages: (request) => ({ ...request, messages: withoutSystemMessages(request.messages) }),
  turn_effort: withTurnEffort,
  eager_input_streaming: withoutEagerStreaming,
  search_result: withTextualSearchResults,
};

/** Rewrites the parts that the endpoint does not support. */
export function rewritten(request: MessagesRequest, quirks: AnthropicQuirks): MessagesRequest {
  let result = quirks.own_service ? request : withMarkOnBlock(withPlainMarks(withoutBillingLine(request)));
  const { lacks: always = [] } = envelopeOf(quirks);
  for (const part of new Set([...always, ...(quirks.lacks ?? [])])) {
    if (part in rewrites) result = rewrites[part as ConvertiblePart](result);
  }
  return result;
}

/**
 * Moves each instruction (a message with the role `system`) to the place that Anthropic requires: directly after the
 * adjacent user messages. An instruction without an adjacent user message becomes a user message with <system> tags.
 * @returns the same request if it has no instructions
 */
export function placedInstructions(request: MessagesRequest): MessagesRequest {
  const { messages } = request;
  if (!messages.some(({ role }) => role === 'system')) return request;
  const placed: Message[] = [];
  let run: Message[] = [];
  const closeRun = () => {
    const users = run.filter(({ role }) => role === 'user');
    const instructions = run.filter(({ role }) => role === 'system');
    append(placed, users);
    append(placed, users.length > 0 ? instructions : instructions.map(markedAsSystem));
    run = [];
  };
  for (const message of messages) {
    if (message.role !== 'assistant') {
      run.push(message);
      continue;
    }
    closeRun();
    placed.push(message);
  }
  closeRun();
  return { ...request, messages: placed };
}

function withoutEagerStreaming(request: MessagesRequest): MessagesRequest {
  if (!request.tools?.some((tool) => tool['eager_input_streaming'] !== undefined)) return request;
  return { ...request, tools: request.tools.map((tool) => without(tool, 'eager_input_streaming')) };
}
