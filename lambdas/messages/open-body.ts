import * as z from 'zod';
import { refuse } from './list-of.ts';
import { insistenceFault, namesOf, unknownFields } from './unknown-fields.ts';

type OpenFields = Readonly<Record<string, z.ZodType>>;

export interface OpenBody<Body> {
  schema: z.ZodType<Body>;
  unknownIn: (body: object) => string[];
  knownIn: (body: Body) => Body;
}

interface BodyRules<Fields extends OpenFields> {
  /** Checks fields together, and adds faults to the context. */
  check?: (body: z.output<z.ZodObject<Fields>>, context: z.core.$RefinementCtx) => void;
  /** Names of members that the gateway itself adds to the body. */
  ownNames?: readonly string[];
}

/**
 * Declares a body that may have unknown fields, which no endpoint gets; the response lists their names. With
 * `provider.require_parameters`, they are refused. The value null counts as absent.
 */
export function openBody<Fields extends OpenFields>(fields: Fields, { check, ownNames = [] }: BodyRules<Fields> = {}) {
  const known = { ...fields, ...Object.fromEntries(ownNames.map((name) => [name, undefined])) };
  const unknownIn = (body: object) => namesOf(unknownFields(body, known));
  const schema = z.looseObject(fields).superRefine((body, context) => {
    const fault = insistenceFault(body, unknownIn(body));
    if (fault) refuse(context, fault);
    check?.(body, context);
  });
  const knownIn = <Body extends object>(body: Body) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(known, name))) as Body;
  return { schema, unknownIn, knownIn };
}
