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
 * Finish reasons at a token limit. Gemini 4 Argon sends CONTINUATION at the limit of one request
 * (https://newreleases.io/project/github/vercel/ai/release/@ai-sdk%2Fgoogle-vertex@3.0.182).
 */
const TOKEN_LIMITS = new Set(['MAX_TOKENS', 'CONTINUATION']);

/**
 * Converts a finish reason to a stop reason. Gemini sends STOP also after tool calls. Reasons other than STOP, token
 * limits and the refusals are failures.
 */
export function geminiStopReason(finishReason: string, hasToolCalls: boolean): StopReason | 'failed' {
  if (GEMINI_REFUSALS.has(finishReason)) return 'refusal';
  if (TOKEN_LIMITS.has(finishReason)) return 'max_tokens';
  if (finishReason !== 'STOP') return 'failed';
  return hasToolCalls ? 'tool_use' : 'end_turn';
}

/**
 * Returns why Gemini blocked the prompt; undefined if it did not. The default value stands for no block
 * (https://newreleases.io/project/github/vercel/ai/release/@ai-sdk%2Fgoogle@4.0.75).
 */
export function blockReasonOf(response: Record<string, unknown>): string | undefined {
  const { blockReason } = recordOrEmpty(response['promptFeedback']);
  const isBlocked = typeof blockReason === 'string' && blockReason !== '' && blockReason !== 'BLOCK_REASON_UNSPECIFIED';
  return isBlocked ? reasonName(blockReason) : undefined;
}

/**
 * Returns the reason of a refusal, for requests other than messages; undefined if there is none. After other reasons,
 * such as OTHER, the same request may succeed later. https://ai.google.dev/api/generate-content#FinishReason
 * @param body a response, or an event of a stream
 */
export function geminiRefusal(body: unknown): string | undefined {
  const response = recordOrEmpty(body);
  const { candidates } = response;
  const blockReason = blockReasonOf(response);
  if (blockReason !== undefined) return blockReason;
  const { finishReason } = recordOrEmpty(Array.isArray(candidates) ? candidates[0] : undefined);
  return typeof finishReason === 'string' && GEMINI_REFUSALS.has(finishReason) ? finishReason : undefined;
}

/** Returns a reason in Google's form, or "unknown" for any other value. */
export function reasonName(reason: unknown): string {
  return typeof reason === 'string' && /^[A-Z_]{1,40}$/.test(reason) ? reason : 'unknown';
}
