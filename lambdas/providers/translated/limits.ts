/** How far an answer may go, and in which form: what a wire asks for, and what a model does not have. */

import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import type { WireTarget } from '../wire.ts';

/** max_tokens as far as the endpoint goes; undefined where the client sent none. @throws {GatewayError} 400 for 0. */
export function outputLimit(
  { max_tokens: asked }: MessagesRequest,
  { maxOutputTokens }: WireTarget,
): number | undefined {
  if (asked === 0) {
    throw invalidRequest('max_tokens', 'must be at least 1: warming a cache with 0 only works on Anthropic models');
  }
  return asked === undefined ? undefined : Math.min(asked, maxOutputTokens ?? Infinity);
}

/** The texts that end an answer, where there are any. @throws {GatewayError} 400 on a model that takes none. */
export function stopSequences(request: MessagesRequest, { supportedParameters }: WireTarget): string[] | undefined {
  if (!request.stop_sequences?.length) return undefined;
  if (supportedParameters.includes('stop')) return request.stop_sequences;
  throw invalidRequest('stop_sequences', 'this model takes none; leave them out');
}

/**
 * To be asked for a structured answer.
 * @param supportedParameters of the model: one without structured answers must not pretend to give them
 * @throws {GatewayError} 400
 */
export function refuseUnstructured(supportedParameters: readonly string[]): void {
  if (supportedParameters.includes('response_format') || supportedParameters.includes('structured_outputs')) return;
  throw invalidRequest(
    'output_config.format',
    'this model does not give structured answers; ask for JSON in the prompt',
  );
}

/** @throws {GatewayError} 400 for a choice that there is nothing for. */
export function refuseForcedWithoutTools({ tools, tool_choice: choice }: MessagesRequest): void {
  if (tools?.length || (choice?.type !== 'any' && choice?.type !== 'tool')) return;
  throw invalidRequest('tool_choice.type', `"${choice.type}" needs tools to choose from; send tools as well`);
}
