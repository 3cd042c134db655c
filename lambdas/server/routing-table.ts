import { ResourceTree } from '../http/resource-tree.ts';
import type { Route } from '../route.ts';

/** A method of a path, and the function that answers it. */
export interface WiredRoute {
  method: string;
  /** As API Gateway writes it, below the stage. */
  path: string;
  functionName: string;
  streaming: boolean;
}

/** Where a request goes, and what its path says. */
export interface RouteMatch {
  route: WiredRoute;
  /** As they are written, encoded or not. */
  pathParameters: Record<string, string> | null;
}

export type MatchRoute = (method: string, path: string) => RouteMatch | undefined;

/** Each path of each route of a manifest. */
export function wiredRoutes(routes: Record<string, Route>): WiredRoute[] {
  return Object.entries(routes).flatMap(([functionName, { method, paths, streaming = false }]) =>
    paths.map((path) => ({ method, path, functionName, streaming })),
  );
}

/** API Gateway's matching of the routes. */
export function buildRoutingTable(routes: WiredRoute[]): MatchRoute {
  const tree = new ResourceTree<WiredRoute>();
  for (const route of routes) tree.add(route.method, route.path, route);
  return (method, path) => {
    const found = tree.find(path);
    const route = found?.methods.get(method);
    if (!route) return undefined;
    const { parameters } = found!;
    return { route, pathParameters: Object.keys(parameters).length > 0 ? parameters : null };
  };
}
