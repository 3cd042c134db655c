import { isRecord } from '../../platform/json/foreign-json.ts';
import { partition } from '../../platform/partition.ts';
import { withConstraints } from '../translated/arguments-schema.ts';

type ClaudeSchema = Record<string, unknown>;

/** Matches names of arguments that Claude accepts. Claude checks only the names at the root of a schema. */
const ARGUMENT_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Moves arguments whose names Claude refuses ("filter[id]", "город") into the description, which the model reads. A
 * refused name fails the whole request (https://github.com/decocms/studio/pull/6874).
 * @returns the same schema if all names are accepted
 */
export function withAcceptedNames(schema: ClaudeSchema): ClaudeSchema {
  const { properties, required, additionalProperties, ...rest } = schema;
  if (!isRecord(properties)) return schema;
  const [accepted, refused] = partition(Object.entries(properties), ([name]) => ARGUMENT_NAME.test(name));
  if (refused.length === 0) return schema;
  const [kept, moved] = partition(
    Array.isArray(required) ? required : [],
    (name) => !refused.some(([one]) => one === name),
  );
  const closed = additionalProperties === false || additionalProperties === undefined;
  return {
    ...withConstraints(rest, {
      properties: Object.fromEntries(refused),
      ...(moved.length > 0 ? { required: moved } : {}),
    }),
    properties: Object.fromEntries(accepted),
    ...(kept.length > 0 ? { required: kept } : {}),
    ...(closed ? {} : { additionalProperties }),
  };
}
