import type { WiredRoute } from './wiring.ts';

/** Where a request goes, and what its path says. */
export interface RouteMatch {
  route: WiredRoute;
  pathParameters: Record<string, string> | null;
}

export type MatchRoute = (method: string, path: string) => RouteMatch | undefined;

/** One resource of API Gateway's tree: what may follow it, and what it answers. */
interface Resource {
  literals: Map<string, Resource>;
  parameter?: { name: string; resource: Resource };
  /** `{name+}`: takes the rest of the path. */
  rest?: { name: string; resource: Resource };
  methods: Map<string, WiredRoute>;
}

/**
 * API Gateway's matching: at every part of the path, a literal wins over a parameter, and that over the rest. Parameters are
 * handed over as they are written, encoded or not.
 */
export function buildRoutingTable(routes: WiredRoute[]): MatchRoute {
  const root = newResource();
  for (const route of routes) addRoute(root, route);
  return (method, path) => {
    const found = find(root, path.split('/').slice(1), {});
    const route = found?.resource.methods.get(method);
    if (!route) return undefined;
    const { parameters } = found!;
    return { route, pathParameters: Object.keys(parameters).length > 0 ? parameters : null };
  };
}

function newResource(): Resource {
  return { literals: new Map(), methods: new Map() };
}

function addRoute(root: Resource, route: WiredRoute): void {
  let resource = root;
  for (const part of route.path.split('/').slice(1)) {
    const parameter = /^\{(\w+)(\+?)\}$/.exec(part);
    if (!parameter) {
      const next = resource.literals.get(part) ?? newResource();
      resource.literals.set(part, next);
      resource = next;
    } else if (parameter[2]) {
      resource.rest ??= { name: parameter[1]!, resource: newResource() };
      resource = resource.rest.resource;
    } else {
      resource.parameter ??= { name: parameter[1]!, resource: newResource() };
      resource = resource.parameter.resource;
    }
  }
  resource.methods.set(route.method, route);
}

type Found = { resource: Resource; parameters: Record<string, string> };

function find(resource: Resource, parts: string[], parameters: Record<string, string>): Found | undefined {
  const [part, ...others] = parts;
  if (part === undefined) return { resource, parameters };
  const literal = resource.literals.get(part);
  if (literal) return find(literal, others, parameters);
  if (resource.parameter && part !== '') {
    const { name, resource: next } = resource.parameter;
    return find(next, others, { ...parameters, [name]: part });
  }
  if (resource.rest && parts.join('/') !== '') {
    const { name, resource: next } = resource.rest;
    return { resource: next, parameters: { ...parameters, [name]: parts.join('/') } };
  }
  return undefined;
}
