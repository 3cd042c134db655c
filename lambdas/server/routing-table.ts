import { ResourceTree } from '../http/resource-tree.ts';
import type { Route } from '../route.ts';

export interface WiredRoute {
  method: string;
  /** Path below the stage, in API Gateway's notation. */
  path: string;
  functionName: string;
  streaming: boolean;
  /** Whether the route accepts forms with files. */
  takesFiles?: boolean;
}

export interface RouteMatch {
  route: WiredRoute;
  /** Parameters as in the path, without decoding. */
  pathParameters: Record<string, string> | null;
}

export type MatchRoute = (method: string, path: string) => RouteMatch | undefined;

/** Returns one entry for each path of each route. */
export function wiredRoutes(routes: Record<string, Route>): WiredRoute[] {
  return Object.entries(routes).flatMap(([functionName, { method, paths, streaming = false, takesFiles }]) =>
    paths.map((path) => ({ method, path, functionName, streaming, ...(takesFiles ? { takesFiles } : {}) })),
  );
}

/** Returns a function that matches routes as API Gateway does. */
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
