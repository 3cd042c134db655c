import * as z from 'zod';
import { deepestIssue, issueFault, type Fault } from '../platform/zod-messages.ts';

interface Bounds {
  min?: number;
  max?: number;
}

/**
 * A list that is checked element by element up to its first fault: z.array collects the faults of all of them, so a body
 * with a hundred thousand would cost gigabytes before it is refused. The list is passed on as it is, not copied.
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

function listFault(list: unknown, element: z.ZodType, { min = 0, max = Infinity }: Bounds): Fault | undefined {
  if (list === undefined) return { path: [], message: 'is required (expected a list)' };
  if (!Array.isArray(list)) return { path: [], message: 'must be a list' };
  if (list.length < min) return { path: [], message: `must have at least ${min} element` };
  if (list.length > max) return { path: [], message: `must have at most ${max} elements` };
  for (let index = 0; index < list.length; index += 1) {
    const fault = firstFault(element, list[index]);
    if (fault) return { path: [index, ...fault.path], message: fault.message };
  }
  return undefined;
}

/**
 * A value that is checked by the one schema that its own type asks for, so that a fault is one of that schema. The value is passed on
 * as it is. @param alternatives all that the API's document shows
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

/** Reports a fault, and ends the check: refinements of the value around it may rely on its content. */
export function refuse(context: z.core.$RefinementCtx, { path, message }: Fault): void {
  context.addIssue({ code: 'custom', path, message, continue: false });
}

/** What is wrong with a value, or undefined. */
export function firstFault(schema: z.ZodType, value: unknown): Fault | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return undefined;
  return issueFault(deepestIssue(parsed.error.issues[0]!));
}

/** What a schema takes, in JSON Schema: for the API's document. */
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
