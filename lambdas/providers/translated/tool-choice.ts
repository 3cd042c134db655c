import { without } from '../../messages/without.ts';
import type { MessagesRequest, ToolChoice } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';

type Choices = readonly ToolChoice['type'][] | undefined;

/**
 * Refuses a forced tool call that the provider does not support.
 * @param accepted types that the provider accepts; undefined for all
 * @throws {GatewayError} 400 with the accepted types
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
 * Removes an unsupported choice, unless it is forced. The choice `auto` is the default. For `none`, the tools are
 * removed too.
 */
export function withSupportedChoice(request: MessagesRequest, accepted: Choices): MessagesRequest {
  const { tools: _tools, tool_choice: choice, ...rest } = request;
  if (!choice || !accepted || accepted.includes(choice.type)) return request;
  if (choice.type === 'none') return rest;
  return choice.type === 'auto' ? without(request, 'tool_choice') : request;
}
