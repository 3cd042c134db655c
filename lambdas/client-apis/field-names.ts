/** Renames fields in error messages: the gateway's errors name fields of the Messages API, not of the client's API. */

import { GatewayError } from '../platform/errors.ts';

export interface ClientMessagePosition {
  /** Index in the client's list. If several items were merged, the index of the first. */
  at: number;
  /** Whether each block of the message was made from exactly one part of the client's message. */
  hasParts: boolean;
}

/** Names and positions of Messages API fields in the client's request. */
export interface ClientFieldNames {
  /** Client's names, by prefix of the field path in the Messages API. The longest matching prefix applies. */
  fields: Readonly<Record<string, string>>;
  /** Name of the client's list that contains the conversation. `origins` has each message's position in it. */
  conversation: string;
  origins: readonly ClientMessagePosition[];
}

/** Captures a message's index, and the index of a block in the message, in a field path. */
const MESSAGE_PART = /^messages\.(\d+)(?:\.content\.(\d+))?/;

/** Returns the error with the client's name for the field. */
export function withClientFieldName(error: unknown, names: ClientFieldNames): unknown {
  if (!(error instanceof GatewayError)) return error;
  const { field } = error.metadata;
  if (typeof field !== 'string') return error;
  const sent = toClientFieldName(field, names);
  if (sent === field) return error;
  const message = error.message.startsWith(`${field}: `)
    ? `${sent}${error.message.slice(field.length)}`
    : error.message;
  return new GatewayError(error.kind, message, {
    metadata: { ...error.metadata, field: sent },
    headers: error.headers,
    details: error.details,
    cause: error.cause,
    status: error.status,
  });
}

function toClientFieldName(field: string, { fields, conversation, origins }: ClientFieldNames): string {
  const [, place, part] = MESSAGE_PART.exec(field) ?? [];
  if (place !== undefined) {
    const origin = origins[Number(place)];
    const message = `${conversation}.${origin?.at ?? place}`;
    return origin?.hasParts && part !== undefined ? `${message}.content.${part}` : message;
  }
  const known = Object.keys(fields)
    .filter((name) => field === name || field.startsWith(`${name}.`))
    .toSorted((a, b) => b.length - a.length)[0];
  return known === undefined ? field : fields[known]!;
}
