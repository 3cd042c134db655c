import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { readTool, refuseChoiceWithoutTools } from '../translated/tools.ts';
import { geminiSchema } from './gemini-schema.ts';

/** Converts tools and tool choice of a Messages request to Gemini's form. */
export function geminiToolFields({ tools, tool_choice: choice }: MessagesRequest): Record<string, unknown> {
  if (!tools?.length) {
    refuseChoiceWithoutTools(choice);
    return {};
  }
  const config = callingConfig(choice, tools);
  return {
    tools: [{ functionDeclarations: tools.map(declaration) }],
    ...(config ? { toolConfig: { functionCallingConfig: config } } : {}),
  };
}

function declaration(tool: Tool, index: number): unknown {
  const { name, description, schema } = readTool(tool, index);
  return { name, ...(description === '' ? {} : { description }), parametersJsonSchema: geminiSchema(schema) };
}

/**
 * Returns the mode of calls. Forced calls follow the schemas of the tools. Other calls do so only in the mode
 * VALIDATED, which strict tools get.
 */
function callingConfig(choice: MessagesRequest['tool_choice'], tools: Tool[]): Record<string, unknown> | undefined {
  switch (choice?.type) {
    case 'any':
      return { mode: 'ANY' };
    case 'tool':
      return { mode: 'ANY', allowedFunctionNames: [choice.name] };
    case 'none':
      return { mode: 'NONE' };
    default:
      return tools.some(({ strict }) => strict === true) ? { mode: 'VALIDATED' } : undefined;
  }
}
