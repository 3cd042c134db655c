import { GatewayError, gatewayStopping } from '../platform/errors.ts';
import type { RouteName } from '../routes.ts';
import type { FunctionHost } from './function-host.ts';

/** Maximum number of concurrent requests in one process, unless the operator configures another number. */
export const DEFAULT_MAX_REQUESTS = 512;

/** Route that is served above the maximum, because a load balancer must not consider a busy process dead. */
const ALWAYS_ROOM: RouteName = 'health';

export interface BoundedHost extends FunctionHost {
  /** Rejects new requests from now on, because the process is about to end. */
  refuseNew: () => void;
}

/**
 * Runs functions for at most `maxRequests` requests concurrently.
 * @returns a host that throws 529 for a request above the maximum (except a health check), or after `refuseNew`
 */
export function boundedHost(host: FunctionHost, maxRequests: number): BoundedHost {
  let running = 0;
  let isStopping = false;

  async function run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    if (isStopping) throw gatewayStopping();
    if (running >= maxRequests && name !== ALWAYS_ROOM) throw noRoomForRequests();
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  }

  return {
    ...host,
    invoke: (name, event, clientLeft) => run(name, () => host.invoke(name, event, clientLeft)),
    stream: (name, event, response) => run(name, () => host.stream(name, event, response)),
    refuseNew() {
      isStopping = true;
    },
  };
}

function noRoomForRequests(): GatewayError {
  return new GatewayError(
    'provider_overloaded',
    'The gateway is answering the maximum of requests at once. Try again in a second.',
  );
}
