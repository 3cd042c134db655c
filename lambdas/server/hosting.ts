/** Settings of a server from the environment, in a container or as a Lambda Web Function. */

import { optionalVariable, positiveIntegerVariable, serverVariables } from '../platform/environment.ts';
import { DEFAULT_MAX_REQUESTS } from './bounded-host.ts';
import type { Vantage } from './origin.ts';
import type { ShutdownTimes } from './shutdown.ts';

export interface HostingProfile {
  host: string;
  port: number;
  clientIpSource: Vantage;
  /** Times of a shutdown, measured from SIGTERM. */
  shutdown: ShutdownTimes;
  maxRequests: number;
  /** Whether the process takes leases: money held in advance for the requests of a busy payer. */
  takesLeases: boolean;
}

/** By default, a container listens on all its addresses, because its proxy is outside the container. */
const ANYWHERE = '0.0.0.0';
const DEFAULT_PORT = 8080;
/** Lambda ends the process of a Web Function one second after SIGTERM. */
const WEB_FUNCTION_SHUTDOWN: ShutdownTimes = { graceMs: 900, finishMs: 300 };
/**
 * Default time in seconds from SIGTERM to the end of a container's process. Amazon ECS and Kubernetes wait thirty
 * seconds.
 */
const DEFAULT_GRACE_SECONDS = 20;
/**
 * Time in ms that the shutdown of a container reserves for ending and settling answers, at most half of its shutdown
 * time.
 */
const MAX_ENDING_MS = 10_000;

/**
 * Returns the settings from the environment.
 * @throws {Error} with the name of an environment variable whose value is invalid
 */
export function hostingOf(): HostingProfile {
  const endpoint = optionalVariable(serverVariables.webFunctionEndpoint);
  return endpoint === undefined ? container() : webFunction(endpoint);
}

function container(): HostingProfile {
  return {
    host: optionalVariable(serverVariables.host) ?? ANYWHERE,
    port: positiveIntegerVariable(serverVariables.port, DEFAULT_PORT),
    clientIpSource: {
      domain: optionalVariable(serverVariables.domain),
      isHostChecked: false,
      proxies:
        optionalVariable(serverVariables.proxies) === undefined
          ? 0
          : positiveIntegerVariable(serverVariables.proxies, 0),
    },
    shutdown: containerShutdown(),
    maxRequests: maxRequests(),
    takesLeases: takesLeases(),
  };
}

/**
 * Returns the settings in a Lambda Web Function. Lambda has checked the `host` header of each request, and adds the
 * client's address to `x-forwarded-for`.
 */
function webFunction(endpoint: string): HostingProfile {
  const [, host, port] = /^(?:https?:\/\/)?(\[[^\]]+\]|[^:/]+):(\d{1,5})\/?$/.exec(endpoint) ?? [];
  if (host === undefined || port === undefined)
    throw new Error(`${serverVariables.webFunctionEndpoint} must be a host and a port, not "${endpoint}"`);
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    clientIpSource: { domain: optionalVariable(serverVariables.domain), isHostChecked: true, proxies: 1 },
    shutdown: WEB_FUNCTION_SHUTDOWN,
    maxRequests: maxRequests(),
    takesLeases: takesLeases(),
  };
}

function containerShutdown(): ShutdownTimes {
  const graceMs = positiveIntegerVariable(serverVariables.graceSeconds, DEFAULT_GRACE_SECONDS) * 1_000;
  return { graceMs, finishMs: Math.max(graceMs - MAX_ENDING_MS, graceMs / 2) };
}

function maxRequests(): number {
  return positiveIntegerVariable(serverVariables.maxRequests, DEFAULT_MAX_REQUESTS);
}

function takesLeases(): boolean {
  const setting = optionalVariable(serverVariables.leases) ?? 'on';
  if (setting !== 'on' && setting !== 'off')
    throw new Error(`${serverVariables.leases} must be "on" or "off", not "${setting}"`);
  return setting === 'on';
}
