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

/** Why an answer ends, in the words of the chat API, and beside it in those of the Messages API. */
export function finishFields(reason: StopReason | null): {
  finish_reason: string;
  native_finish_reason: string | null;
} {
  return { finish_reason: (reason && finishReasons[reason]) ?? 'stop', native_finish_reason: reason };
}
