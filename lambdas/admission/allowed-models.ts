import type { Model } from '../catalog/catalog.ts';
import { GatewayError } from '../platform/errors.ts';
import type { Caller } from './caller.ts';
import { useLimitsFor } from './use-limits.ts';

/** Maximum number of allowed models in an error message; the metadata has all of them. */
const MAX_NAMED = 10;

interface Requested {
  model: Pick<Model, 'id'>;
  /** Id of the model, or of the alias under which the client requested it. */
  named: string;
  field: string;
}

/**
 * Returns the check of requested models against the lists of the key, its workspace and its member; undefined without
 * lists. Each list must have an entry for the model's id or for the requested name. Otherwise the check throws a 403.
 */
export function modelCheckOf(caller: Caller): ((requested: Requested) => void) | undefined {
  const lists = useLimitsFor(caller).flatMap(({ owner, limits: { allowedModels } }) =>
    allowedModels ? [{ owner, allowedModels }] : [],
  );
  if (lists.length === 0) return undefined;
  return ({ model, named, field }) => {
    for (const { owner, allowedModels } of lists) {
      if (allowedModels.some((entry) => isEntryFor(entry, model.id) || isEntryFor(entry, named))) continue;
      throw new GatewayError(
        'permission_denied',
        `${field}: ${owner} may not call "${model.id}". It may call ${namedModels(allowedModels)}.`,
        { metadata: { field, limit_source: 'allowed_models', allowed_models: allowedModels } },
      );
    }
  };
}

function namedModels(entries: readonly string[]): string {
  const more = entries.length - MAX_NAMED;
  return `${entries.slice(0, MAX_NAMED).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** Returns whether an entry is a model's id, or a pattern that matches it. Does not backtrack. */
function isEntryFor(entry: string, id: string): boolean {
  const [start = '', ...others] = entry.split('*');
  const end = others.pop();
  if (end === undefined) return entry === id;
  if (!id.startsWith(start)) return false;
  let at = start.length;
  for (const part of others) {
    const found = id.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return id.length - end.length >= at && id.endsWith(end);
}
