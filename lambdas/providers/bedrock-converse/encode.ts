/**
 * Messages requests as requests of Amazon Bedrock's Converse. What it cannot say is mapped by the rules of docs/wires/bedrock-converse.md
 * or refused by name; nothing that a client sent is silently dropped, except hints that cannot change an answer.
 */

import { penalties } from '../../catalog/sampling-parameters.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { withTakenMarks } from '../../messages/cache-marks.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { withTextualErrors } from '../anthropic/error-results.ts';
import { withTakenThinking } from '../anthropic/taken-thinking.ts';
import { outputLimit } from '../translated/output-limit.ts';
import { refuseUnspeakableSampling, samplingFields, stopSequences } from '../translated/sampling.ts';
import { withSupportedFields } from '../translated/supported-fields.ts';
import { withSentNames } from '../translated/tool-names.ts';
import type { ClientHeaders } from '../wire.ts';
import { toConversation, type ConverseMessage } from './conversation.ts';
import { familyOf, type ConverseTarget } from './families.ts';
import { modelFields } from './model-fields.ts';
import { withSpokenCalls } from './spoken-calls.ts';
import { outputConfig, toolConfig } from './tools.ts';

export function encodeConverseRequest(
  asked: MessagesRequest,
  target: ConverseTarget,
  client: ClientHeaders,
): Record<string, unknown> {
  const spoken = withSpokenCalls(withSupportedFields(asked));
  const isClaude = familyOf(target).hasAnthropicSignatures;
  const supported = withTakenMarks(isClaude ? { ...spoken, messages: withTextualErrors(spoken.messages) } : spoken);
  // Without a limit the model would write as much as it can, which is more than some endpoints promise.
  const maxTokens = outputLimit(supported, target) ?? target.maxOutputTokens;
  const request = withTakenThinking(supported, target.quirks, maxTokens ?? Infinity);
  // Converse has no field for them, and no model here one of its own.
  refuseUnspeakableSampling(request, target, penalties);
  const named = withSentNames(request, 'any');
  const { system, messages } = toConversation(named, target);
  if (messages.length === 0) throw invalidRequest('messages', 'have no text; write at least one that is not empty');
  const stops = stopSequences(request, target);
  // top_k is a field of each family's own.
  const { temperature, top_p: topP } = samplingFields(request, target);
  return {
    messages: begunByUser(messages),
    ...(system.length > 0 ? { system } : {}),
    inferenceConfig: {
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(stops ? { stopSequences: stops } : {}),
    },
    ...toolConfig(named, target),
    ...outputConfig(request, target),
    ...modelFields(request, target, client, maxTokens ?? Infinity),
    // Claude says which one matched, when it is asked.
    ...(stops && target.quirks.family === 'claude'
      ? { additionalModelResponseFieldPaths: ['/delta/stop_sequence'] }
      : {}),
  };
}

/** Converse refuses a conversation that the assistant begins, as one whose first turns were cut off. */
function begunByUser(messages: ConverseMessage[]): ConverseMessage[] {
  if (messages[0]!.role === 'user') return messages;
  return [{ role: 'user', content: [{ text: '(the conversation goes on)' }] }, ...messages];
}
