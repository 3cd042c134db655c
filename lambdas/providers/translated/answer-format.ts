import { invalidRequest } from '../../platform/errors.ts';
import { outputFormat, withoutFormat } from '../../messages/output-format.ts';
import type { MessagesRequest } from '../../messages/types.ts';

/** Names that OpenAI takes. */
const SCHEMA_NAME = /^[\w-]{1,64}$/;

/**
 * The JSON schema that an answer must have; undefined where the client asked for none.
 * @param supportedParameters of the model: one without structured answers must not pretend to give them
 * @throws {GatewayError} 400 where the model gives none
 */
export function answerSchema(
  request: MessagesRequest,
  supportedParameters: readonly string[],
): Record<string, unknown> | undefined {
  const format = outputFormat(request);
  if (!format) return undefined;
  if (!supportedParameters.includes('response_format') && !supportedParameters.includes('structured_outputs')) {
    throw invalidRequest(
      'output_config.format',
      'this model does not give structured answers; ask for JSON in the prompt',
    );
  }
  return (format.schema ?? {}) as Record<string, unknown>;
}

/** A call that is forced has no text that a schema could hold: Gemini and Groq refuse both (https://github.com/vercel/ai/pull/16540). */
export function withFormatOrForcedCall(request: MessagesRequest): MessagesRequest {
  const { tools, tool_choice: choice } = request;
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  return isForced && tools?.length && outputFormat(request) ? withoutFormat(request) : request;
}

/**
 * The request for a model that takes either tools or a schema of the answer. Tools that may not be called need not be there.
 * @throws {GatewayError} 400 for both
 */
export function withFormatOrTools(asked: MessagesRequest): MessagesRequest {
  const request = withFormatOrForcedCall(asked);
  const { tools, tool_choice: choice, ...rest } = request;
  if (!tools?.length || !outputFormat(request)) return request;
  if (choice?.type === 'none') return rest;
  throw invalidRequest(
    'output_config.format',
    'does not work together with tools on this model; leave out one of them, or use another model',
  );
}

/** The name of the schema, and what it is for, where the client has said so: models read them. */
export function answerName(request: MessagesRequest): { name: string; description?: string } {
  const { name, description } = outputFormat(request) ?? {};
  return { name: name && SCHEMA_NAME.test(name) ? name : 'answer', ...(description ? { description } : {}) };
}
