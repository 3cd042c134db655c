import { invalidRequest } from '../../platform/errors.ts';
import { outputFormat, requestsJsonMode, withoutFormat } from '../../messages/output-format.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { currentSchema } from './arguments-schema.ts';

/** Matches schema names that OpenAI accepts. */
const SCHEMA_NAME = /^[\w-]{1,64}$/;

/**
 * Returns the JSON schema that an answer must follow; undefined if the client requested none.
 * @throws {GatewayError} 400 if the model lists no structured answers
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
      'this model does not support structured answers; request JSON in the prompt',
    );
  }
  return currentSchema(format.schema ?? {}) as Record<string, unknown>;
}

/**
 * Returns whether the request makes the provider enforce a JSON object. Next to tools, only the prompt demands it, because
 * Gemini and Groq accept only one of them (https://ai.google.dev/gemini-api/docs/structured-output,
 * https://console.groq.com/docs/structured-outputs).
 */
export function usesJsonMode(request: MessagesRequest, supportedParameters: readonly string[]): boolean {
  return requestsJsonMode(request) && !request.tools?.length && supportedParameters.includes('response_format');
}

/**
 * Drops the schema of the answer if a tool call is forced. The answer then has no text, and Gemini and Groq reject a
 * schema (https://github.com/vercel/ai/pull/16540).
 */
export function withFormatOrForcedCall(request: MessagesRequest): MessagesRequest {
  const { tools, tool_choice: choice } = request;
  const isForced = choice?.type === 'any' || choice?.type === 'tool';
  return isForced && tools?.length && outputFormat(request) ? withoutFormat(request) : request;
}

/**
 * Adapts a request to a model that accepts either tools or a schema for the answer.
 * @throws {GatewayError} 400 if the request needs both tools and the schema
 */
export function withFormatOrTools(requested: MessagesRequest): MessagesRequest {
  const request = withFormatOrForcedCall(requested);
  const { tools, tool_choice: choice, ...rest } = request;
  if (!tools?.length || !outputFormat(request)) return request;
  if (choice?.type === 'none') return rest;
  throw invalidRequest(
    'output_config.format',
    'does not work together with tools on this model; leave out one of them, or use another model',
  );
}

/** Returns the schema's name, by default "answer", and its description. Models read both. */
export function answerName(request: MessagesRequest): { name: string; description?: string } {
  const { name, description } = outputFormat(request) ?? {};
  return { name: name && SCHEMA_NAME.test(name) ? name : 'answer', ...(description ? { description } : {}) };
}
