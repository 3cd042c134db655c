import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { getCACertificates } from 'node:tls';
import { BoundedMap } from '../../platform/bounded-map.ts';

/** Maximum idle connections to all providers. A process may have 1,024 open files, also for clients and AWS. */
const MAX_FREE_SOCKETS = 256;

/**
 * Makes an agent close excess connections: after use, a connection is kept only if all agents together have fewer than
 * MAX_FREE_SOCKETS idle connections.
 */
function keeping<Agent extends http.Agent>(agent: Agent): Agent {
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => freeSockets() < MAX_FREE_SOCKETS && keepSocketAlive(socket);
  return agent;
}

const options = { keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS };

export const plainAgent = keeping(new http.Agent(options));
const trustingAgent = keeping(new https.Agent(options));

/** Returns the default CA certificates and the given ones (PEM). */
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
 * Returns the agent (pool of connections) for a provider. A provider with its own certificates (PEM) has its own agent,
 * so that they are trusted for no other provider.
 */
export function secureAgent(ca: string | undefined): https.Agent {
  if (ca === undefined) return trustingAgent;
  const known = agentsByCa.get(ca);
  if (known) return known;
  // Running requests of the dropped agent continue, and their connections are closed after them.
  if (agentsByCa.size === MAX_CA_AGENTS) {
    const [oldest] = agentsByCa.values();
    oldest!.maxFreeSockets = 0;
    for (const socket of idleSockets(oldest!)) socket.destroy();
  }
  const agent = keeping(new https.Agent({ ...options, ca: trusted(ca) }));
  agentsByCa.set(ca, agent);
  return agent;
}
