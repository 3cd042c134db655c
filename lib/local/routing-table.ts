import type { WiredRoute } from './wiring.ts';

/** Where a request goes, and what its path says. */
export interface RouteMatch {
  route: WiredRoute;
  pathParameters: Record<string, string> | null;
}

export type MatchRoute = (method: string, path: string) => RouteMatch | undefined;

/** API Gateway's matching for the paths of the gateway: exact ones before `{name+}`, which takes the rest. */
export function buildRoutingTable(routes: WiredRoute[]): MatchRoute {
  const exact = new Map<string, RouteMatch>();
  const greedy: { prefix: string; parameter: string; route: WiredRoute }[] = [];
  for (const route of routes) {
    const parameter = /\{(\w+)\+\}$/.exec(route.path);
    if (parameter) greedy.push({ prefix: route.path.slice(0, parameter.index), parameter: parameter[1]!, route });
    else exact.set(`${route.method} ${route.path}`, { route, pathParameters: null });
  }
  return (method, path) => {
    const found = exact.get(`${method} ${path}`);
    if (found) return found;
    const match = greedy.find(
      ({ prefix, route }) => route.method === method && path.startsWith(prefix) && path !== prefix,
    );
    if (!match) return undefined;
    const rest = decodePath(path.slice(match.prefix.length));
    return { route: match.route, pathParameters: { [match.parameter]: rest } };
  };
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
