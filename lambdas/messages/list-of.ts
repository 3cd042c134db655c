import * as z from 'zod';
import { deepestIssue, issueFault, type Fault } from '../platform/zod-messages.ts';

interface Bounds {
  min?: number;
  max?: number;
  /** Error message for a value that is not a list. */
  rule?: string;
}

/**
 * Returns the schema of a list that is checked element by element up to the first error, and forwarded without copying.
 * `z.array` would collect the errors of all elements, which can take gigabytes for a hundred thousand elements.
 */
export function boundedList<Element extends z.ZodType>(element: Element, bounds: Bounds = {}) {
  const list = z
    .unknown()
    .superRefine((list, context) => {
      const fault = listFault(list, element, bounds);
      if (fault) refuse(context, fault);
    })
    .meta({
      override: ({ jsonSchema }) => {
        Object.assign(jsonSchema, documentationOf(z.array(element)), {
          ...(bounds.min === undefined ? {} : { minItems: bounds.min }),
          ...(bounds.max === undefined ? {} : { maxItems: bounds.max }),
        });
      },
    });
  return list as unknown as z.ZodType<z.output<Element>[]>;
}

function listFault(
  list: unknown,
  element: z.ZodType,
  { min = 0, max = Infinity, rule = 'must be a list' }: Bounds,
): Fault | undefined {
  if (list === undefined) return { path: [], message: 'is required (expected a list)' };
  if (!Array.isArray(list)) return { path: [], message: rule };
  if (list.length < min) return { path: [], message: `must have at least ${min} element` };
  if (list.length > max) return { path: [], message: `must have at most ${max} elements` };
  for (let index = 0; index < list.length; index += 1) {
    const fault = firstFault(element, list[index]);
    if (fault) return { path: [index, ...fault.path], message: fault.message };
  }
  return undefined;
}

/**
 * Checks a value with the schema for its own type, so that the error refers to the right schema. The value is forwarded
 * unchanged.
 * @param alternatives all schemas, for the API document
 */
export function checkedBy<Output>(
  schemaFor: (value: unknown) => z.ZodType,
  alternatives: readonly z.ZodType[],
): z.ZodType<Output> {
  const checked = z
    .unknown()
    .superRefine((value, context) => {
      const fault = firstFault(schemaFor(value), value);
      if (fault) refuse(context, fault);
    })
    .meta({
      override: ({ jsonSchema }) => {
        Object.assign(jsonSchema, { anyOf: alternatives.map(documentationOf) });
      },
    });
  return checked as unknown as z.ZodType<Output>;
}

/** Reports an error and ends the check, so that refinements of the surrounding value do not run. */
export function refuse(context: z.core.$RefinementCtx, { path, message }: Fault): void {
  context.addIssue({ code: 'custom', path, message, continue: false });
}

/** Returns the first fault of a value; undefined if the value is valid. */
export function firstFault(schema: z.ZodType, value: unknown): Fault | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return undefined;
  return issueFault(deepestIssue(parsed.error.issues[0]!));
}

/** Returns the JSON Schema of a schema's input. */
export function documentationOf(schema: z.ZodType): object {
  const { $schema: _, ...documentation } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: (context) => {
      const override = z.globalRegistry.get(context.zodSchema)?.['override'];
      if (typeof override === 'function') override(context);
      else Object.assign(context.jsonSchema, override);
      delete context.jsonSchema['override'];
    },
  });
  return documentation;
}
