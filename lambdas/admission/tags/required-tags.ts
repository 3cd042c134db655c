import { GatewayError } from '../../platform/errors.ts';
import type { RequestTags } from '../../store/generations/request-tags.ts';
import type { Caller } from '../caller.ts';
import { useLimitsFor } from '../use-limits.ts';
import { TAGS_FIELD, TAGS_HEADER } from './sent-tags.ts';

/** Maximum number of allowed values in an error message. */
const MAX_NAMED_VALUES = 10;

/**
 * Checks that a request has the tags that its key, its workspace and its member require.
 * @throws {GatewayError} 403 that names the tag and its allowed values
 */
export function checkRequiredTags(caller: Caller, tags: RequestTags): void {
  for (const { owner, limits } of useLimitsFor(caller)) {
    // Sorts the tags, because the table does not keep their order, and equal requests must get equal refusals.
    for (const [name, values] of Object.entries(limits.requiredTags ?? {}).toSorted()) {
      const value = Object.hasOwn(tags, name) ? tags[name] : undefined;
      if (value !== undefined && (values === null || values.includes(value))) continue;
      const field = `${TAGS_FIELD}.${name}`;
      throw new GatewayError(
        'permission_denied',
        `${field}: ${owner} requires the tag "${name}" with ${describedValues(values)}. Send it in ${TAGS_FIELD} or in the header ${TAGS_HEADER}.`,
        { metadata: { field, limit_source: 'required_tags', tag: name, allowed_values: values } },
      );
    }
  }
}

function describedValues(values: readonly string[] | null): string {
  if (values === null) return 'a value of your choice';
  const more = values.length - MAX_NAMED_VALUES;
  return `one of these values: ${values.slice(0, MAX_NAMED_VALUES).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}
