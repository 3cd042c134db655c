import { invalidRequest } from '../../platform/errors.ts';
import type { Tool } from '../../messages/types.ts';
import { refuseUnknown } from './speakable.ts';

/** What a tool may have; caching and streaming of its arguments are hints. */
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

/** A tool that the client runs, in what every wire can say of one. */
interface CustomTool {
  name: string;
  /** With the examples of its input, which the other wires have no field for; empty where it has neither. */
  description: string;
  schema: Record<string, unknown>;
  isStrict: boolean;
}

/** @throws {GatewayError} 400 for a tool, or a field of one, that only works on Anthropic models. */
export function customTool(tool: Tool, path: string): CustomTool {
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
    description: withExamples(tool.description ?? '', tool['input_examples']),
    schema: tool.input_schema ?? { type: 'object' },
    isStrict: tool['strict'] === true,
  };
}

function withExamples(description: string, examples: unknown): string {
  if (!Array.isArray(examples) || examples.length === 0) return description;
  const lines = examples.map((example) => JSON.stringify(example)).join('\n');
  return `${description}\n\nExamples of input:\n${lines}`.trimStart();
}
