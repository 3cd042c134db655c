/** Parts of an OpenAPI document that the Markdown reference shows. */
export interface OpenApi {
  info: { title: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, SchemaObject>; responses: Record<string, ResponseObject> };
}

export interface OperationObject {
  operationId: string;
  /** Kind of API key that the operation requires. */
  'x-credential': 'inference' | 'management' | 'any' | 'none';
  tags: string[];
  summary: string;
  description: string;
  parameters?: ParameterObject[];
  requestBody?: { content: Record<string, MediaObject> };
  responses: Record<string, ResponseObject | { $ref: string }>;
}

export interface ParameterObject {
  in: string;
  name: string;
  required?: boolean;
  description?: string;
  schema: SchemaObject;
}

export interface MediaObject {
  schema: SchemaObject;
  example?: unknown;
  /** Examples by name. Each has a summary. */
  examples?: Record<string, { summary: string; value: unknown }>;
  'x-events'?: Record<string, string>;
}

export interface ResponseObject {
  description: string;
  content?: Record<string, MediaObject>;
}

export interface SchemaObject {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
  minItems?: number;
  minProperties?: number;
  items?: SchemaObject;
  properties?: Record<string, SchemaObject>;
  required?: string[];
  additionalProperties?: boolean | SchemaObject;
  anyOf?: SchemaObject[];
  oneOf?: SchemaObject[];
  allOf?: SchemaObject[];
}
