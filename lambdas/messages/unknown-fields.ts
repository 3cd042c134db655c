/**
 * Fields of a request that no endpoint is sent: those that are newer than the gateway, and hints that nothing here knows. The client is told
 * their names, and one that insists on every parameter is refused.
 */

const MAX_TOLD_NAMES = 32;
/** Names come from clients, and go into a header. */
const FIELD_NAME = /^[\w-]{1,60}$/;
const UNREADABLE_NAME = 'other';

/** Members of an object that its schema does not know, each with the path in front of it. */
export function unknownFields(value: object | null | undefined, shape: object, path = ''): string[] {
  return Object.entries(value ?? {})
    .filter(([name, member]) => member !== null && member !== undefined && !Object.hasOwn(shape, name))
    .map(([name]) => path + (FIELD_NAME.test(name) ? name : UNREADABLE_NAME));
}

/** Fields of a body that are known, and that nothing here heeds. */
export function unheededFields(body: object, names: readonly string[]): string[] {
  const members = body as Record<string, unknown>;
  return names.filter((name) => members[name] !== null && members[name] !== undefined);
}

/** The names that a client is told, each once. */
export function namesOf(fields: readonly string[]): string[] {
  return [...new Set(fields)].slice(0, MAX_TOLD_NAMES);
}

/** Why a request is refused that insists on parameters which nothing here takes; undefined where it does not, or where there are none. */
export function insistenceFault(
  { provider }: { provider?: { require_parameters?: boolean | null | undefined } | null | undefined },
  fields: readonly string[],
): { path: string[]; message: string } | undefined {
  const [first] = fields;
  if (first === undefined || provider?.require_parameters !== true) return undefined;
  return {
    path: first.split('.'),
    message: 'no model here takes it, and provider.require_parameters is true; leave one of them out',
  };
}
