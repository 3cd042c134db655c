/**
 * Converts between the two ids of a search. The prefix of the client's id marks a call that the server runs. The other
 * id is that of the model's tool call. Each follows from the other, so that the model gets the same conversation in
 * every turn.
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
