import type { StopReason } from '../../messages/types.ts';

/** The stop reason in the Messages API. */
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
      // Some models report `end_turn` after calls, or announce calls that never come.
      return hasToolCalls ? 'tool_use' : 'end_turn';
  }
}
