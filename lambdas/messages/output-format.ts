import type { MessagesRequest } from './types.ts';
import { without } from './without.ts';

interface OutputFormat {
  type: string;
  schema?: unknown;
  /** The Messages API has no fields for the name and the purpose of the schema. */
  name?: string | undefined;
  description?: string | undefined;
}

/** Returns the requested schema of an answer, from `output_config` or the older `output_format`. */
export function outputFormat(request: MessagesRequest): OutputFormat | undefined {
  if (requestsJsonMode(request)) return undefined;
  return request.output_config?.format ?? (request['output_format'] as OutputFormat | null | undefined) ?? undefined;
}

/**
 * Returns whether the client requested any JSON object (`json_object` of OpenAI's APIs). The prompt requests it too,
 * because many providers have no such mode.
 */
export function requestsJsonMode({ output_config: config }: MessagesRequest): boolean {
  return config?.format?.type === 'json_object';
}

/** Returns whether the client will parse the whole text of the answer as JSON. */
export function expectsJson(request: MessagesRequest): boolean {
  return requestsJsonMode(request) || outputFormat(request) !== undefined;
}

/**
 * Returns the request with a schema only in `output_config`, because Bedrock rejects the older `output_format`
 * (https://github.com/vercel/ai/issues/12298). The schema's name and description, and the format `json_object`, are
 * removed, because the Messages API does not define them.
 */
export function withDefinedFormat(request: MessagesRequest): MessagesRequest {
  if (requestsJsonMode(request)) return withoutFormat(request);
  const { output_format: older, ...rest } = request;
  const requested = outputFormat(request);
  if (older === undefined && !requested?.name && !requested?.description) return request;
  if (!requested) return rest;
  const { name: _name, description: _description, ...format } = requested;
  return { ...rest, output_config: { ...rest.output_config, format } };
}

/** Removes the requested output format. */
export function withoutFormat(request: MessagesRequest): MessagesRequest {
  const { output_format: _older, output_config: config, ...rest } = request;
  const { format: _format, ...output } = config ?? {};
  return withOutput(rest, output);
}

type OutputConfig = NonNullable<MessagesRequest['output_config']>;

/** Returns the request with these settings of the output; without the field if there are none. */
export function withOutput(request: MessagesRequest, output: OutputConfig): MessagesRequest {
  return Object.keys(output).length > 0 ? { ...request, output_config: output } : without(request, 'output_config');
}
