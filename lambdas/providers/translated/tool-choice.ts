/** Refuses or replaces tool choices that a provider does not support. */

import { without } from '../../messages/without.ts';
import type { MessagesRequest, ToolChoice } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';

type Choices = readonly ToolChoice['type'][] | undefined;

/**
 * @param accepted types of tool_choice that the provider accepts; undefined if it accepts all of them
 * @throws {GatewayError} 400 for a forced tool call that the provider does not support
 */
export function refuseUnsupportedChoice({ tools, tool_choice: choice }: MessagesRequest, accepted: Choices): void {
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  if (!isForced || !tools?.length || !accepted || accepted.includes(choice.type)) return;
  throw invalidRequest(
    'tool_choice.type',
    `"${choice.type}" does not work on this model; use ${accepted.map((type) => `"${type}"`).join(' or ')}`,
  );
}

/**
 * Replaces a tool_choice that the provider does not support. `auto` is removed, because it is the default. For `none`,
 * the tools are removed, because a model without tools calls none. Forced calls stay, because refuseUnsupportedChoice
 * refuses those that the provider does not support.
 */
export function withSupportedChoice(request: MessagesRequest, accepted: Choices): MessagesRequest {
  const { tools: _tools, tool_choice: choice, ...rest } = request;
  if (!choice || !accepted || accepted.includes(choice.type)) return request;
  if (choice.type === 'none') return rest;
  return choice.type === 'auto' ? without(request, 'tool_choice') : request;
}
