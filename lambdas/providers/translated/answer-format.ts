import { invalidRequest } from '../../platform/errors.ts';
import { outputFormat, withoutFormat } from '../../messages/output-format.ts';
import type { MessagesRequest } from '../../messages/types.ts';

/** Schema names that OpenAI accepts. */
const SCHEMA_NAME = /^[\w-]{1,64}$/;

/**
 * The JSON schema that an answer must have; undefined if the client requested none.
 * @param supportedParameters of the model. Without structured answers among them, the request is refused.
 * @throws {GatewayError} 400 if the model supports no schema
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

/**
 * Drops the schema if a call is forced, because the answer then has no text: Gemini and Groq refuse both together
 * (https://github.com/vercel/ai/pull/16540).
 */
export function withFormatOrForcedCall(request: MessagesRequest): MessagesRequest {
  const { tools, tool_choice: choice } = request;
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  return isForced && tools?.length && outputFormat(request) ? withoutFormat(request) : request;
}

/**
 * The request for a model that accepts either tools or a schema of the answer. Tools are dropped if the model must not
 * call them.
 * @throws {GatewayError} 400 for a request with both
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

/** Name and purpose of the schema, which models read. Without a valid name from the client, the name is "answer". */
export function answerName(request: MessagesRequest): { name: string; description?: string } {
  const { name, description } = outputFormat(request) ?? {};
  return { name: name && SCHEMA_NAME.test(name) ? name : 'answer', ...(description ? { description } : {}) };
}
