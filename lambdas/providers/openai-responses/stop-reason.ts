import type { StopReason } from '../../messages/types.ts';
import { asOptionalRecord, asText } from '../shapes.ts';

/** Converts the stop reason of a complete response. */
export function responsesStopReason(
  response: Record<string, unknown>,
  answer: { hasRefused: boolean; hasToolCalls: boolean },
): StopReason {
  const incomplete = asText(asOptionalRecord(response['incomplete_details'])?.['reason']);
  if (answer.hasRefused || incomplete === 'content_filter') return 'refusal';
  if (incomplete !== '' || response['status'] === 'incomplete') return 'max_tokens';
  return answer.hasToolCalls ? 'tool_use' : 'end_turn';
}
