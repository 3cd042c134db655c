import { without } from '../../messages/without.ts';
import type { MessagesRequest, ToolChoice } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';

type Choices = readonly ToolChoice['type'][] | undefined;

/** Returns the same choice in an accepted form. With one tool, any tool and this tool are the same choice. */
function acceptedChoice({ tools, tool_choice: choice }: MessagesRequest, accepted: Choices): ToolChoice | undefined {
  if (!choice || !accepted || accepted.includes(choice.type)) return choice;
  if (tools?.length !== 1) return undefined;
  if (choice.type === 'any' && accepted.includes('tool')) return { ...choice, type: 'tool', name: tools[0]!.name };
  return choice.type === 'tool' && accepted.includes('any') ? { ...choice, type: 'any', name: undefined } : undefined;
}

/**
 * Refuses a forced tool call that the provider does not support.
 * @param accepted types that the provider accepts; undefined for all
 * @throws {GatewayError} 400 with the accepted types
 */
export function refuseUnsupportedChoice(request: MessagesRequest, accepted: Choices): void {
  const { tools, tool_choice: choice } = request;
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  if (!isForced || !tools?.length || !accepted || acceptedChoice(request, accepted)) return;
  throw invalidRequest(
    'tool_choice.type',
    `"${choice.type}" does not work on this model; use ${accepted.map((type) => `"${type}"`).join(' or ')}`,
  );
}

/**
 * Replaces an unsupported choice by the same choice in another form, or removes it, unless it is forced. The choice
 * `auto` is the default. For `none`, the tools are removed too.
 */
export function withSupportedChoice(request: MessagesRequest, accepted: Choices): MessagesRequest {
  const { tools: _tools, tool_choice: choice, ...rest } = request;
  const same = acceptedChoice(request, accepted);
  if (!choice || same === choice) return request;
  if (same) return { ...request, tool_choice: same };
  if (choice.type === 'none') return rest;
  return choice.type === 'auto' ? without(request, 'tool_choice') : request;
}
