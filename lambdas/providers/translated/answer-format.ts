import { invalidRequest } from '../../platform/errors.ts';
import { outputFormat } from '../../messages/output-format.ts';
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

/** The name of the schema, and what it is for, where the client has said so: models read them. */
export function answerName(request: MessagesRequest): { name: string; description?: string } {
  const { name, description } = outputFormat(request) ?? {};
  return { name: name && SCHEMA_NAME.test(name) ? name : 'answer', ...(description ? { description } : {}) };
}
