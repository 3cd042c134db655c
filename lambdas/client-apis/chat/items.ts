import type { ZodError } from 'zod';
import { responsesRequestSchema, type ResponsesCall } from '../responses/request.ts';
import type { ChunkSettings } from './chunks.ts';

type ItemsCall = Pick<ResponsesCall, 'message' | 'origins' | 'leftOut'> & ChunkSettings & { hasItems: true };

/**
 * Converts a request whose conversation is in `input`, in the form of the Responses API. For models of OpenAI, Cursor
 * sends such requests to this API, and reads answers of this API (https://github.com/BerriAI/litellm/pull/34029).
 */
export function callOfItems(body: object): { data?: ItemsCall; error?: ZodError } {
  const { data, error } = responsesRequestSchema.safeParse({ ...body, messages: undefined });
  if (!data) return { error };
  const { message, origins, leftOut, tools, showsThinking: showsReasoning } = data;
  const { stream_options: options } = body as { stream_options?: { include_usage?: boolean | null } | null };
  const settings = { showsReasoning, hasOlderCalls: false, hasUsageChunk: options?.include_usage === true };
  return { data: { message, origins, leftOut, tools, hasItems: true, ...settings } };
}
