import { notFound, type GatewayError } from '../platform/errors.ts';
import type { Route } from '../route.ts';
import { routes, UNKNOWN_ROUTE } from '../routes.ts';
import { buildRoutingTable, wiredRoutes } from './routing-table.ts';

/** All routes for clients of models. Management stays in functions, each with rights of its own. */
const servedRoutes = Object.entries<Route>(routes).filter(([, { credential }]) => credential !== 'management');

/** The functions that a server runs, by their names in the manifest. */
export const servedNames = [...servedRoutes.map(([name]) => name), UNKNOWN_ROUTE];

/** Inference routes; their functions are loaded before the first request. */
export const answeringNames = servedRoutes
  .filter(([, { asksProviders, isTimed }]) => asksProviders || isTimed)
  .map(([name]) => name);

const wired = Object.groupBy(wiredRoutes(routes), ({ functionName }) =>
  servedNames.includes(functionName) ? 'here' : 'elsewhere',
);

export const served = { routes: wired.here ?? [], unknownRoute: UNKNOWN_ROUTE };

const matchElsewhere = buildRoutingTable(wired.elsewhere ?? []);

/**
 * The refusal of a route that the gateway has, but not the server.
 * @param path below /v1
 */
export function servedElsewhere(method: string, path: string): GatewayError | undefined {
  if (!matchElsewhere(method, path)) return undefined;
  return notFound(
    `${method} /v1${path} is management, which this address does not serve: send it to the base URL of the API.`,
  );
}
