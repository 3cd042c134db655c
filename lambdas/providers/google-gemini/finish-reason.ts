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
 * Converts a finish reason to a stop reason. Gemini sends STOP also after tool calls. Reasons other than STOP,
 * MAX_TOKENS and the refusals are failures.
 */
export function geminiStopReason(finishReason: string, hasToolCalls: boolean): StopReason | 'failed' {
  if (GEMINI_REFUSALS.has(finishReason)) return 'refusal';
  if (finishReason === 'MAX_TOKENS') return 'max_tokens';
  if (finishReason !== 'STOP') return 'failed';
  return hasToolCalls ? 'tool_use' : 'end_turn';
}

/**
 * Returns the reason of a refusal, for requests other than messages; undefined if there is none. After other reasons,
 * such as OTHER, the same request may succeed later. https://ai.google.dev/api/generate-content#FinishReason
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
