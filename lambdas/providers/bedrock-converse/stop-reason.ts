import type { StopReason } from '../../messages/types.ts';

/** Converts Converse's stop reason to the Messages API. Returns "failed" if the model's output was malformed. */
export function converseStopReason(reason: string, hasToolCalls: boolean): StopReason | 'failed' {
  switch (reason) {
    case 'malformed_model_output':
    case 'malformed_tool_use':
      return 'failed';
    case 'guardrail_intervened':
    case 'content_filtered':
      return 'refusal';
    case 'max_tokens':
    case 'stop_sequence':
    case 'model_context_window_exceeded':
      return reason;
    default:
      // The calls decide: some models report `end_turn` after calls, and some report `tool_use` without a call.
      return hasToolCalls ? 'tool_use' : 'end_turn';
  }
}
