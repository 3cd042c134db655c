import * as z from 'zod';
import type { Fault } from '../platform/zod-messages.ts';
import { documentationOf, firstFault, refuse } from './list-of.ts';

interface Rules {
  min: number;
  max: number;
  maxNameCharacters: number;
  /** Noun for an entry in error messages. */
  entry: string;
}

/**
 * Returns the schema of an object whose names the client chooses. Its entries are checked up to the first error,
 * without copying. `z.record` would silently drop `__proto__`.
 */
export function boundedRecord<Value extends z.ZodType>(value: Value, rules: Rules) {
  const record = z
    .unknown()
    .superRefine((entries, context) => {
      const fault = recordFault(entries, value, rules);
      if (fault) refuse(context, fault);
    })
    .meta({
      override: ({ jsonSchema }) => {
        Object.assign(jsonSchema, {
          type: 'object',
          additionalProperties: documentationOf(value),
          minProperties: rules.min,
          maxProperties: rules.max,
        });
      },
    });
  return record as unknown as z.ZodType<Record<string, z.output<Value>>>;
}

function recordFault(
  record: unknown,
  value: z.ZodType,
  { min, max, maxNameCharacters, entry }: Rules,
): Fault | undefined {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return { path: [], message: 'must be an object' };
  const entries = Object.entries(record);
  if (entries.length < min) return { path: [], message: `must have at least ${min} ${entry}${min === 1 ? '' : 's'}` };
  if (entries.length > max) return { path: [], message: `must have at most ${max} ${entry}s` };
  for (const [name, each] of entries) {
    if (name === '' || name.length > maxNameCharacters) {
      return { path: [name.slice(0, 100)], message: `must have a name of 1 to ${maxNameCharacters} characters` };
    }
    const fault = firstFault(value, each);
    if (fault) return { path: [name, ...fault.path], message: fault.message };
  }
  return undefined;
}
