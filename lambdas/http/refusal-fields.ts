import type { GatewayError } from '../platform/errors.ts';
import type { LogFields } from '../platform/logger.ts';

/** Names of fields and models as APIs write them: no sentence, no address, no value of any length. */
const FIELD = /^[\w-]{1,40}(?:\.[\w-]{1,40}){0,12}$/;
const MODEL = /^[\w.:/@[\]-]{1,100}$/;

/**
 * Builds the log fields of a refusal, so that an operator can answer why a request was refused without its sender's help. They
 * hold nothing of the request but the name of a field and that of a model.
 * @param body of the request, where it was read
 */
export function refusalFields({ kind, metadata }: GatewayError, body: unknown): LogFields {
  const { field, limit_source: limit } = metadata;
  const { model } = (typeof body === 'object' && body !== null ? body : {}) as { model?: unknown };
  return {
    kind,
    ...(typeof field === 'string' && FIELD.test(field) ? { field } : {}),
    ...(typeof limit === 'string' ? { limit } : {}),
    ...(typeof model === 'string' && MODEL.test(model) ? { model } : {}),
  };
}
