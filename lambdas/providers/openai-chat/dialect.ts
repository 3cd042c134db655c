import { withoutDeferral } from '../../messages/deferred-tools.ts';
import { outputFormat } from '../../messages/output-format.ts';
import { withInstructionsFirst } from '../../messages/system-messages.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { encodeChatRequest } from './encode.ts';
import { asFunctions } from './functions.ts';
import { refuseBeyond } from './refusals.ts';
import { toolNameRule, type ChatTarget } from './target.ts';
import { withPositions } from './call-positions.ts';
import { withFormatOrTools } from '../translated/answer-format.ts';
import { withSupportedChoice } from '../translated/tool-choice.ts';
import { withSentNames } from '../translated/tool-names.ts';

/**
 * Encodes a request in the provider's dialect of chat completions, which the catalog's quirks describe.
 * @param session the client's name for the conversation
 */
export function encodeInDialect(
  request: MessagesRequest,
  target: ChatTarget,
  session: string | undefined,
): Record<string, unknown> {
  const { quirks } = target;
  refuseBeyond(request, target);
  // Instructions that change tools become texts before all instructions become messages of the user.
  const placed = quirks.later_system_messages ? request : withInstructionsFirst(withoutDeferral(request));
  const fitting = withFittingThinking(quirks.format_excludes_tools ? withFormatOrTools(placed) : placed, quirks);
  const named = withSentNames(withSupportedChoice(fitting, quirks.tool_choices), toolNameRule(target));
  const placedCalls = quirks.tool_call_ids === 'name_and_position' ? withPositions(named) : named;
  const body = encodeChatRequest(placedCalls, target, session);
  return quirks.functions ? asFunctions(body) : body;
}

/** Switches thinking off if the model supports a field of the request only without thinking. */
function withFittingThinking(request: MessagesRequest, quirks: ChatTarget['quirks']): MessagesRequest {
  const { thinking, tools, tool_choice: choice } = request;
  const isForced = tools?.length && (choice?.type === 'any' || choice?.type === 'tool');
  const rulesOut =
    (quirks.forced_tool_needs_no_thinking && isForced) ||
    (quirks.format_needs_no_thinking && outputFormat(request)) ||
    (quirks.logprobs_need_no_thinking && request['logprobs'] === true);
  return rulesOut && thinking?.type !== 'disabled' ? { ...request, thinking: { type: 'disabled' } } : request;
}
