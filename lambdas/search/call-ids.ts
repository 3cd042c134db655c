/**
 * Creates ids of searches. The client gets an id with the prefix for tool calls that the server runs. The id of the
 * model's tool call is derived from that id, so that the model gets the same conversation in every turn.
 */

import { randomUUID } from 'node:crypto';

const CLIENT_PREFIX = 'srvtoolu_';
const MODEL_PREFIX = 'toolu_';

export function newSearchId(): string {
  return `${CLIENT_PREFIX}${randomUUID().replaceAll('-', '')}`;
}

export function modelCallId(clientId: string): string {
  return clientId.startsWith(CLIENT_PREFIX) ? MODEL_PREFIX + clientId.slice(CLIENT_PREFIX.length) : clientId;
}
