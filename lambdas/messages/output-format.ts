import type { MessagesRequest } from './types.ts';

/** The form that an answer must have. Clients from before output_config send the same object under its older name. */
export function outputFormat(request: MessagesRequest): { type: string; schema?: unknown } | undefined {
  return request.output_config?.format ?? (request['output_format'] as { type: string; schema?: unknown }) ?? undefined;
}
