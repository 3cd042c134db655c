/**
 * Corrects the field paths in errors. If a conversation has searches, the gateway rewrites it, and the messages get
 * other indexes than in the client's request. Later checks report these other indexes.
 */

import { GatewayError } from '../platform/errors.ts';

const MESSAGE_PLACE = /^messages\.(\d+)(?=\.|$)/;

/**
 * Runs a check of a rewritten conversation. Its errors get the paths of the client's own messages.
 * @param origins index of each message in the client's request; undefined if no message moved
 * @throws {GatewayError} the error of `check`
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
