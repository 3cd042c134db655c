import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type {
  OpenApi,
  OperationObject,
  ParameterObject,
  ResponseObject,
  SchemaObject,
} from '../../lambdas/api/service/openapi-types.ts';
import { documentFile } from '../../lib/openapi/write.ts';

export const document = JSON.parse(readFileSync(documentFile, 'utf8')) as OpenApi;

/** One method on one path, as documented. */
export interface DocumentedOperation {
  name: string;
  method: string;
  path: string;
  operation: OperationObject;
  parameters: ParameterObject[];
  body: SchemaObject | undefined;
}

export const documentedOperations: DocumentedOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    operation,
    parameters: operation.parameters ?? [],
    body: operation.requestBody?.content['application/json']?.schema,
  })),
);

const ajv = new Ajv2020({ strict: false, allErrors: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'openapi', components: document.components });
const validators = new Map<SchemaObject, ValidateFunction>();

/** Validates a value, and returns the mistake, if any. */
export function misfit(schema: SchemaObject, value: unknown): string | undefined {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object);
    validators.set(schema, validate);
  }
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

export function documentedResponse(operation: OperationObject, status: number): ResponseObject | undefined {
  const response = operation.responses[String(status)];
  if (!response || !('$ref' in response)) return response;
  return document.components.responses[response.$ref.split('/').at(-1)!];
}

/** Returns a schema, or the component to which it refers. */
export function resolveSchema(schema: SchemaObject): SchemaObject {
  return schema.$ref ? resolveSchema(document.components.schemas[schema.$ref.split('/').at(-1)!]!) : schema;
}
