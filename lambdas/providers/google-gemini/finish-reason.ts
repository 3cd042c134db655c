import type { StopReason } from '../../messages/types.ts';

/** The model, or a filter in front of it, would not say more. MODEL_ARMOR is Vertex AI's. */
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
 * Why an answer stopped, as the Messages API says it. There is no reason of its own for calls. What is none of these is a
 * failure: MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL, OTHER, and what Google may add.
 */
export function geminiStopReason(finishReason: string, hasToolCalls: boolean): StopReason | 'failed' {
  if (GEMINI_REFUSALS.has(finishReason)) return 'refusal';
  if (finishReason === 'MAX_TOKENS') return 'max_tokens';
  if (finishReason !== 'STOP') return 'failed';
  return hasToolCalls ? 'tool_use' : 'end_turn';
}
