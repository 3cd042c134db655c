/** The client gets the names of unknown fields in a response header, or, with `require_parameters`, an error. */

const MAX_REPORTED_NAMES = 32;
/** Names that a response header may contain; other characters could break the header. */
const FIELD_NAME = /^[\w-]{1,60}$/;
const UNREADABLE_NAME = 'other';

/** Returns the paths of members that are set and not in the shape. */
export function unknownFields(value: object | null | undefined, shape: object, path = ''): string[] {
  return Object.entries(value ?? {})
    .filter(([name, member]) => member !== null && member !== undefined && !Object.hasOwn(shape, name))
    .map(([name]) => path + (FIELD_NAME.test(name) ? name : UNREADABLE_NAME));
}

/** Returns the given names whose fields are set in the body. */
export function unheededFields(body: object, names: readonly string[]): string[] {
  const members = body as Record<string, unknown>;
  return names.filter((name) => members[name] !== null && members[name] !== undefined);
}

/** Returns the names to report to the client, without duplicates. */
export function namesOf(fields: readonly string[]): string[] {
  return [...new Set(fields)].slice(0, MAX_REPORTED_NAMES);
}

/**
 * Returns the fault of a request that requires all its parameters (`require_parameters`) but has fields without effect;
 * undefined for other requests.
 */
export function insistenceFault(
  { provider }: { provider?: { require_parameters?: boolean | null | undefined } | null | undefined },
  fields: readonly string[],
): { path: string[]; message: string } | undefined {
  const [first] = fields;
  if (first === undefined || provider?.require_parameters !== true) return undefined;
  return {
    path: first.split('.'),
    message: 'no model supports it, and provider.require_parameters is true; leave one of them out',
  };
}
