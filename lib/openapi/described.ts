import { fieldTexts } from './field-texts.ts';

/** A JSON schema, as far as it is walked. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** Shapes that are others with more fields. */
const same: Record<string, string> = { ModelWithEndpoints: 'Model', VideoModel: 'Model', CreatedKey: 'Key' };

interface Content {
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  parameters?: { name: string; description?: string; schema?: Schema }[];
  requestBody?: Content;
  responses: Record<string, Content & { $ref?: string }>;
}

/** An OpenAPI document, as far as it is walked. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/**
 * Gives every field of a document that says nothing of itself its text, in place.
 * @returns the names of the texts that were used
 */
export function describeFields({ paths, components }: Document): Set<string> {
  const describer = new Describer();
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    for (const parameter of operation.parameters ?? []) describer.describeParameter(parameter);
    for (const part of [operation.requestBody, ...Object.values(operation.responses)]) {
      for (const { schema } of Object.values(part?.content ?? {})) describer.describe(schema, undefined);
    }
  }
  for (const [name, schema] of Object.entries(components.schemas)) describer.describe(schema, name);
  return describer.used;
}

class Describer {
  readonly used = new Set<string>();

  /** @param owner the name of the shape; undefined for bodies and parameters */
  describe(schema: Schema, owner: string | undefined, path: string[] = []): void {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const inner = [...path, name];
      const text = field.description ?? this.#textOf(field, owner, inner);
      if (text !== undefined) field.description = text;
      this.describe(field, owner, inner);
      if (field.items) this.describe(field.items, owner, inner);
    }
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
      this.describe(part, owner, path);
      if (part.items) this.describe(part.items, owner, path);
    }
  }

  /** @param parameter of a path, a query or a header */
  describeParameter(parameter: { name: string; description?: string; schema?: Schema }): void {
    if (parameter.description ?? parameter.schema?.description) return;
    const text = this.#textOf(parameter.schema ?? {}, undefined, [parameter.name]);
    if (text !== undefined) parameter.description = text;
  }

  #textOf(field: Schema, owner: string | undefined, path: string[]): string | undefined {
    const named = path.join('.');
    const names = [owner && `${owner}.${named}`, owner && same[owner] && `${same[owner]}.${named}`, named];
    for (const name of [...names, path.slice(-2).join('.'), path.slice(-3).join('.')]) {
      if (name && Object.hasOwn(fieldTexts, name)) return this.#use(name);
    }
    // What every answer has for clients that expect it.
    if (field.type === 'null') return 'A field of the public convention; always null here.';
    if (field.const !== undefined) return `The value is always ${JSON.stringify(field.const)}.`;
    const last = path.at(-1)!;
    return Object.hasOwn(fieldTexts, last) ? this.#use(last) : undefined;
  }

  #use(name: string): string {
    this.used.add(name);
    return fieldTexts[name]!;
  }
}
