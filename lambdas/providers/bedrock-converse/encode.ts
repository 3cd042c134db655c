/**
 * Messages requests as requests of Amazon Bedrock's Converse. What it cannot say is mapped by the rules of docs/wires.md
 * or refused by name; nothing that a client sent is silently dropped, except hints that cannot change an answer.
 */

import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { outputLimit, stopSequences } from '../translated/limits.ts';
import { refuseUnspeakable } from '../translated/speakable.ts';
import type { ClientHeaders } from '../wire.ts';
import { toConversation } from './conversation.ts';
import type { ConverseTarget } from './families.ts';
import { modelFields } from './model-fields.ts';
import { outputConfig, toolConfig } from './tools.ts';

/** Converse has no field for them, and no model here one of its own. */
const unspeakable = ['frequency_penalty', 'presence_penalty', 'repetition_penalty'] as const;

export function encodeConverseRequest(
  request: MessagesRequest,
  target: ConverseTarget,
  client: ClientHeaders,
): Record<string, unknown> {
  refuseUnspeakable(request);
  const penalty = unspeakable.find((name) => request[name] !== undefined);
  if (penalty) throw invalidRequest(penalty, 'has no effect on this model; leave it out');
  const { system, messages, hasToolBlocks } = toConversation(request, target);
  if (messages.length === 0) throw invalidRequest('messages', 'have no text; write at least one that is not empty');
  // Without a limit the model would write as much as it can, which is more than some endpoints promise.
  const maxTokens = outputLimit(request, target) ?? target.maxOutputTokens;
  const stops = stopSequences(request, target);
  return {
    messages,
    ...(system.length > 0 ? { system } : {}),
    inferenceConfig: {
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...samplingFields(request, target),
      ...(stops ? { stopSequences: stops } : {}),
    },
    ...toolConfig(request, target, hasToolBlocks),
    ...outputConfig(request, target),
    ...modelFields(request, target, client, maxTokens ?? Infinity),
    // Claude says which one matched, when it is asked.
    ...(stops && target.quirks.family === 'claude'
      ? { additionalModelResponseFieldPaths: ['/delta/stop_sequence'] }
      : {}),
  };
}

/** A model that does not list a sampling parameter would refuse the request; it offers only its fixed sampling. */
function samplingFields(request: MessagesRequest, { supportedParameters }: ConverseTarget): Record<string, number> {
  const { temperature, top_p: topP } = request;
  return {
    ...(temperature !== undefined && supportedParameters.includes('temperature') ? { temperature } : {}),
    ...(topP !== undefined && supportedParameters.includes('top_p') ? { topP } : {}),
  };
}
