/**
 * Creates and converts ids of search calls. The client gets an id with the prefix for tool calls that the server runs.
 * The id for the model is derived from it, so that the model gets the same conversation in every turn.
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
