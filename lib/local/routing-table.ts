import { ResourceTree } from '../../lambdas/http/resource-tree.ts';
import type { WiredRoute } from './wiring.ts';

/** Where a request goes, and what its path says. */
export interface RouteMatch {
  route: WiredRoute;
  /** As they are written, encoded or not. */
  pathParameters: Record<string, string> | null;
}

export type MatchRoute = (method: string, path: string) => RouteMatch | undefined;

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
