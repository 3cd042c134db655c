import type { MessagesRequest } from './types.ts';

interface OutputFormat {
  type: string;
  schema?: unknown;
  /** Clients of OpenAI's APIs name a schema and say what it is for; the Messages API has no place for that. */
  name?: string | undefined;
  description?: string | undefined;
}

/** The form that an answer must have. Clients from before output_config send the same object under its older name. */
export function outputFormat(request: MessagesRequest): OutputFormat | undefined {
  return request.output_config?.format ?? (request['output_format'] as OutputFormat | null | undefined) ?? undefined;
}

/** The request with no more of its format than the Messages API knows. */
export function withoutFormatName(request: MessagesRequest): MessagesRequest {
  const { output_config: config } = request;
  if (!config?.format?.name && !config?.format?.description) return request;
  const { name: _name, description: _description, ...format } = config.format;
  return { ...request, output_config: { ...config, format } };
}

/** The request without any form of its answer. */
export function withoutFormat(request: MessagesRequest): MessagesRequest {
  const { output_format: _older, output_config: config, ...rest } = request;
  const { format: _format, ...output } = config ?? {};
  return Object.keys(output).length > 0 ? { ...rest, output_config: output } : rest;
}
