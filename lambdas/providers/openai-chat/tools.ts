import type { MessagesRequest } from '../../messages/types.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { answerName, answerSchema, usesJsonMode } from '../translated/answer-format.ts';
import { functionTools, isStrict, type FunctionTool } from '../translated/function-tools.ts';
import { enforcedSchema, takenSchema, type SchemaQuirks } from '../translated/taken-schema.ts';
import type { ChatTarget } from './target.ts';

export function chatToolFields(request: MessagesRequest, { quirks }: ChatTarget): Record<string, unknown> {
  const declared = functionTools(request, quirks);
  if (declared.length === 0) return {};
  const tools = quirks.limited_strict_mode ? equallyStrict(declared, quirks) : declared;
  const fields: Record<string, unknown> = { tools: tools.map(functionField) };
  const choice = request.tool_choice;
  if (choice) {
    const plain = { auto: 'auto', any: 'required', none: 'none' } as const;
    fields['tool_choice'] =
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : plain[choice.type];
    if (choice.disable_parallel_tool_use && quirks.parallel_tool_calls !== false) fields['parallel_tool_calls'] = false;
  }
  return fields;
}

/**
 * Makes all tools strict if one tool is strict.
 * @throws {GatewayError} 400 if the schema of a tool does not fit strict mode
 */
function equallyStrict(tools: FunctionTool[], quirks: SchemaQuirks): FunctionTool[] {
  const strict = tools.findIndex((tool) => tool.strict);
  if (strict === -1) return tools;
  if (tools.every(({ parameters }) => isStrict(parameters)))
    return tools.map((tool) => ({ ...tool, parameters: enforcedSchema(tool.parameters, quirks), strict: true }));
  throw invalidRequest(
    `tools.${strict}.strict`,
    'works on this model only if the schemas of all tools require all properties and have "additionalProperties": false; change them, or leave it out',
  );
}

function functionField({ name, description, parameters, strict }: FunctionTool): unknown {
  return {
    type: 'function',
    function: { name, ...(description ? { description } : {}), parameters, ...(strict ? { strict } : {}) },
  };
}

export function chatFormatField(
  request: MessagesRequest,
  { supportedParameters, quirks }: ChatTarget,
): Record<string, unknown> {
  if (quirks.json_mode && usesJsonMode(request, supportedParameters))
    return { response_format: { type: 'json_object' } };
  const requested = answerSchema(request, supportedParameters);
  if (!requested) return {};
  const schema = takenSchema(requested, quirks);
  return {
    response_format: {
      type: 'json_schema',
      json_schema: {
        ...answerName(request),
        ...(isStrict(schema) ? { schema: enforcedSchema(schema, quirks), strict: true } : { schema }),
      },
    },
  };
}
