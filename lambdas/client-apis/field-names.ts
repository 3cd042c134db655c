/** Errors of the engine speak of the Messages API; a client of another API has to find the field in what it has sent. */

import { GatewayError } from '../platform/errors.ts';

/** Where a message of the engine comes from. */
export interface ClientMessagePosition {
  /** The place in the list of the conversation; the first one, where several have become one message. */
  at: number;
  /** Its blocks are the parts that were sent, one for one. */
  hasParts: boolean;
}

/** Where a field of the Messages API stands in what the client has sent. */
export interface ClientFieldNames {
  /** By the first parts of its path: the longest name counts. */
  fields: Readonly<Record<string, string>>;
  /** The list of the conversation, and the place in it of each message. */
  conversation: string;
  origins: readonly ClientMessagePosition[];
}

/** A message, and the block in it. */
const MESSAGE_PART = /^messages\.(\d+)(?:\.content\.(\d+))?/;

/** The same error, with the field's name as it was sent. */
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
