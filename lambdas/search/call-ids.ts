/**
 * One search has two ids: the client's, which says that the server ran it, and that of the call which the model made. The
 * one follows from the other, so that the model reads the same conversation in every turn.
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
