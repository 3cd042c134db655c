/** One resource of API Gateway's tree: what may follow it, and what it answers. */
interface Resource<Target> {
  literals: Map<string, Resource<Target>>;
  parameter?: { name: string; resource: Resource<Target> };
  /** `{name+}`: takes the rest of the path. */
  rest?: { name: string; resource: Resource<Target> };
  methods: Map<string, Target>;
}

export interface FoundResource<Target> {
  /** What the resource answers, by method: nothing, where it only stands on the way to others. */
  methods: ReadonlyMap<string, Target>;
  /** As they are written, encoded or not. */
  parameters: Record<string, string>;
}

/**
 * Paths as API Gateway matches them: at every part, a literal wins over a parameter, and that over the rest. There is no way
 * back: what a literal leads to does not have the methods of a parameter beside it.
 */
export class ResourceTree<Target> {
  readonly #root: Resource<Target> = newResource();

  /** @param path as API Gateway writes it: `/keys/{hash}`, `/models/{slug+}` */
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
