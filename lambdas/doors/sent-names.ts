/** Errors of the engine speak of the Messages API; a client of another API has to find the field in what it has sent. */

import { GatewayError } from '../platform/errors.ts';

/** Where a field of the Messages API stands in what the client has sent. */
export interface SentNames {
  /** By the first parts of its path: the longest name counts. */
  fields: Readonly<Record<string, string>>;
  /** The list of the conversation, and the place in it of each message. */
  conversation: string;
  origins: readonly number[];
}

/** The same error, with the field's name as it was sent. */
export function asSent(error: unknown, names: SentNames): unknown {
  if (!(error instanceof GatewayError)) return error;
  const { field } = error.metadata;
  if (typeof field !== 'string') return error;
  const sent = sentName(field, names);
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

function sentName(field: string, { fields, conversation, origins }: SentNames): string {
  const place = /^messages\.(\d+)/.exec(field)?.[1];
  if (place !== undefined) return `${conversation}.${origins[Number(place)] ?? place}`;
  const known = Object.keys(fields)
    .filter((name) => field === name || field.startsWith(`${name}.`))
    .toSorted((a, b) => b.length - a.length)[0];
  return known === undefined ? field : fields[known]!;
}
