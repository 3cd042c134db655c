/** Converts Messages requests to Converse, by the rules of docs/wires/bedrock-converse.md. */

import { penalties } from '../../catalog/sampling-parameters.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { withSupportedMarks } from '../../messages/cache-marks.ts';
import type { Message, MessagesRequest } from '../../messages/types.ts';
import { withCallsLast } from '../anthropic/calls-last.ts';
import { withMovedParts, withTextualErrors } from '../anthropic/moved-parts.ts';
import { withSupportedThinking } from '../anthropic/supported-thinking.ts';
import { outputLimit } from '../translated/output-limit.ts';
import { refuseUnsupportedSampling, samplingFields, stopSequences } from '../translated/sampling.ts';
import { withSupportedFields } from '../translated/supported-fields.ts';
import { withSentNames } from '../translated/tool-names.ts';
import { BEGINNING_TEXT } from '../translated/turns.ts';
import { toConversation, type ConverseMessage } from './conversation.ts';
import { familyOf, type ConverseTarget } from './families.ts';
import { modelFields } from './model-fields.ts';
import { withCallsAsText } from './calls-as-text.ts';
import { outputConfig, toolConfig } from './tools.ts';

export function encodeConverseRequest(requested: MessagesRequest, target: ConverseTarget): Record<string, unknown> {
  const translated = withCallsAsText(withSupportedFields(requested, familyOf(target).hasCitations));
  const supported = withSupportedMarks({ ...translated, messages: supportedResults(translated.messages, target) });
  // Without any limit, a model could write more than the output for which the gateway reserved money.
  const maxTokens = outputLimit(supported, target) ?? target.maxOutputTokens;
  const request = withSupportedThinking(supported, target.quirks, maxTokens ?? Infinity);
  // Converse has no fields for penalties, and no known model on this wire has its own fields for them.
  refuseUnsupportedSampling(request, target, penalties);
  const named = withSentNames(request, 'any');
  const { system, messages } = toConversation(named, target);
  if (messages.length === 0) throw invalidRequest('messages', 'have no text; write at least one that is not empty');
  const stops = stopSequences(request, target);
  // Converse's inferenceConfig has no field for top_k. Claude and Nova have their own fields, which modelFields sets.
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
    ...modelFields(request, target, maxTokens ?? Infinity),
    // Claude reports the stop sequence that ended the answer only if the request names this path.
    ...(stops && target.quirks.family === 'claude'
      ? { additionalModelResponseFieldPaths: ['/delta/stop_sequence'] }
      : {}),
  };
}

/** Returns the messages with calls and results that the model's family accepts. */
function supportedResults(messages: Message[], target: ConverseTarget): Message[] {
  const { hasAnthropicSignatures: isClaude, hasImagesInResults } = familyOf(target);
  if (isClaude) return withCallsLast(withTextualErrors(messages));
  return hasImagesInResults ? messages : withMovedParts(messages, ({ type }) => type === 'image');
}

/** Adds a user message before a conversation that begins with an assistant message, which Converse would reject. */
function begunByUser(messages: ConverseMessage[]): ConverseMessage[] {
  if (messages[0]!.role === 'user') return messages;
  return [{ role: 'user', content: [{ text: BEGINNING_TEXT }] }, ...messages];
}
