/** Where a server runs, and what follows from that: a container of one's own, or a Lambda Web Function. */

import { optionalVariable, positiveIntegerVariable, serverVariables } from '../platform/environment.ts';
import type { Vantage } from './origin.ts';

export interface Home {
  host: string;
  port: number;
  vantage: Vantage;
  /** How long answers have to end, and to be recorded, once the process is told to stop. */
  graceMs: number;
  /** Whether what busy keys spend is leased. */
  takesLeases: boolean;
}

/** All addresses: whoever forwards requests to a container comes from outside of it. */
const ANYWHERE = '0.0.0.0';
const DEFAULT_PORT = 8080;
/** Lambda ends a Web Function a second after it has told it so. */
const WEB_FUNCTION_GRACE_MS = 900;
/** Amazon ECS and Kubernetes wait for thirty seconds where nobody says otherwise. */
const CONTAINER_GRACE_MS = 20_000;

/** @throws {Error} naming a variable whose value cannot be used */
export function homeOf(): Home {
  const endpoint = optionalVariable(serverVariables.webFunctionEndpoint);
  return endpoint === undefined ? container() : webFunction(endpoint);
}

function container(): Home {
  return {
    host: optionalVariable(serverVariables.host) ?? ANYWHERE,
    port: positiveIntegerVariable(serverVariables.port, DEFAULT_PORT),
    vantage: {
      domain: optionalVariable(serverVariables.domain),
      isHostChecked: false,
      proxies:
        optionalVariable(serverVariables.proxies) === undefined
          ? 0
          : positiveIntegerVariable(serverVariables.proxies, 0),
    },
    graceMs: CONTAINER_GRACE_MS,
    takesLeases: takesLeases(),
  };
}

/** Lambda has checked the `host` of each request, and adds the client's address to `x-forwarded-for`. */
function webFunction(endpoint: string): Home {
  const [, host, port] = /^(?:https?:\/\/)?(\[[^\]]+\]|[^:/]+):(\d{1,5})\/?$/.exec(endpoint) ?? [];
  if (host === undefined || port === undefined)
    throw new Error(`${serverVariables.webFunctionEndpoint} is not a host and a port: "${endpoint}"`);
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port),
    vantage: { domain: optionalVariable(serverVariables.domain), isHostChecked: true, proxies: 1 },
    graceMs: WEB_FUNCTION_GRACE_MS,
    takesLeases: takesLeases(),
  };
}

function takesLeases(): boolean {
  const said = optionalVariable(serverVariables.leases) ?? 'on';
  if (said !== 'on' && said !== 'off') throw new Error(`${serverVariables.leases} is neither on nor off: "${said}"`);
  return said === 'on';
}
