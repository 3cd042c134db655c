import * as z from 'zod';
import { responsesRequestSchema } from '../responses/request.ts';
import type { ChatCall } from './request.ts';
import { chatBody } from './schema.ts';

/** Schema of the body. Fields that are omitted here have the form of the Responses API. */
const itemsBody = chatBody
  .omit({ messages: true, tools: true, tool_choice: true, store: true })
  .transform((body, context): ChatCall => {
    const { max_tokens: older, max_completion_tokens: newer, reasoning_effort: effort, ...rest } = body;
    const { messages: _, response_format: format, ...others } = rest;
    const { data, error } = responsesRequestSchema.safeParse({
      ...others,
      max_output_tokens: others['max_output_tokens'] ?? newer ?? older,
      reasoning: others.reasoning ?? (effort == null ? undefined : { effort }),
      text: format == null ? others['text'] : { ...(others['text'] as object), format: flatFormat(format) },
    });
    if (!data) {
      for (const issue of error.issues) context.addIssue({ ...issue });
      return z.NEVER;
    }
    const { message, origins, leftOut, tools, showsThinking: showsReasoning } = data;
    const hasUsageChunk = body.stream_options?.include_usage === true;
    return { message, origins, leftOut, tools, hasItems: true, showsReasoning, hasOlderCalls: false, hasUsageChunk };
  });

/**
 * Converts a request whose conversation is in `input`, in the form of the Responses API. For models of OpenAI, Cursor
 * sends such requests to this API, and reads answers of this API (https://github.com/BerriAI/litellm/pull/34029).
 */
export function callOfItems(body: unknown): z.ZodSafeParseResult<ChatCall> {
  return itemsBody.safeParse(body);
}

function flatFormat(format: NonNullable<z.output<typeof chatBody>['response_format']>): object {
  return format.type === 'json_schema' ? { ...format.json_schema, type: format.type } : format;
}
