/** Keeps connections to providers open for reuse. */

import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { getCACertificates } from 'node:tls';
import { BoundedMap } from '../../platform/bounded-map.ts';

/**
 * Maximum number of idle connections to all providers together. A process may have 1,024 open files. 128 concurrent
 * requests need 256 connections: each request needs one to its client and one to its provider. Connections to two AWS
 * services use up to 128 files each. Of the remaining 512 files, idle connections may use half.
 */
const MAX_FREE_SOCKETS = 256;

/**
 * Limits the idle connections of an agent. After use, a connection is kept only if there are fewer than
 * MAX_FREE_SOCKETS idle connections in total.
 */
function keeping<Agent extends http.Agent>(agent: Agent): Agent {
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => freeSockets() < MAX_FREE_SOCKETS && keepSocketAlive(socket);
  return agent;
}

const options = { keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS };

export const plainAgent = keeping(new http.Agent(options));
const trustingAgent = keeping(new https.Agent(options));

/**
 * Returns the default CA certificates and the given certificates.
 * @param ca PEM of the additional certificates
 */
export function trusted(ca: string): string[] {
  return [...getCACertificates('default'), ca];
}

const MAX_CA_AGENTS = 16;
const agentsByCa = new BoundedMap<string, https.Agent>(MAX_CA_AGENTS);

function freeSockets(): number {
  return [plainAgent, trustingAgent, ...agentsByCa.values()].flatMap(idleSockets).length;
}

function idleSockets({ freeSockets: byHost }: http.Agent): Socket[] {
  return Object.values(byHost).flat() as Socket[];
}

/**
 * Returns the agent (pool of connections) for a provider. A provider with its own certificates has its own connections,
 * so that these certificates are trusted for no other provider.
 * @param ca PEM of the certificates that are trusted for this provider, in addition to the default ones
 */
export function secureAgent(ca: string | undefined): https.Agent {
  if (ca === undefined) return trustingAgent;
  const known = agentsByCa.get(ca);
  if (known) return known;
  // A new provider or a changed certificate needs a new agent. If the oldest agent is dropped, its idle connections are
  // closed. Its running requests continue, and their connections are closed after them.
  if (agentsByCa.size === MAX_CA_AGENTS) {
    const [oldest] = agentsByCa.values();
    oldest!.maxFreeSockets = 0;
    for (const socket of idleSockets(oldest!)) socket.destroy();
  }
  const agent = keeping(new https.Agent({ ...options, ca: trusted(ca) }));
  agentsByCa.set(ca, agent);
  return agent;
}
