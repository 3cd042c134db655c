import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { answerName, answerSchema } from '../translated/answer-format.ts';
import { acyclicSchema } from '../translated/acyclic-schema.ts';
import { withInlineReferences } from '../translated/inline-references.ts';
import { apart } from '../translated/turns.ts';
import { withoutUndefined } from '../../platform/json/records.ts';
import { readTool, refuseChoiceWithoutTools } from '../translated/tools.ts';
import { cachePointAfter } from './cache-points.ts';
import { familyOf, type ConverseTarget } from './families.ts';

/**
 * Returns tools and tool choice. Converse has no choice "none", so no tools are sent then.
 * @throws {GatewayError} 400 for a tool or a choice that the model does not support, or a forced choice without tools
 */
export function toolConfig(request: MessagesRequest, target: ConverseTarget): Record<string, unknown> {
  const { tools = [], tool_choice: choice } = request;
  if (tools.length === 0) {
    refuseChoiceWithoutTools(choice);
    return {};
  }
  if (choice?.type === 'none') return {};
  return {
    toolConfig: {
      tools: tools.flatMap((tool, index) => [toolSpec(tool, index, target), ...cachePointAfter(tool, 'tools', target)]),
      ...(choice ? { toolChoice: converseToolChoice(choice, tools, target) } : {}),
    },
  };
}

function toolSpec(tool: Tool, index: number, target: ConverseTarget): object {
  const { name, description: own, schema: declared, isStrict } = readTool(tool, index);
  if (isStrict && !canBeStructured(target)) {
    throw invalidRequest(`tools.${index}.strict`, 'does not work on this model; leave it out');
  }
  const { schema, description } = target.quirks.plain_schema_root
    ? plainArguments(declared, own)
    : { schema: declared, description: own };
  return {
    toolSpec: {
      name,
      ...(description === '' ? {} : { description }),
      inputSchema: { json: schema },
      ...(isStrict ? { strict: true } : {}),
    },
  };
}

/**
 * Returns a schema whose root has only type, properties and required names: the first models of Nova reject other
 * keywords (https://github.com/lastmile-ai/mcp-agent/pull/126). The root's description becomes a part of the tool's
 * description.
 */
function plainArguments(declared: Record<string, unknown>, own: string): { schema: object; description: string } {
  const root = acyclicSchema(declared);
  const { type, properties, required, description } = root;
  return {
    schema: withInlineReferences(withoutUndefined({ type, properties, required }), root),
    description: apart([own, typeof description === 'string' ? description : '']),
  };
}

function converseToolChoice(
  { type, name }: NonNullable<MessagesRequest['tool_choice']>,
  tools: readonly Tool[],
  target: ConverseTarget,
): object {
  if (type !== 'tool') return { [type]: {} };
  if (familyOf(target).hasNamedTool) return { tool: { name } };
  // With one tool, any tool is this tool.
  if (tools.length === 1) return { any: {} };
  throw invalidRequest('tool_choice.type', '"tool" does not work on this model; send "any" and only this tool');
}

/** Returns the required format of the answer in Converse's form, with the JSON schema as a string. */
export function outputConfig(request: MessagesRequest, target: ConverseTarget): Record<string, unknown> {
  const schema = answerSchema(request, canBeStructured(target) ? ['structured_outputs'] : target.supportedParameters);
  if (!schema) return {};
  const jsonSchema = { ...answerName(request), schema: JSON.stringify(schema) };
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } };
}

function canBeStructured(target: ConverseTarget): boolean {
  return familyOf(target).hasStructuredAnswers || target.supportedParameters.includes('structured_outputs');
}
