import { notFound, type GatewayError } from '../platform/errors.ts';
import type { Route } from '../route.ts';
import { routes, UNKNOWN_ROUTE } from '../routes.ts';
import { buildRoutingTable, wiredRoutes } from './routing-table.ts';

/** All routes except management routes, because each of their functions has its own IAM permissions. */
const servedRoutes = Object.entries<Route>(routes).filter(([, { credential }]) => credential !== 'management');

/** Names of all functions that a server runs. */
export const servedNames = [...servedRoutes.map(([name]) => name), UNKNOWN_ROUTE];

/** Routes whose functions are loaded before the first request. */
export const answeringNames = servedRoutes
  .filter(([, { callsProviders, isTimed }]) => callsProviders || isTimed)
  .map(([name]) => name);

const wired = Object.groupBy(wiredRoutes(routes), ({ functionName }) =>
  servedNames.includes(functionName) ? 'here' : 'elsewhere',
);

export const served = { routes: wired.here ?? [], unknownRoute: UNKNOWN_ROUTE };

const matchElsewhere = buildRoutingTable(wired.elsewhere ?? []);

/**
 * Returns the refusal for a route of the gateway that this server does not serve.
 * @param path path below /v1
 */
export function servedElsewhere(method: string, path: string): GatewayError | undefined {
  if (!matchElsewhere(method, path)) return undefined;
  return notFound(
    `This address does not serve ${method} /v1${path}, a route of management. Send the request to the base URL of the API.`,
  );
}
