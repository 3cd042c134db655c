/**
 * Places in a request as its client has sent it. What is checked later may have messages at other places: a conversation with searches
 * is made into one without them first.
 */

import { GatewayError } from '../platform/errors.ts';

const MESSAGE_PLACE = /^messages\.(\d+)(?=\.|$)/;

/**
 * Runs a check of a conversation that was changed; what it finds wrong is named by the client's own message.
 * @param origins the place in the request of each message; undefined where none has changed
 * @throws {GatewayError} what `check` throws
 */
export function reportPathsAsSent<Result>(origins: readonly number[] | undefined, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw atOrigin(error, origins);
  }
}

function atOrigin(error: unknown, origins: readonly number[] | undefined): unknown {
  if (!origins || !(error instanceof GatewayError)) return error;
  const { kind, message, metadata, status, headers, details } = error;
  const { field } = metadata;
  if (typeof field !== 'string') return error;
  const origin = origins[Number(MESSAGE_PLACE.exec(field)?.[1])];
  if (origin === undefined) return error;
  const renamed = field.replace(MESSAGE_PLACE, `messages.${origin}`);
  return new GatewayError(
    kind,
    message.replace(field, () => renamed),
    {
      status,
      metadata: { ...metadata, field: renamed },
      headers,
      details,
      cause: error,
    },
  );
}
