import type { StopReason } from '../../messages/types.ts';

/** Gemini's finish reasons if the model or a filter refused to answer. MODEL_ARMOR is from Vertex AI. */
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
 * Converts a finish reason to the Messages API. Gemini sends STOP also after tool calls, so `hasToolCalls`
 * distinguishes tool_use from end_turn. Every reason other than STOP, MAX_TOKENS and the refusals counts as a failure,
 * for example MALFORMED_FUNCTION_CALL, or a reason that Google adds later.
 */
export function geminiStopReason(finishReason: string, hasToolCalls: boolean): StopReason | 'failed' {
  if (GEMINI_REFUSALS.has(finishReason)) return 'refusal';
  if (finishReason === 'MAX_TOKENS') return 'max_tokens';
  if (finishReason !== 'STOP') return 'failed';
  return hasToolCalls ? 'tool_use' : 'end_turn';
}
