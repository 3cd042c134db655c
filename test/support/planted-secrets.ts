import type { SchemaObject } from '../../lambdas/api/service/openapi-types.ts';
import { resolveSchema } from './openapi.ts';

/** Body with a given text, and the path of the text. */
export interface Planted {
  path: string;
  value: unknown;
}

/** Maximum number of times that a path passes through one recursive component. */
const DEEPEST = 2;

/** Values for fields of a certain form; `undefined` leaves a field out. */
export type Forms = Record<string, unknown>;

/** Returns values that a schema allows, one for each text field of each variant, with `text` in this field. */
export function planted(
  schema: SchemaObject,
  text: string,
  forms: Forms = {},
  within: readonly string[] = [],
): Planted[] {
  const { $ref } = schema;
  if ($ref !== undefined && within.filter((name) => name === $ref).length >= DEEPEST) return [];
  const inside = $ref === undefined ? within : [...within, $ref];
  const resolved = resolveSchema(schema);
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (choices) {
    return choices.flatMap((choice, index) =>
      planted(choice, text, forms, inside).map(({ path, value }) => ({
        path: `<${kindOf(choice) ?? index}>${path}`,
        value,
      })),
    );
  }
  if (resolved.const !== undefined || resolved.enum) return [];
  const [type = 'any'] = [resolved.type ?? 'any'].flat();
  if (type === 'object') return plantedInObject(resolved, text, forms, inside);
  if (type === 'array') {
    const more = Array.from({ length: (resolved.minItems ?? 1) - 1 }, () => least(resolved.items ?? {}, '', forms));
    const items = planted(resolved.items ?? {}, text, forms, inside);
    return items.map(({ path, value }) => ({ path: `[]${path}`, value: [value, ...more] }));
  }
  if (resolved.format === 'uri') return [{ path: '', value: `https://example.org/?of=${text}` }];
  return type === 'string' || type === 'any' ? [{ path: '', value: text }] : [];
}

/** Returns the `type` of all objects of a schema, such as `redacted_thinking`. */
function kindOf(schema: SchemaObject): string | undefined {
  const { type } = resolveSchema(schema).properties ?? {};
  const kind = type && resolveSchema(type).const;
  return typeof kind === 'string' ? kind : undefined;
}

function plantedInObject(schema: SchemaObject, text: string, forms: Forms, within: readonly string[]): Planted[] {
  const { properties = {}, additionalProperties } = schema;
  const base = smallestObject(schema, forms);
  const fields = Object.entries(properties).flatMap(([name, field]) =>
    planted(field, text, forms, within).map(({ path, value }) => ({
      path: `.${name}${path}`,
      value: { ...base, [name]: value },
    })),
  );
  if (!additionalProperties) return fields;
  // Further fields may be newer than the gateway, or have names that the client chooses.
  const others = planted(additionalProperties === true ? {} : additionalProperties, text, forms, within);
  return [...fields, ...others.map(({ path, value }) => ({ path: `.*${path}`, value: { ...base, own1: value } }))];
}

/** Returns an object with all required fields, and with all fields whose names are in the given forms. */
function smallestObject(schema: SchemaObject, forms: Forms): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const ownSchema = typeof additionalProperties === 'object' ? additionalProperties : {};
  const named = [...required, ...Object.keys(properties).filter((name) => forms[name] !== undefined)];
  const own = Array.from({ length: minProperties }, (_, index) => `own${index + 1}`);
  return Object.fromEntries([
    ...named.map((name) => [name, least(properties[name] ?? {}, name, forms)]),
    ...own.map((name) => [name, least(ownSchema, name, forms)]),
  ]) as Record<string, unknown>;
}

/** Returns the smallest value that a schema allows, with the fields in `forms`. */
function least(schema: SchemaObject, name: string, forms: Forms): unknown {
  const resolved = resolveSchema(schema);
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (resolved.const !== undefined) return resolved.const;
  if (forms[name] !== undefined) return forms[name];
  if (choices) return least(choices[0]!, name, forms);
  if (resolved.enum) return resolved.enum[0];
  const [type = 'any'] = [resolved.type ?? 'any'].flat();
  switch (type) {
    case 'object':
      return smallestObject(resolved, forms);
    case 'array':
      return Array.from({ length: resolved.minItems ?? 1 }, () => least(resolved.items ?? {}, name, forms));
    case 'integer':
    case 'number':
      return Math.max(1, resolved.minimum ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'x';
  }
}
