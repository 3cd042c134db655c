import type { StopReason } from '../../messages/types.ts';

const finishReasons: Record<StopReason, string> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

interface FinishReason {
  finish_reason: string;
  native_finish_reason: string | null;
}

/**
 * Returns the finish reason, and the Messages API's stop reason. The finish reason of a refusal with text is "stop",
 * because clients then read the field `refusal`.
 */
export function finishFields(
  reason: StopReason | null,
  { hasOlderCalls, hasRefusal }: { hasOlderCalls: boolean; hasRefusal: boolean },
): FinishReason {
  return { finish_reason: finishReason(reason, hasOlderCalls, hasRefusal), native_finish_reason: reason };
}

function finishReason(reason: StopReason | null, hasOlderCalls: boolean, hasRefusal: boolean): string {
  if (reason === 'tool_use' && hasOlderCalls) return 'function_call';
  if (reason === 'refusal' && hasRefusal) return 'stop';
  return (reason && finishReasons[reason]) ?? 'stop';
}
