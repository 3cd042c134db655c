/** Connections to upstreams that are kept for the next request. */

import http from 'node:http';
import https from 'node:https';
import { getCACertificates } from 'node:tls';
import { BoundedMap } from '../../platform/bounded-map.ts';

/**
 * Connections that wait for a request, to all upstreams together. A process may have 1,024 files open; 128 requests with one connection from
 * a client and one to an upstream each, and 128 connections to each of two services of AWS, leave room for these.
 */
const MAX_FREE_SOCKETS = 256;

/** Keeps a connection that a request has given back, as long as there is room for one more; else it is closed. */
function keeping<Agent extends http.Agent>(agent: Agent): Agent {
  const keepSocketAlive = agent.keepSocketAlive.bind(agent);
  agent.keepSocketAlive = (socket) => freeSockets() < MAX_FREE_SOCKETS && keepSocketAlive(socket);
  return agent;
}

const options = { keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS };

export const plainAgent = keeping(new http.Agent(options));
const trustingAgent = keeping(new https.Agent(options));

/** What everybody trusts, and one certificate more. @param ca PEM */
export function trusted(ca: string): string[] {
  return [...getCACertificates('default'), ca];
}

const MAX_CA_AGENTS = 16;
const agentsByCa = new BoundedMap<string, https.Agent>(MAX_CA_AGENTS);

function freeSockets(): number {
  return [plainAgent, trustingAgent, ...agentsByCa.values()]
    .flatMap(({ freeSockets: byHost }) => Object.values(byHost))
    .reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
}

/**
 * Connections to targets with certificates of their own are apart from all others, and trust them alone.
 * @param ca PEM of what vouches for the target besides what everybody trusts
 */
export function secureAgent(ca: string | undefined): https.Agent {
  if (ca === undefined) return trustingAgent;
  const known = agentsByCa.get(ca);
  if (known) return known;
  // Only a rotated certificate adds another: what used the oldest goes on, and its connections close by themselves.
  const agent = keeping(new https.Agent({ ...options, ca: trusted(ca) }));
  agentsByCa.set(ca, agent);
  return agent;
}
