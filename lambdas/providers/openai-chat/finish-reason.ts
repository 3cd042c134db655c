import type { StopReason } from '../../messages/types.ts';

/** Finish reasons for a failed answer: Mistral, DeepSeek, Z.ai, vLLM, Gemini. */
const FAILURES = new Set([
  'error',
  'insufficient_system_resource',
  'network_error',
  'abort',
  'malformed_function_call',
]);
/** Finish reasons for a refusal by the provider: OpenAI, Z.ai, Gemini, GigaChat. */
const CHAT_REFUSALS = new Set([
  'content_filter',
  'sensitive',
  'safety',
  'prohibited_content',
  'recitation',
  'blocklist',
  'blacklist',
]);

export function isFailedFinish(reason: string): boolean {
  return FAILURES.has(reason.toLowerCase());
}

/**
 * The stop reason in the Messages API.
 * @param finishReason in the provider's spelling; a stream without one ended normally
 */
export function chatStopReason(
  finishReason: string | undefined,
  answer: { hasRefused: boolean; hasMatchedStopSequence: boolean; hasToolCalls: boolean },
): StopReason | 'failed' {
  const reason = finishReason?.toLowerCase() ?? 'stop';
  if (isFailedFinish(reason)) return 'failed';
  if (answer.hasRefused) return 'refusal';
  if (answer.hasMatchedStopSequence) return 'stop_sequence';
  if (CHAT_REFUSALS.has(reason)) return 'refusal';
  switch (reason) {
    case 'length':
    case 'max_tokens':
      return 'max_tokens';
    case 'model_length':
    case 'model_context_window_exceeded':
      return 'model_context_window_exceeded';
    default:
      // Some providers say "stop" after tool calls, or announce calls that never come.
      return answer.hasToolCalls ? 'tool_use' : 'end_turn';
  }
}
