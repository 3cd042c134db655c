interface Resource<Target> {
  literals: Map<string, Resource<Target>>;
  parameter?: { name: string; resource: Resource<Target> };
  /** Child `{name+}`, which matches the rest of the path. */
  rest?: { name: string; resource: Resource<Target> };
  methods: Map<string, Target>;
}

export interface FoundResource<Target> {
  /** Targets by method; empty if the path is only the beginning of added paths. */
  methods: ReadonlyMap<string, Target>;
  /** Path parameters as the client wrote them, encoded or not. */
  parameters: Record<string, string>;
}

/**
 * Matches paths as API Gateway does. A literal has priority over a parameter, and a parameter over a `{name+}`. There
 * is no backtracking: if a literal matches, a parameter at the same level is not tried.
 */
export class ResourceTree<Target> {
  readonly #root: Resource<Target> = newResource();

  /**
   * Adds a path.
   * @param path path in API Gateway's notation: `/keys/{hash}`, `/models/{slug+}`
   */
  add(method: string, path: string, target: Target): void {
    let resource = this.#root;
    for (const part of path.split('/').slice(1)) {
      const parameter = /^\{(\w+)(\+?)\}$/.exec(part);
      if (!parameter) {
        const next: Resource<Target> = resource.literals.get(part) ?? newResource();
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
    resource.methods.set(method, target);
  }

  find(path: string): FoundResource<Target> | undefined {
    return find(this.#root, path.split('/').slice(1), {});
  }
}

function newResource<Target>(): Resource<Target> {
  return { literals: new Map(), methods: new Map() };
}

function find<Target>(
  resource: Resource<Target>,
  parts: string[],
  parameters: Record<string, string>,
): FoundResource<Target> | undefined {
  const [part, ...others] = parts;
  if (part === undefined) return { methods: resource.methods, parameters };
  const literal = resource.literals.get(part);
  if (literal) return find(literal, others, parameters);
  if (resource.parameter && part !== '') {
    const { name, resource: next } = resource.parameter;
    return find(next, others, { ...parameters, [name]: part });
  }
  if (resource.rest && parts.join('/') !== '') {
    const { name, resource: next } = resource.rest;
    return { methods: next.methods, parameters: { ...parameters, [name]: parts.join('/') } };
  }
  return undefined;
}
