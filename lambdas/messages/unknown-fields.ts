/**
 * Fields of a request that are sent to no endpoint: fields that are newer than the gateway, and hints without a use
 * here. The client gets their names. A request that requires every parameter is refused.
 */

const MAX_TOLD_NAMES = 32;
/** Names come from clients, and are written into a header. */
const FIELD_NAME = /^[\w-]{1,60}$/;
const UNREADABLE_NAME = 'other';

/** Members of an object that are not in its schema, each with its path. */
export function unknownFields(value: object | null | undefined, shape: object, path = ''): string[] {
  return Object.entries(value ?? {})
    .filter(([name, member]) => member !== null && member !== undefined && !Object.hasOwn(shape, name))
    .map(([name]) => path + (FIELD_NAME.test(name) ? name : UNREADABLE_NAME));
}

/** Known fields of a body that have no effect here. */
export function unheededFields(body: object, names: readonly string[]): string[] {
  const members = body as Record<string, unknown>;
  return names.filter((name) => members[name] !== null && members[name] !== undefined);
}

/** The names to report to the client, without duplicates. */
export function namesOf(fields: readonly string[]): string[] {
  return [...new Set(fields)].slice(0, MAX_TOLD_NAMES);
}

/**
 * The refusal of a request that requires all its parameters, although some have no effect here; undefined if there is
 * no reason to refuse.
 */
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
