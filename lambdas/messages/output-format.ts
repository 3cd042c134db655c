import type { MessagesRequest } from './types.ts';
import { without } from './without.ts';

interface OutputFormat {
  type: string;
  schema?: unknown;
  /** The Messages API has no fields for the name and the purpose of the schema. */
  name?: string | undefined;
  description?: string | undefined;
}

/** Returns the requested format of an answer, from `output_config` or the older `output_format`. */
export function outputFormat(request: MessagesRequest): OutputFormat | undefined {
  return request.output_config?.format ?? (request['output_format'] as OutputFormat | null | undefined) ?? undefined;
}

/** Removes the name and the description of the format, which the Messages API does not define. */
export function withoutFormatName(request: MessagesRequest): MessagesRequest {
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
