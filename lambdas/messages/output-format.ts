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

/** Removes the format `json_object`, and the name and the description of a schema: the Messages API defines none of them. */
export function withDefinedFormat(request: MessagesRequest): MessagesRequest {
  if (requestsJsonMode(request)) return withoutFormat(request);
  const { output_config: config } = request;
  if (!config?.format?.name && !config?.format?.description) return request;
  const { name: _name, description: _description, ...format } = config.format;
  return { ...request, output_config: { ...config, format } };
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
