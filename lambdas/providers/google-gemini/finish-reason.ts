import type { StopReason } from '../../messages/types.ts';

/** Finish reasons for a refusal by the model or by a filter in front of it. MODEL_ARMOR is from Vertex AI. */
const GEMINI_REFUSALS = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'MODEL_ARMOR',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_RECITATION',
]);

/**
 * The stop reason in the Messages API. Gemini has no separate reason for calls. Every other reason is a failure:
 * MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER, and reasons that Google may add.
 */
export function geminiStopReason(finishReason: string, hasToolCalls: boolean): StopReason | 'failed' {
  if (GEMINI_REFUSALS.has(finishReason)) return 'refusal';
  if (finishReason === 'MAX_TOKENS') return 'max_tokens';
  if (finishReason !== 'STOP') return 'failed';
  return hasToolCalls ? 'tool_use' : 'end_turn';
}
