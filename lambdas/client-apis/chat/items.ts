import * as z from 'zod';
import { responsesRequestSchema, type ResponsesCall } from '../responses/request.ts';
import type { ChunkSettings } from './chunks.ts';
import type { ChatBody } from './schema.ts';

type ItemsCall = Pick<ResponsesCall, 'message' | 'origins' | 'leftOut'> & ChunkSettings & { hasItems: true };

/**
 * Converts a request whose conversation is in `input`, in the form of the Responses API. For models of OpenAI, Cursor
 * sends such requests to this API, and reads answers of this API (https://github.com/BerriAI/litellm/pull/34029).
 */
export function callOfItems(body: ChatBody, context: z.core.$RefinementCtx): ItemsCall {
  const { messages: _, max_tokens: older, max_completion_tokens: newer, reasoning_effort: effort, ...others } = body;
  const { data, error } = responsesRequestSchema.safeParse({
    ...others,
    max_output_tokens: others['max_output_tokens'] ?? newer ?? older,
    reasoning: others.reasoning ?? (effort == null ? undefined : { effort }),
  });
  if (!data) {
    for (const issue of error.issues) context.addIssue({ ...issue });
    return z.NEVER;
  }
  const { message, origins, leftOut, tools, showsThinking: showsReasoning } = data;
  const hasUsageChunk = body.stream_options?.include_usage === true;
  return { message, origins, leftOut, tools, hasItems: true, showsReasoning, hasOlderCalls: false, hasUsageChunk };
}
