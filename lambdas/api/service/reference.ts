import type { MediaObject, OpenApi, OperationObject, ResponseObject, SchemaObject } from './openapi-types.ts';

export interface LocatedOperation {
  path: string;
  method: string;
  operation: OperationObject;
}

export interface OperationGroup {
  name: string;
  operations: LocatedOperation[];
}

/** Groups operations by tag, in the order of the document's tags. */
export function operationGroups(document: OpenApi): OperationGroup[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  return document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** Resolves a reference to a shared response. */
export function resolvedResponse(document: OpenApi, response: ResponseObject | { $ref: string }): ResponseObject {
  return '$ref' in response ? document.components.responses[lastPart(response.$ref)]! : response;
}

/** Returns a curl command. The base URL, the keys, and most values for path and query are environment variables. */
export function curlLine({ path, method, operation }: LocatedOperation): string {
  const [example] = examplesOf(operation.requestBody?.content['application/json']);
  const place = path
    .replace('{author}/{slug}', IMAGE_MODEL)
    .replace(/\{(\w+)\}/g, (_, name: string) => anywhere[name] ?? `$${variable(name)}`);
  const query = (operation.parameters ?? []).filter((one) => one.in === 'query' && one.required);
  const requested = query.map(({ name }) => `${name}=$${variable(name)}`).join('&');
  const credential = operation['x-credential'];
  const key = credential === 'management' ? '$MANAGEMENT_KEY' : '$GATEWAY_KEY';
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$GATEWAY_URL${place}${requested && `?${requested}`}"`,
    ...(credential === 'none' ? [] : [`-H "authorization: Bearer ${key}"`]),
    ...(example === undefined
      ? []
      : ['-H "content-type: application/json"', `-d ${quoted(JSON.stringify(example.value))}`]),
  ].join(' \\\n  ');
}

/** Returns the examples of a body, in the order of the document. */
export function examplesOf({ example, examples }: Partial<MediaObject> = {}): { summary?: string; value: unknown }[] {
  return examples ? Object.values(examples) : example === undefined ? [] : [{ value: example }];
}

/** Model that generates images. Every local gateway has it. */
const IMAGE_MODEL = 'sandbox/painter';
/** Values of path parameters that are valid on every local gateway. */
const anywhere: Record<string, string> = { slug: 'sandbox/claude', interval: 'monthly' };

/** Returns the variable for a parameter: `memberId` becomes MEMBER_ID. */
function variable(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase();
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Description of a field. If the field occurs in several shapes, it may have several types and texts. */
export interface FieldRow {
  isRequired: boolean;
  types: Set<string>;
  texts: Set<string>;
}

/** Returns the fields of a schema by path, including fields of nested objects and of objects in lists. */
export function fieldRows(schema: SchemaObject): Map<string, FieldRow> {
  const rows = new Map<string, FieldRow>();
  addRows(rows, schema, '');
  return rows;
}

/**
 * Adds the fields of a schema to the rows.
 * @param prefix prefix of the paths: `provider.` for the fields of `provider`
 */
function addRows(rows: Map<string, FieldRow>, schema: SchemaObject, prefix: string): void {
  for (const object of objectsIn(schema)) {
    for (const [name, field] of Object.entries(object.properties!)) {
      const path = prefix + name;
      const row = rows.get(path) ?? { isRequired: false, types: new Set(), texts: new Set() };
      rows.set(path, row);
      row.isRequired ||= object.required?.includes(name) === true;
      row.types.add(typeOf(field));
      // If several shapes have the field, each with its own constant, the constants describe the field better than the
      // descriptions do.
      if (field.description && !(field.const !== undefined && schema !== object)) row.texts.add(field.description);
      addRows(rows, field, `${path}.`);
    }
  }
}

/** Returns the schemas of the objects that a value, or an element of a list, may be. References are not followed. */
function objectsIn(schema: SchemaObject): SchemaObject[] {
  if (schema.properties) return [schema];
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? schema.oneOf ?? [])];
  return inner.flatMap(objectsIn);
}

/** Returns the type of a value in a few words. */
export function typeOf(schema: SchemaObject): string {
  if (schema.$ref) return lastPart(schema.$ref);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice)))].join(' or ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(' ');
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.properties) return 'object';
  const bounds = boundsOf(schema);
  const name = [schema.type ?? 'any'].flat().join(' or ');
  return bounds === '' ? name : `${name} (${bounds})`;
}

function boundsOf({
  type,
  minimum,
  exclusiveMinimum,
  maximum,
  minLength,
  maxLength,
  format,
  default: fallback,
}: SchemaObject): string {
  const parts = [
    ...(format ? [format] : []),
    ...(exclusiveMinimum === undefined || type === 'integer' ? [] : [`above ${exclusiveMinimum}`]),
    ...rangeOf(minimum ?? (exclusiveMinimum === 0 && type === 'integer' ? 1 : undefined), maximum),
    ...(minLength === undefined && maxLength === undefined
      ? []
      : [maxLength === undefined ? `not empty` : `${minLength ?? 0} to ${maxLength} characters`]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ];
  return parts.join(', ');
}

function rangeOf(minimum: number | undefined, maximum: number | undefined): string[] {
  if (maximum === undefined) return minimum === undefined ? [] : [`from ${minimum}`];
  return [`${minimum ?? ''}..${maximum}`];
}

function lastPart(reference: string): string {
  return reference.split('/').at(-1)!;
}
