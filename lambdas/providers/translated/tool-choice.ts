/** Choices of tools that a provider does not have. */

import { without } from '../../messages/without.ts';
import type { MessagesRequest, ToolChoice } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';

type Choices = readonly ToolChoice['type'][] | undefined;

/**
 * @param taken accepted values of tool_choice.type; undefined if all are
 * @throws {GatewayError} 400 for a forced tool that the provider does not support
 */
export function refuseUnsupportedChoice({ tools, tool_choice: choice }: MessagesRequest, taken: Choices): void {
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  if (!isForced || !tools?.length || !taken || taken.includes(choice.type)) return;
  throw invalidRequest(
    'tool_choice.type',
    `"${choice.type}" does not work on this model; use ${taken.map((type) => `"${type}"`).join(' or ')}`,
  );
}

/**
 * The request without a choice that the provider does not have. Its default is `auto`. Without `none`, the tools are
 * dropped: without tools, a model calls none.
 */
export function withSupportedChoice(request: MessagesRequest, taken: Choices): MessagesRequest {
  const { tools: _tools, tool_choice: choice, ...rest } = request;
  if (!choice || !taken || taken.includes(choice.type)) return request;
  if (choice.type === 'none') return rest;
  return choice.type === 'auto' ? without(request, 'tool_choice') : request;
}
