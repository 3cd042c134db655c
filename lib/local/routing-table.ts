import { routes, type Route, type RouteName } from '../../lambdas/routes.ts';

/** Where a request goes: the function, and what its path says. */
export interface RouteMatch {
  name: RouteName;
  resource: string;
  pathParameters: Record<string, string> | null;
}

export type MatchRoute = (method: string, path: string) => RouteMatch | undefined;

/** API Gateway's matching for the paths of the manifest: exact segments before `{name+}`, which takes the rest. */
export function buildRoutingTable(): MatchRoute {
  const exact = new Map<string, RouteMatch>();
  const greedy: { method: string; prefix: string; parameter: string; name: RouteName; resource: string }[] = [];
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    for (const path of route.paths) {
      const parameter = /\{(\w+)\+\}$/.exec(path);
      if (parameter) {
        const prefix = path.slice(0, parameter.index);
        greedy.push({ method: route.method, prefix, parameter: parameter[1]!, name, resource: path });
      } else {
        exact.set(`${route.method} ${path}`, { name, resource: path, pathParameters: null });
      }
    }
  }
  return (method, path) => {
    const found = exact.get(`${method} ${path}`);
    if (found) return found;
    const match = greedy.find(
      (route) => route.method === method && path.startsWith(route.prefix) && path !== route.prefix,
    );
    if (!match) return undefined;
    const rest = decodePath(path.slice(match.prefix.length));
    return { name: match.name, resource: match.resource, pathParameters: { [match.parameter]: rest } };
  };
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
