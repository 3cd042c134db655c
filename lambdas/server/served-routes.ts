import { notFound, type GatewayError } from '../platform/errors.ts';
import type { Route } from '../route.ts';
import { routes, UNKNOWN_ROUTE } from '../routes.ts';
import { buildRoutingTable, wiredRoutes } from './routing-table.ts';

/** Everything that a client of models asks for. Management keeps its functions, each of which has rights of its own. */
const servedRoutes = Object.entries<Route>(routes).filter(([, { credential }]) => credential !== 'management');

/** The functions that a server runs, by their names in the manifest. */
export const servedNames = [...servedRoutes.map(([name]) => name), UNKNOWN_ROUTE];

/** Functions that clients wait for a model at. They are loaded before the first request. */
export const answeringNames = servedRoutes
  .filter(([, { asksProviders, isTimed }]) => asksProviders || isTimed)
  .map(([name]) => name);

const wired = Object.groupBy(wiredRoutes(routes), ({ functionName }) =>
  servedNames.includes(functionName) ? 'here' : 'elsewhere',
);

export const served = { routes: wired.here ?? [], unknownRoute: UNKNOWN_ROUTE };

const matchElsewhere = buildRoutingTable(wired.elsewhere ?? []);

/** What is said of a route that the gateway has, and a server has not. @param path below /v1 */
export function servedElsewhere(method: string, path: string): GatewayError | undefined {
  if (!matchElsewhere(method, path)) return undefined;
  return notFound(
    `${method} /v1${path} is management, which this address does not serve: send it to the base URL of the API.`,
  );
}
