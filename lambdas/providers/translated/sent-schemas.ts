import { outputFormat } from '../../messages/output-format.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { argumentsSchema, currentSchema } from './arguments-schema.ts';
import { withInlineReferences } from './inline-references.ts';

/**
 * Returns the request with its schemas as providers get them. They may be much longer than those of the client, because
 * references are replaced.
 * @param quirks quirks of the endpoint
 */
export function withSentSchemas(request: MessagesRequest, quirks: object): MessagesRequest {
  const { tools, output_config: output } = request;
  const format = outputFormat(request);
  const isPlain = 'plain_schema_root' in quirks && quirks.plain_schema_root === true;
  const sent = (schema: Record<string, unknown>) =>
    isPlain ? withInlineReferences(argumentsSchema(schema)) : argumentsSchema(schema);
  return {
    ...request,
    ...(tools
      ? { tools: tools.map((tool) => (tool.input_schema ? { ...tool, input_schema: sent(tool.input_schema) } : tool)) }
      : {}),
    ...(format ? { output_config: { ...output, format: { ...format, schema: currentSchema(format.schema) } } } : {}),
  };
}
