import type { StopReason } from '../../messages/types.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';

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

/**
 * Returns the reason for which a filter or the model refused a request of another modality; undefined if neither did.
 * Other finish reasons, such as OTHER and IMAGE_OTHER, are failures of the provider: the same request may succeed
 * later. https://ai.google.dev/api/generate-content#FinishReason
 * @param body a response, or an event of a stream
 */
export function geminiRefusal(body: unknown): string | undefined {
  const { promptFeedback, candidates } = recordOrEmpty(body);
  const { blockReason } = recordOrEmpty(promptFeedback);
  if (typeof blockReason === 'string' && blockReason !== '') return reasonName(blockReason);
  const { finishReason } = recordOrEmpty(Array.isArray(candidates) ? candidates[0] : undefined);
  return typeof finishReason === 'string' && GEMINI_REFUSALS.has(finishReason) ? finishReason : undefined;
}

/** Returns a reason in Google's form, or "unknown" for any other value. */
export function reasonName(reason: unknown): string {
  return typeof reason === 'string' && /^[A-Z_]{1,40}$/.test(reason) ? reason : 'unknown';
}
