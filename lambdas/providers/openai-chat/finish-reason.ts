import type { StopReason } from '../../messages/types.ts';

/** Finish reasons of failed answers, in addition to reasons that contain the word "error", in lower case. */
const FAILURES = new Set([
  'timeout',
  'user_cancel',
  'cancelled',
  'unexpected_tool_call',
  'malformed_response',
  'insufficient_system_resource',
  'abort',
  'malformed_function_call',
  'canceled',
  'time_limit',
]);
/** Finish reasons of refusals, in lower case. */
const CHAT_REFUSALS = new Set([
  'content_filter',
  'content_filtered',
  'sensitive',
  'safety',
  'prohibited_content',
  'recitation',
  'blocklist',
  'blacklist',
  'spii',
  'image_safety',
  'model_armor',
  'error_toxic',
  'refusal',
  'guardrail_intervened',
]);

/**
 * Whether a finish reason means that the answer failed. Relays spell failures differently, for example `network-error`
 * and `error_finish` (https://github.com/NousResearch/hermes-agent/pull/92161).
 */
export function isFailedFinish(reason: string): boolean {
  const normal = normalized(reason);
  return FAILURES.has(normal) || /(?:^|_)error(?!_limit$|_toxic$)(?:_|$)/.test(normal);
}

/** Returns a finish reason in lower case, with underscores. Relays that use the AI SDK send hyphens. */
function normalized(reason: string): string {
  return reason.toLowerCase().replaceAll('-', '_');
}

/**
 * Converts a finish reason to a stop reason.
 * @param finishReason as the provider spells it; undefined counts as a normal end
 */
export function chatStopReason(
  finishReason: string | undefined,
  answer: { hasRefused: boolean; hasMatchedStopSequence: boolean; hasToolCalls: boolean },
): StopReason | 'failed' {
  const reason = normalized(finishReason ?? 'stop');
  if (isFailedFinish(reason)) return 'failed';
  if (answer.hasRefused) return 'refusal';
  if (answer.hasMatchedStopSequence) return 'stop_sequence';
  if (CHAT_REFUSALS.has(reason)) return 'refusal';
  switch (reason) {
    case 'length':
    case 'max_tokens':
    case 'max_output_tokens':
    // MiMo and vLLM cut off an answer that repeats itself (https://github.com/XiaomiMiMo/MiMo/issues/98).
    case 'repetition_truncation':
    case 'repetition':
      return 'max_tokens';
    case 'model_length':
    case 'error_limit':
    case 'model_context_window_exceeded':
      return 'model_context_window_exceeded';
    default:
      // The calls decide: some providers report "stop" after tool calls, and some report calls that they never sent.
      return answer.hasToolCalls ? 'tool_use' : 'end_turn';
  }
}
