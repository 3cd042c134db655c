/**
 * Corrects paths in errors. The gateway rewrites conversations with searches, so the index of a message may differ from
 * its index in the client's request.
 */

import { GatewayError } from '../platform/errors.ts';

const MESSAGE_PLACE = /^messages\.(\d+)(?=\.|$)/;

/**
 * Runs a check, and replaces the paths in its errors by the paths in the client's request.
 * @param origins index of each message in the client's request; undefined if no index changed
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
