import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { argumentsSchema } from './arguments-schema.ts';
import { refuseUnknown } from './supported-fields.ts';

interface ReadTool {
  name: string;
  /** Description of the tool; empty if it has none. */
  description: string;
  schema: Record<string, unknown>;
  isStrict: boolean;
}

/** Accepted fields of a tool. `readTool` ignores some of them, such as those that control caching and streaming. */
const toolFieldNames = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'input_examples',
  'strict',
  'defer_loading',
  'allowed_callers',
  'cache_control',
  'eager_input_streaming',
]);

/**
 * Reads a tool.
 * @throws {GatewayError} 400 for tools that only Claude models support, and for fields that would have no effect
 */
export function readTool(tool: Tool, index: number): ReadTool {
  const path = `tools.${index}`;
  if (tool.type && tool.type !== 'custom') {
    throw invalidRequest(
      `${path}.type`,
      `"${tool.type}" only works on Anthropic models; describe the tool with name, description and input_schema`,
    );
  }
  refuseUnknown(tool, toolFieldNames, `${path}.`);
  if (tool['defer_loading'] === true) {
    throw invalidRequest(`${path}.defer_loading`, 'only works on Anthropic models; leave it out, or the tool');
  }
  return {
    name: tool.name,
    description: withDescribedExamples(tool).description ?? '',
    schema: argumentsSchema(tool.input_schema ?? {}),
    isStrict: tool['strict'] === true,
  };
}

/** Moves input examples into the tool's description, for services that have no field for them. */
export function withDescribedExamples(tool: Tool): Tool {
  const { input_examples: examples, ...rest } = tool;
  if (!Array.isArray(examples) || examples.length === 0) return tool;
  const lines = examples.map((example) => JSON.stringify(example)).join('\n');
  return { ...rest, description: `${tool.description ?? ''}\n\nExamples of input:\n${lines}`.trimStart() };
}

/**
 * Refuses a tool choice that needs tools, in a request without tools.
 * @throws {GatewayError} 400
 */
export function refuseChoiceWithoutTools(choice: MessagesRequest['tool_choice']): void {
  if (choice?.type !== 'any' && choice?.type !== 'tool') return;
  throw invalidRequest('tool_choice.type', `"${choice.type}" needs tools to choose from; send tools as well`);
}
